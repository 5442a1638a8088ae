/** What changes are about, and the scope that a caller needs to hear of them. */
export const topicScopes = {
  project: 'project:read',
  monitors: 'monitors:read',
  alerts: 'alerts:read',
  notices: 'alerts:read',
  incidents: 'incidents:read',
  maintenances: 'maintenances:read',
  status_pages: 'status-pages:read',
  channels: 'channels:read',
  routes: 'routes:read',
  flows: 'flows:read',
  releases: 'releases:read',
  agents: 'agents:read',
  secrets: 'secrets:read',
} as const;
export type Topic = keyof typeof topicScopes;
export const topics = Object.keys(topicScopes) as [Topic, ...Topic[]];

/** One thing that changed. `key` is the same whenever the change is read again. */
export type Change = { key: string; topic: Topic; id: string };

/** A stored row that stands for a change: a fact, a verdict, or an entry of the audit. */
export type ChangeRow = {
  source: 'fact' | 'verdict' | 'audit';
  id: string;
  /** The fact's kind or the audit's action; '' for a verdict. */
  kind: string;
  subject: string;
  /** What the subject belongs to, if that is what a list shows. */
  parent: string | null;
};

const topicOfNoun: Readonly<Record<string, Topic>> = {
  project: 'project',
  token: 'project',
  session: 'project',
  person: 'project',
  passkey: 'project',
  identity: 'project',
  member: 'project',
  group_role: 'project',
  sign_in_link: 'project',
  invitation: 'project',
  webhook: 'channels',
  slack: 'channels',
  channel: 'channels',
  route: 'routes',
  monitor: 'monitors',
  alert: 'alerts',
  alert_group: 'alerts',
  notice: 'notices',
  incident: 'incidents',
  delivery: 'incidents',
  maintenance: 'maintenances',
  status_page: 'status_pages',
  page_domain: 'status_pages',
  component: 'status_pages',
  subscriber: 'status_pages',
  flow: 'flows',
  report: 'flows',
  release: 'releases',
  agent: 'agents',
  region: 'agents',
  secret: 'secrets',
};

/** The change that a row stands for; null for a row of a kind that no list shows. */
export function changeOf({ source, id, kind, subject, parent }: ChangeRow): Change | null {
  const noun = source === 'verdict' ? 'monitor' : (kind.split('.')[0] ?? '');
  const topic = Object.hasOwn(topicOfNoun, noun) ? topicOfNoun[noun] : undefined;
  return topic === undefined ? null : { key: `${source} ${id}`, topic, id: parent ?? subject };
}
