import type {
  Agent,
  AuditEntry,
  Delivery,
  EventName,
  EventRate,
  Flow,
  FunnelReport,
  IncidentImpact,
  MonitorChange,
  Notice,
  Occurrence,
  Overview,
  PlannedOccurrence,
  Project,
  Promotion,
  RegionDetails,
  Release,
  ReleaseComparison,
  Report,
  Retention,
  StatusPage,
  StoredEvent,
  Subscriber,
  Token,
  Trends,
  VerdictRow,
  Wall,
  Webhook,
} from '#control-plane/web/dashboard/app/session/api-types.ts';

// More answers of the API, complete and unremarkable; each test changes what it is about.

const statuses = { up: 1, degraded: 0, down: 0, undetermined: 0, pending: 0, paused: 0 };
const calm = { ...statuses, up: 0 };
const created_at = '2026-11-20T10:00:00.000Z';
const updated_at = created_at;
const project_id = 'prj_1';
const capabilities = ['tls.facts', 'probe.now'];

export function sampleOverview(changes: Partial<Overview> = {}): Overview {
  return {
    monitors: statuses,
    in_maintenance: calm,
    alerts: { open: 0, acknowledged: 0, held: 0 },
    incidents: { unresolved: 0 },
    deliveries: { failed: 0, held: 0 },
    regions: [{ code: 'eu', name: 'Europe', agents_online: 2, agents_total: 2, capabilities }],
    ...changes,
  };
}

export function sampleRegion(changes: Partial<RegionDetails> = {}): RegionDetails {
  return {
    ...{ code: 'eu', name: 'Europe', agents_online: 2, agents_total: 2, capabilities, private: false },
    ...{ quarantined_since: null, monitors: 3, monitors_without_vote: 0, last_result_at: '2026-11-21T09:59:58.000Z' },
    ...changes,
  };
}

export function sampleAgent(changes: Partial<Agent> = {}): Agent {
  return {
    ...{
      id: 'agt_1',
      region: 'eu',
      name: 'eu-1',
      version: '0.7.7',
      state: 'online',
      capabilities,
      incapable: [],
      private: false,
    },
    ...{ last_seen_at: '2026-11-21T09:59:58.000Z', clock_offset_ms: 3, assignments: 3, checks_per_second: 0.5 },
    ...{ queue_depth: 0, missed_slots: 0, late_starts: 0, results_dropped: 0, spool_count: 0, spool_failing: false },
    created_at,
    ...changes,
  };
}

export function sampleProject(changes: Partial<Project> = {}): Project {
  return {
    ...{ id: project_id, name: 'Acme', plan: 'team', event_retention_days: 90, allowed_origins: [], created_at },
    link_sessions: false,
    ingest_limits: { sustained_per_second: 100, burst_per_second: 500, burst_seconds: 60 },
    grouping: { wait_seconds: 5, join_seconds: 120 },
    notices: { region_silent_after_seconds: 180, agent_silent_after_seconds: null },
    quotas: [{ resource: 'monitors', maximum: 100, used: 3 }],
    ...changes,
  };
}

export function samplePage(changes: Partial<StatusPage> = {}): StatusPage {
  return {
    ...{ id: 'sp_1', project_id, name: 'Acme status', slug: 'acme', description: '', timezone: 'UTC', locale: 'en' },
    ...{ theme: 'auto', history_days: 90, color: null, home_url: null, support_url: null, logo: null },
    access: { type: 'public', version: 1, changed_at: null },
    canonical_domain: null,
    url: 'https://up.example/status/acme',
    ...{ key: null, managed_by: null, created_at, updated_at },
    ...changes,
  };
}

export function sampleSubscriber(changes: Partial<Subscriber> = {}): Subscriber {
  return {
    ...{ id: 'sub_1', status_page_id: 'sp_1', channel: 'email', email: 'ada@example.com', url: null },
    ...{ component_ids: [], state: 'active', state_reason: null, consent: null, failures: 0 },
    ...{ created_at, confirmed_at: created_at },
    ...changes,
  };
}

export function sampleWebhook(changes: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id: 'whk_1', project_id, url: 'https://ops.example/hook', kinds: ['alert.opened'], alert_kinds: ['down'] },
    ...{ enabled: true, failures: 0, created_at, previous_secret_until: null },
    ...changes,
  };
}

export function sampleNotice(changes: Partial<Notice> = {}): Notice {
  return {
    ...{ id: 'ntc_1', kind: 'region.silent', subject: { type: 'region', id: 'eu', name: 'Europe' } },
    ...{ title: 'Europe is silent', detail: 'No results for 3 minutes', state: 'open', late_results: false },
    ...{ opened_at: '2026-11-21T09:55:00.000Z', closed_at: null },
    ...changes,
  };
}

export function sampleWall(changes: Partial<Wall> = {}): Wall {
  return {
    ...{ id: 'wal_1', project_id, key: null, managed_by: null, name: 'Operations room', selector: null },
    ...{ last_seen_at: '2026-11-21T09:59:55.000Z', created_at, updated_at },
    ...changes,
  };
}

