/**
 * Resources with a quota. `monitor_regions` counts each monitor once for each of its regions; `event_bytes_per_day` is
 * counted by the limiter of events.
 */
export const resources = [
  'monitors',
  'monitor_regions',
  'tokens',
  'status_pages',
  'page_domains',
  'components',
  'open_incidents',
  'incidents',
  'maintenances',
  'webhooks',
  'channels',
  'routes',
  'subscribers',
  'flows',
  'event_monitors',
  'reports',
  'agents',
  'walls',
  'secrets',
  'members',
  'group_roles',
  'releases',
  'event_bytes_per_day',
] as const;
export type Resource = (typeof resources)[number];

export type Quotas = Readonly<Record<Resource, number>>;

const gigabyte = 1_000_000_000;

const pro: Quotas = {
  monitors: 200,
  monitor_regions: 1000,
  tokens: 100,
  status_pages: 5,
  page_domains: 5,
  components: 500,
  open_incidents: 50,
  incidents: 5000,
  maintenances: 500,
  webhooks: 20,
  channels: 100,
  routes: 100,
  subscribers: 2000,
  flows: 50,
  event_monitors: 50,
  reports: 50,
  agents: 100,
  walls: 20,
  secrets: 100,
  members: 50,
  group_roles: 50,
  releases: 20_000,
  event_bytes_per_day: 10 * gigabyte,
};
const team: Quotas = {
  ...pro,
  monitors: 1000,
  monitor_regions: 5000,
  status_pages: 20,
  page_domains: 20,
  components: 2000,
  open_incidents: 100,
  incidents: 20_000,
  secrets: 500,
  members: 200,
  subscribers: 10_000,
  flows: 100,
  reports: 200,
  releases: 50_000,
  event_bytes_per_day: 20 * gigabyte,
};
const agency: Quotas = {
  ...team,
  monitors: 2000,
  monitor_regions: 10_000,
  status_pages: 100,
  page_domains: 200,
  components: 5000,
  members: 500,
  incidents: 50_000,
  webhooks: 50,
  subscribers: 25_000,
  event_bytes_per_day: 50 * gigabyte,
};
const business: Quotas = {
  ...agency,
  monitors: 5000,
  monitor_regions: 25_000,
  members: 1000,
  subscribers: 50_000,
  event_bytes_per_day: 100 * gigabyte,
};
const enterprise: Quotas = {
  ...business,
  monitors: 20_000,
  monitor_regions: 100_000,
  members: 5000,
  page_domains: 500,
  subscribers: 100_000,
  event_bytes_per_day: 200 * gigabyte,
};

/** Quotas by plan, before the operator raises one for a project. */
export const planQuotas = { pro, team, agency, business, enterprise } as const satisfies Record<string, Quotas>;

/**
 * How many times a quota may be stored, for resources whose rows stay for a while after they were deleted, revoked or
 * over. Those are small, or short-lived in the hands of a program.
 */
const storedTimes: Partial<Record<Resource, number>> = {
  monitors: 5,
  tokens: 200,
  status_pages: 10,
  page_domains: 10,
  components: 5,
  incidents: 2,
  maintenances: 10,
  subscribers: 5,
  agents: 10,
};
/** A small quota too can be used up and freed again and again. */
const storedLeast = 100;

/** The most rows of a resource that are stored, with those that no longer count; null if none stays. */
export function storedMaximum(resource: Resource, maximum: number): number | null {
  const times = storedTimes[resource];
  return times === undefined ? null : maximum * times + storedLeast;
}

/** Updates of incidents and maintenances, as messages to subscribers: a hundred to each in a UTC day. */
export function deliveriesPerDay({ subscribers }: Quotas): number {
  return subscribers * 100;
}

/** A project's quotas: its plan's, unless the operator set one. A plan that is not known counts as the smallest. */
export function quotasOf(plan: string, overrides: Partial<Quotas>): Quotas {
  const base: Quotas = Object.hasOwn(planQuotas, plan) ? planQuotas[plan as keyof typeof planQuotas] : pro;
  return { ...base, ...overrides };
}

/** What a resource is called in a sentence. */
export function nameOf(resource: Resource): string {
  switch (resource) {
    case 'monitor_regions':
      return 'monitors counted once per region';
    case 'status_pages':
      return 'status pages';
    case 'page_domains':
      return 'domains of status pages';
    case 'open_incidents':
      return 'open incidents';
    case 'maintenances':
      return 'maintenances that are not over';
    case 'event_monitors':
      return 'monitors of events';
    case 'agents':
      return 'agents in regions of its own';
    case 'members':
      return 'members and open invitations';
    case 'group_roles':
      return 'roles by groups';
    case 'event_bytes_per_day':
      return 'bytes of events per UTC day';
    default:
      return resource;
  }
}

/** Keys in `ingest_buckets` of what counts bytes, as a pattern of LIKE. */
export const bytesKeys = 'bytes %';

/** Where the bytes of a project's events of this UTC day are counted. */
export function eventBytesKey(projectId: string, nowMs: number): string {
  return `bytes ${projectId} ${dayOf(nowMs)}`;
}

/** Where those of its web pages are counted as well. */
export function pageBytesKey(projectId: string, nowMs: number): string {
  return `bytes pages ${projectId} ${dayOf(nowMs)}`;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
