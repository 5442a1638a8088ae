import { worstOf } from '#control-plane/monitoring/components/status.ts';
import type {
  Day,
  FeedEntry,
  PageComponent,
  PageIncident,
  PageModel,
  PageSettings,
  PageUpdate,
} from '#control-plane/publishing/status-pages/publish/page-model.ts';
import { type View, viewOf } from '#control-plane/publishing/status-pages/render/view.ts';
import type { ShownStatus } from '#shared/vocabulary.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The instant of all sample models: 21 Nov 2026, 14:05 UTC. */
export const sampleAsOf = Date.UTC(2026, 10, 21, 14, 5);

/** Pseudo-random numbers from 0 to 1, the same in every run. */
export function sampleNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export function samplePage(changes: Partial<PageSettings> = {}): PageSettings {
  return {
    id: 'sp_01jd6q4m3v8y0x9w2t5r7n1k3h',
    name: 'Acme',
    slug: 'acme',
    description: '',
    timezone: 'UTC',
    locale: 'en',
    theme: 'auto',
    historyDays: 90,
    logo: null,
    brandColor: null,
    homeUrl: null,
    supportUrl: null,
    ...changes,
  };
}

export function sampleUpdate(changes: Partial<PageUpdate> = {}): PageUpdate {
  const postedAt = changes.postedAt ?? sampleAsOf - hour;
  return {
    id: 'upd_01jd6q4m3v8y0x9w2t5r7n1k3h',
    state: 'investigating',
    body: 'We are looking into **slow answers**.',
    postedAt,
    editedAt: null,
    feedAt: Math.floor(postedAt / 1000) * 1000,
    ...changes,
  };
}

export function sampleIncident(changes: Partial<PageIncident> = {}): PageIncident {
  return {
    id: 'inc_01jd6q4m3v8y0x9w2t5r7n1k3h',
    title: 'Payments are slow',
    severity: 'p2',
    impact: 'partial',
    state: 'investigating',
    startedAt: sampleAsOf - 2 * hour,
    resolvedAt: null,
    createdAt: sampleAsOf - 2 * hour,
    updatedAt: sampleAsOf - hour,
    components: [{ id: 'comp_0', name: 'Payments' }],
    updates: [sampleUpdate()],
    postmortemUrl: null,
    postmortemBody: null,
    ...changes,
  };
}

export function sampleComponent(changes: Partial<PageComponent> = {}): PageComponent {
  return {
    id: 'comp_0',
    name: 'Payments',
    description: '',
    group: null,
    position: 0,
    status: 'operational',
    createdAt: sampleAsOf - 400 * day,
    updatedAt: sampleAsOf - 3 * day,
    days: null,
    uptime: null,
    incidentCount: null,
    ...changes,
  };
}

/** Days up to the date of `sampleAsOf`, some of them with downtime; `trouble` is their share. */
export function sampleDays(count: number, seed: number, trouble = 0.04): Day[] {
  const random = sampleNumbers(seed * 7919 + 17);
  for (let skipped = 0; skipped < 8; skipped++) random();
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(sampleAsOf - (count - 1 - index) * day).toISOString().slice(0, 10);
    return { date, ...sampleDay(random, trouble) };
  });
}

function sampleDay(random: () => number, trouble: number): Omit<Day, 'date'> {
  if (random() >= trouble) return { level: 'up', uptime: 1, downMs: 0, degradedMs: 0 };
  const kind = random();
  const length = Math.round(random() * 55 * minute) + minute;
  if (kind < 0.15) return { level: 'none', uptime: null, downMs: 0, degradedMs: 0 };
  if (kind < 0.45) return { level: 'degraded', uptime: 1, downMs: 0, degradedMs: length };
  const downMs = kind < 0.8 ? length : length + hour;
  return { level: kind < 0.8 ? 'partial' : 'down', uptime: 1 - downMs / day, downMs, degradedMs: 0 };
}

export function sampleModel(changes: Partial<PageModel> = {}): PageModel {
  const components = changes.components ?? [
    measured({ id: 'comp_0', name: 'Payments' }, 1),
    measured({ id: 'comp_1', name: 'Accounts' }, 2),
  ];
  return {
    page: samplePage(),
    url: 'https://status.example/status/acme',
    asOf: sampleAsOf,
    status: worstOf(components.map(component => component.status)),
    openIncidents: [],
    recentIncidents: [],
    logo: null,
    ...changes,
    components,
  };
}

/** A sample model with the language and times in which it is rendered. */
export function sampleView(changes: Partial<PageModel> = {}): View {
  return viewOf(sampleModel(changes));
}

/** A component with sample days and their uptime. */
export function measured(changes: Partial<PageComponent>, seed: number, count = 90, trouble = 0.04): PageComponent {
  const days = sampleDays(count, seed, trouble);
  const shares = days.flatMap(({ uptime }) => uptime ?? []);
  const uptime = shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return sampleComponent({ days, uptime, position: seed, ...changes });
}

/**
 * 90 components in ten groups with 90 days each, some with downtime: the largest page with a promised size and speed.
 */