export function sampleToken(changes: Partial<Token> = {}): Token {
  return {
    ...{ id: 'tok_1', project_id, name: 'Terraform', scopes: ['monitors:write'], expires_at: null },
    ...{ last_used_at: '2026-11-21T09:00:00.000Z', revoked_at: null, created_at, created_by: null, person_id: null },
    ...changes,
  };
}

export function sampleFlow(changes: Partial<Flow> = {}): Flow {
  return {
    ...{ id: 'flw_1', project_id, name: 'Sign-up', window_seconds: 86_400, order: 'ordered', version: 1 },
    steps: [
      { event: 'signed up', name: null, where: [] },
      { event: 'paid', name: 'Paid', where: [] },
    ],
    ...{ created_at, updated_at },
    ...changes,
  } as Flow;
}

export const sampleSteps = [
  { step: 1, name: 'signed up', users: 200, from_first: 1, from_previous: null },
  { step: 2, name: 'Paid', users: 50, from_first: 0.25, from_previous: 0.25 },
];

export function sampleReport(changes: Partial<FunnelReport> = {}): FunnelReport {
  return {
    ...{ flow_id: 'flw_1', version: 1, group_by: 'none', steps: sampleSteps, source: 'raw', estimated: false },
    range: { from: '2026-11-14T10:00:00.000Z', to: '2026-11-21T10:00:00.000Z' },
    ...{ complete_from: null, complete_through: '2026-11-21T10:00:00.000Z', roll_up: { hours: 168, pending: 0 } },
    ...changes,
  };
}

export function sampleRelease(changes: Partial<Release> = {}): Release {
  return {
    ...{ id: 'rel_1', project_id, version: '1.2.0', name: null, environment: 'production', url: null },
    ...{ released_at: '2026-11-21T09:30:00.000Z', commit_sha: null, props: null, event_id: 'evt_9', created_at },
    ...changes,
  };
}

export function sampleComparison(changes: Partial<ReleaseComparison> = {}): ReleaseComparison {
  return {
    ...{ release_id: 'rel_1', computed_at: '2026-11-21T10:00:00.000Z', new_errors: [] },
    before_window: { from: '2026-11-21T08:30:00.000Z', to: '2026-11-21T09:30:00.000Z' },
    after_window: { from: '2026-11-21T09:30:00.000Z', to: '2026-11-21T10:00:00.000Z' },
    ...{ verdict: 'unlikely', reason: null, ratio: 1.1, low: 0.7, high: 1.6 },
    ...{ before: { active: 900, with_errors: 9 }, after: { active: 800, with_errors: 9 } },
    ...changes,
  };
}

export function sampleRate(changes: Partial<EventRate> = {}): EventRate {
  return {
    limits: { sustained_per_second: 100, burst_per_second: 500, burst_seconds: 60 },
    sustained: { capacity: 6000, available: 6000 },
    peak: { capacity: 500, available: 500 },
    bytes_today: { used: 1000, maximum: 1_000_000, resets_at: '2026-11-22T00:00:00.000Z' },
    minutes: [{ at: '2026-11-21T09:59:00.000Z', stored: 60, known: 0, refused: 0 }],
    last_24_hours: { stored: 1440, known: 2, refused: 0 },
    refusals: [],
    ...changes,
  };
}

export function sampleEventName(changes: Partial<EventName> = {}): EventName {
  return {
    ...{ name: 'signed up', type: 'track', count: 1200, users: 800, users_estimated: false },
    ...{ first_seen_at: '2026-11-01T09:00:00.000Z', last_seen_at: '2026-11-21T09:59:50.000Z' },
    ...changes,
  };
}

export function sampleTrends(changes: Partial<Trends> = {}): Trends {
  return {
    range: { from: '2026-11-19T00:00:00.000Z', to: '2026-11-21T10:00:00.000Z' },
    ...{ granularity: 'day', timezone: 'UTC', breakdown: null, source: 'hourly', aligned: 'exact' },
    series: [
      {
        ...{ event: 'signed up', type: 'track', group: null, complete_from: null },
        data: [
          { bucket: '2026-11-19', events: 10, users: 8 },
          { bucket: '2026-11-20', events: 1500, users: 9 },
          { bucket: '2026-11-21', events: 7, users: 7 },
        ],
        total: { events: 1517, users: 20 },
      },
    ],
    complete_through: '2026-11-21T10:00:00.000Z',
    ...{ users_estimated: false, names_truncated: false, releases: [] },
    ...changes,
  };
}

export function sampleRetention(changes: Partial<Retention> = {}): Retention {
  const cohort = (period: string, users: number, returned: (number | null)[], complete = true) => ({
    ...{ period, users, returned, complete, reason: null },
  });
  return {
    range: { from: '2026-11-02T00:00:00.000Z', to: '2026-11-23T00:00:00.000Z' },
    ...{ granularity: 'week', timezone: 'UTC', source: 'raw', exact: true },
    cohorts: [
      cohort('2026-11-02', 40, [40, 20, 5, null]),
      cohort('2026-11-09', 60, [60, 24, null, null]),
      cohort('2026-11-16', 7, [7, null, null, null], false),
    ],
    complete_through: '2026-11-21T10:00:00.000Z',
    ...changes,
  };
}

