import { formatBytes } from '../../kit/bytes.ts';
import type { Project } from '../../session/api-types.ts';

type Quota = Project['quotas'][number];

const names: Readonly<Record<Quota['resource'], string>> = {
  monitors: 'Monitors',
  monitor_regions: 'Monitors × regions',
  tokens: 'Tokens',
  status_pages: 'Status pages',
  page_domains: 'Domains of status pages',
  components: 'Components',
  open_incidents: 'Open incidents',
  incidents: 'Incidents',
  maintenances: 'Planned maintenance',
  webhooks: 'Webhooks',
  channels: 'Channels',
  routes: 'Routes',
  releases: 'Releases',
  subscribers: 'Subscribers',
  flows: 'Flows',
  event_monitors: 'Monitors of events',
  reports: 'Reports',
  agents: 'Agents in private regions',
  walls: 'Walls',
  secrets: 'Secrets',
  members: 'Members and invitations',
  group_roles: 'Roles by groups',
  event_bytes_per_day: 'Events today',
};

/** A limit as it is shown: how full it is, and whether that needs attention. */
export type Use = { label: string; text: string; share: number; level: 'ok' | 'near' | 'full' };

export function useOf({ resource, used, maximum }: Quota): Use {
  const format = resource === 'event_bytes_per_day' ? formatBytes : (value: number) => value.toLocaleString('en');
  return use(names[resource] ?? resource.replaceAll('_', ' '), used, maximum, format);
}

export function use(label: string, used: number, maximum: number, format: (value: number) => string): Use {
  const share = maximum === 0 ? 1 : Math.min(1, used / maximum);
  const level = used >= maximum ? 'full' : share >= 0.8 ? 'near' : 'ok';
  return { label, text: `${format(used)} of ${format(maximum)}`, share, level };
}

/** How many events will be kept if each day is like the last one. */
export function forecastEvents(dayCount: number, retentionDays: number): number {
  return dayCount * retentionDays;
}