export function largeModel(): PageModel {
  return sampleModel({
    components: Array.from({ length: 90 }, (_, index) =>
      measured(
        {
          id: `comp_01jd6q4m3v8y0x9w2t5r7${String(index).padStart(4, '0')}`,
          name: `${services[index % services.length]} ${regions[Math.floor(index / 9)]}`,
          group: regions[Math.floor(index / 9)] ?? null,
          description: index % 3 === 0 ? `What ${services[index % services.length]} does for customers` : '',
          status: index % 23 === 7 ? 'degraded_performance' : 'operational',
        },
        index + 1,
        90,
        0.08,
      ),
    ),
    openIncidents: [stagedIncident()],
    recentIncidents: resolvedIncidents(),
  });
}
const services = ['API', 'Dashboard', 'Webhooks', 'Payments', 'Payouts', 'Search', 'Exports', 'Sign-in', 'Mail'];
const regions = [
  ...['Frankfurt', 'Dublin', 'London', 'Virginia', 'Oregon'],
  ...['São Paulo', 'Mumbai', 'Singapore', 'Tokyo', 'Sydney'],
];

/** A page during an outage, with a component of each status. */
export function outageModel(changes: Partial<PageModel> = {}): PageModel {
  const statuses: [name: string, group: string | null, status: ShownStatus, about: string][] = [
    ['Website', null, 'operational', ''],
    ['Checkout', 'Payments', 'major_outage', 'Cards, wallets and bank transfers at the till'],
    ['Payouts', 'Payments', 'partial_outage', ''],
    ['Invoices', 'Payments', 'operational', ''],
    ['REST API', 'Platform', 'degraded_performance', 'api.acme.example, all versions'],
    ['Webhooks', 'Platform', 'operational', ''],
    ['Search', 'Platform', 'under_maintenance', 'Moving to new machines until 16:00 UTC'],
    ['Data export', 'Platform', 'unknown', ''],
  ];
  return sampleModel({
    page: samplePage({
      name: 'Acme Payments',
      description: 'How the services of Acme are doing, measured from seven regions.',
    }),
    components: statuses.map(([name, group, status, description], index) =>
      measured({ id: `comp_${index}`, name, group, status, description }, index + 3, 90, index === 5 ? 0 : 0.06),
    ),
    openIncidents: [stagedIncident()],
    recentIncidents: resolvedIncidents(),
    ...changes,
  });
}

export function stagedIncident(): PageIncident {
  const update = (index: number, changes: Partial<PageUpdate>) =>
    sampleUpdate({ id: `upd_staged_${index}`, postedAt: sampleAsOf - (50 - index * 20) * minute, ...changes });
  return sampleIncident({
    id: 'inc_staged',
    title: 'Card payments fail in Europe',
    severity: 'p1',
    impact: 'major',
    state: 'identified',
    startedAt: sampleAsOf - 57 * minute,
    components: [
      { id: 'comp_1', name: 'Checkout' },
      { id: 'comp_2', name: 'Payouts' },
    ],
    updates: [
      update(0, { body: 'About half of all card payments in Europe fail. We are looking for the cause.' }),
      update(1, {
        state: 'identified',
        body: [
          'A certificate of our **card processor** has expired. They are replacing it.\n',
          '- Wallets and bank transfers work\n- No payment is taken twice\n',
          'Their own status: https://processor.example/status',
        ].join('\n'),
        editedAt: sampleAsOf - 22 * minute,
      }),
    ],
  });
}

export function resolvedIncidents(): PageIncident[] {
  return [
    sampleIncident({
      id: 'inc_resolved_1',
      title: 'Webhooks arrive late',
      impact: 'degraded',
      severity: 'p3',
      state: 'resolved',
      startedAt: sampleAsOf - 4 * day,
      resolvedAt: sampleAsOf - 4 * day + 95 * minute,
      components: [{ id: 'comp_5', name: 'Webhooks' }],
      updates: [
        sampleUpdate({
          id: 'upd_r1',
          postedAt: sampleAsOf - 4 * day + 5 * minute,
          body: 'Webhooks are up to ten minutes late.',
        }),
        sampleUpdate({
          id: 'upd_r2',
          state: 'resolved',
          postedAt: sampleAsOf - 4 * day + 95 * minute,
          body: 'All waiting webhooks have been sent. None was lost.',
        }),
      ],
      postmortemBody:
        '## What happened\n\nA queue had **one** reader too few.\n\n#### Why\n\nA limit of 10,000 open files.',
    }),
    sampleIncident({
      id: 'inc_resolved_2',
      title: 'Sign-in unavailable',
      impact: 'major',
      severity: 'p1',
      state: 'resolved',
      startedAt: sampleAsOf - 11 * day,
      resolvedAt: sampleAsOf - 11 * day + 26 * hour,
      components: [],
      updates: [
        sampleUpdate({
          id: 'upd_r3',
          state: 'resolved',
          postedAt: sampleAsOf - 10 * day,
          body: 'Sign-in works again.',
        }),
      ],
    }),
  ];
}

/** The updates of incidents as entries of a feed, newest first. */
export function entriesOf(incidents: readonly PageIncident[]): FeedEntry[] {
  return incidents
    .flatMap(incident => incident.updates.map(update => ({ incident, update })))
    .sort((left, right) => right.update.feedAt - left.update.feedAt);
}