export function sampleSavedReport(changes: Partial<Report> = {}): Report {
  return {
    ...{ id: 'rpt_1', project_id: 'proj_1', key: null, managed_by: null, name: 'Every Monday' },
    items: [
      {
        ...{ title: 'Sign-ups', type: 'trend', event: 'signed up', event_type: 'track', last: '30d' },
        ...{ granularity: 'day', timezone: 'UTC', breakdown: null },
      },
      { title: 'Buying', type: 'funnel', flow_id: 'flw_1', group_by: 'release', last: '7d' },
      {
        ...{ title: 'Who comes back', type: 'retention', start: 'signed up', return: null, last: '90d' },
        ...{ granularity: 'week', cohort: 'first' },
      },
    ],
    ...{ created_at: '2026-11-20T09:00:00.000Z', updated_at: '2026-11-20T09:00:00.000Z' },
    ...changes,
  };
}

export function sampleEvent(changes: Partial<StoredEvent> = {}): StoredEvent {
  return {
    ...{ id: 'evt_1', name: 'signed up', type: 'track', external_user_id: 'u1', session_id: 's1' },
    ...{ timestamp: '2026-11-21T09:59:50.000Z', ingested_at: '2026-11-21T09:59:51.000Z', props: { plan: 'pro' } },
    ...changes,
  };
}

export function sampleEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ id: 'aud_1', at: '2026-11-21T09:00:00.000Z' },
    actor: { type: 'token', id: 'tok_1', name: 'Terraform', token: null },
    ...{ via: 'api', action: 'monitor.updated', resource: 'monitor', subject: 'mon_1', name: 'Shop' },
    ...{ before: { interval_seconds: 60 }, after: { interval_seconds: 30 }, also: [] },
    ...{ request_id: null, plan_id: null, detail: null },
    ...changes,
  };
}

export function sampleChange(changes: Partial<MonitorChange> = {}): MonitorChange {
  return { ...sampleEntry(), config_version: 2, drops_votes: false, ...changes };
}

export function sampleDelivery(changes: Partial<Delivery> = {}): Delivery {
  return {
    ...{ id: 'dlv_1', kind: 'operator', channel: 'email', subject: 'Shop is down', incident_id: null },
    ...{ alert_id: 'alr_1', group_id: null, channel_id: 'chn_1', route_id: 'rte_1', step: null, recipient_id: null },
    ...{ recipient: 'ops@example.com', state: 'sent', attempts: 1, error: null, next_attempt_at: null },
    ...{ created_at: '2026-11-21T09:50:11.000Z', sent_at: '2026-11-21T09:50:12.000Z' },
    ...changes,
  };
}

export function sampleVerdict(changes: Partial<VerdictRow> = {}): VerdictRow {
  return {
    ...{ verdict: 'up', since: '2026-11-20T10:00:00.000Z', until: null, decided_at: null, cause: 'vote' },
    ...{ revised: false, quorum: 2, config_version: 1, votes: [] },
    ...changes,
  };
}

export function sampleOccurrence(changes: Partial<Occurrence> = {}): Occurrence {
  return {
    ...{ id: 'occ_1', starts_at: '2026-12-01T02:00:00.000Z', ends_at: '2026-12-01T03:30:00.000Z' },
    ...{ original_start: '2026-12-01T02:00:00.000Z', state: 'scheduled', monitors: 1 },
    ...changes,
  };
}

export function samplePlanned(changes: Partial<PlannedOccurrence> = {}): PlannedOccurrence {
  return { ...sampleOccurrence(), maintenance_id: 'mnt_1', title: 'Database upgrade', announced: false, ...changes };
}

export function samplePromotion(changes: Partial<Promotion> = {}): Promotion {
  return {
    ...{ title: 'Payments unavailable', severity: 'p1', impact: 'major', status_page_id: 'sp_1' },
    ...{ affected_components: ['cmp_1'], components: [{ id: 'cmp_1', name: 'Payments' }], incident_id: null },
    initial_update: { state: 'investigating', body: 'We are looking into it.' },
    status_pages: [{ id: 'sp_1', name: 'Acme status' }],
    ...changes,
  };
}

const cannotTell = { status: 'cannot_tell', reason: 'no_events' } as const;

export function sampleImpact(changes: Partial<IncidentImpact> = {}): IncidentImpact {
  const unknown = { expected: null, low: null, high: null };
  return {
    ...{ definition: 1, computed_at: '2026-11-21T10:00:00.000Z', source: 'raw', estimated: true },
    window: { from: '2026-11-21T09:00:00.000Z', to: '2026-11-21T10:00:00.000Z' },
    users: { ...cannotTell, ...unknown, with_errors: null, active: null, affected: null, significant: null },
    missing: { ...cannotTell, ...unknown },
    releases: { status: 'none', candidates: [] },
    ...changes,
  };
}
