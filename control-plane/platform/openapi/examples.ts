import { kindExamples } from './kind-examples.ts';

const steps = [
  { name: 'Sees the price', event: 'pricing_viewed' },
  { name: 'Signs up', event: 'signed_up', where: [{ prop: 'plan', op: 'in', value: ['team', 'business'] }] },
];

const maintenance = {
  title: 'Database upgrade',
  description: 'The shop is read-only.',
  scope: { component_ids: ['comp_01kay5t9c3fzq8w2k6n7v4b1hm'] },
  schedule: {
    start: '2026-12-06T02:00:00',
    timezone: 'Europe/Berlin',
    duration_seconds: 3600,
    rrule: 'FREQ=MONTHLY;BYDAY=1SU',
  },
  announced: true,
};

/** A body for each operation that takes one, by the operation's name. A test holds each against its schema. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  planConfig: {
    documents: [
      {
        path: 'upquorum.yaml',
        text:
          'upquorum: 1\nmanager: git-ops\nmonitors:\n  - { key: shop, name: Shop, url: "https://shop.example.com/", ' +
          'interval_seconds: 60, regions: [eu-west] }\n',
      },
    ],
    prune: true,
  },
  applyConfig: { plan_id: 'pln_01kay5t9c3fzq8w2k6n7v4b1hm', expected_deletes: 0 },
  releaseConfig: { manager: 'git-ops' },
  updateMe: { name: 'Ada Lovelace', preferences: { theme: 'dark', timezone: 'Europe/Berlin' } },
  createOwnToken: {
    project_id: 'proj_01kay5t9c3fzq8w2k6n7v4b1hm',
    name: 'Command line',
    scopes: ['monitors:write', 'alerts:read'],
    expires_at: '2026-12-31T00:00:00Z',
  },
  renamePasskey: { name: 'Laptop' },
  updateMember: { role: 'editor' },
  createGroupRole: { group: 'sre', role: 'responder' },
  createInvitation: { role: 'responder', email: 'ada@example.com' },
  updatePerson: { state: 'deactivated' },
  createProject: { name: 'Shop', plan: 'team' },
  updateProject: { allowed_origins: ['https://shop.example.com'] },
  createToken: { name: 'CI', scopes: ['monitors:write', 'releases:write'], expires_at: '2027-12-31T00:00:00Z' },
  createComponent: {
    status_page_id: 'sp_01kay5t9c3fzq8w2k6n7v4b1hm',
    name: 'Checkout',
    group: 'Shop',
    monitor_selector: 'service=checkout, env=prod',
  },
  updateComponent: { status: 'partial_outage' },
  orderComponents: {
    status_page_id: 'sp_01kay5t9c3fzq8w2k6n7v4b1hm',
    components: [
      { id: 'comp_01kay5v2r8d4m6x1s9p3j7q5ek', group: 'Shop' },
      { id: 'comp_01kay5t9c3fzq8w2k6n7v4b1hm', group: 'Shop' },
    ],
  },
  createMonitor: kindExamples.http,
  updateMonitor: { interval_seconds: 60, assertions: kindExamples.http.assertions },
  bulkChangeMonitors: {
    selector: 'env=staging',
    action: 'patch',
    patch: { interval_seconds: 300 },
    expected_count: 24,
  },
  backtestMonitor: { changes: { quorum: 1, alert_rules: { confirm_seconds: 60 } } },
  checkMonitorNow: { regions: ['eu-west'] },
  importMonitorHistory: {
    source: 'Uptime Kuma',
    from: '2026-10-01T00:00:00Z',
    until: '2026-10-02T00:00:00Z',
    rows: [
      { since: '2026-10-01T00:00:00Z', verdict: 'up' },
      { since: '2026-10-01T09:30:00Z', verdict: 'down', estimated: true },
      { since: '2026-10-01T09:42:00Z', verdict: 'up' },
    ],
  },
  createIncident: {
    title: 'Payments fail',
    severity: 'p1',
    impact: 'major',
    status_page_id: 'sp_01kay5t9c3fzq8w2k6n7v4b1hm',
    affected_components: ['comp_01kay5t9c3fzq8w2k6n7v4b1hm'],
    initial_update: { state: 'investigating', body: 'Card payments fail. We are looking into it.' },
  },
  importIncidents: {
    status_page_id: 'sp_01kay5t9c3fzq8w2k6n7v4b1hm',
    source: 'Statuspage',
    incidents: [
      {
        external_id: 'p31zjtct2jer',
        title: 'Payments failed',
        severity: 'p2',
        impact: 'partial',
        started_at: '2026-03-04T09:12:00Z',
        updates: [
          { state: 'investigating', body: 'Card payments fail.', posted_at: '2026-03-04T09:20:00Z' },
          { state: 'resolved', body: 'Payments work again.', posted_at: '2026-03-04T10:01:00Z' },
        ],
      },
    ],
  },
  updateIncident: { title: 'Card payments fail', impact: 'partial' },
  createIncidentUpdate: { state: 'identified', body: 'Our payment provider is down. We are switching to another one.' },
  updateIncidentUpdate: { body: 'Our payment provider is down. We have switched to another one.' },
  resolveIncident: { body: 'Payments work again.' },
  promoteAlert: { severity: 'p1', status_page_id: 'sp_01kay5t9c3fzq8w2k6n7v4b1hm' },
  createStatusPage: { name: 'Example Shop', slug: 'example-shop', timezone: 'Europe/Berlin', theme: 'auto' },
  updateStatusPage: { color: '#0b6bcb', home_url: 'https://shop.example.com' },
  createStatusPageDomain: { domain: 'status.shop.example.com' },
  previewStatusPage: { name: 'Example Shop status', color: '#0b6bcb' },
  createAgent: { region: 'office', name: 'office-1' },
  createSecret: { name: 'SHOP_TOKEN', value: 'a-long-token', hosts: ['*.example.com'] },
  updateSecret: { value: 'its-successor' },
  createWall: { name: 'Operations room', selector: 'env=prod' },
  createStatusPageSubscriber: { email: 'ada@example.com', component_ids: ['comp_01kay5t9c3fzq8w2k6n7v4b1hm'] },
  importSubscribers: {
    consent: 'Subscribed to our former status page and confirmed there',
    subscribers: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }],
  },
  createWebhook: { url: 'https://hooks.example.com/upquorum', kinds: ['alert.opened', 'alert.resolved'] },
  updateWebhook: { enabled: false },
  rotateMonitorSecret: { overlap_seconds: 86_400 },
  rotateSignalKey: { value: null, overlap_seconds: 86_400 },
  rotateWebhookSecret: { overlap_seconds: 86_400 },
  connectSlack: { bot_token: 'xoxb-0000-your-token' },
  ingestEvents: [
    {
      type: 'track',
      name: 'signed_up',
      external_user_id: 'user-42',
      timestamp: '2026-11-22T09:30:00Z',
      props: { plan: 'team' },
    },
  ],
  createChannel: { name: 'On call', type: 'slack', config: { channel: '#alerts' } },
  updateChannel: { detail: 'brief' },
  testChannelDraft: { type: 'email', config: { to: ['ada@example.com'] } },
  createRoute: {
    name: 'Production',
    match: { selector: 'env=prod' },
    steps: [
      { after_minutes: 0, channel_ids: ['chn_01kay5t9c3fzq8w2k6n7v4b1hm'] },
      { after_minutes: 15, channel_ids: ['chn_01kay5v2r8d4m6x1s9p3j7q5ek'] },
    ],
    remind_every_minutes: 30,
    quiet_hours: { timezone: 'Europe/Berlin', days: ['sa', 'su'], from: '22:00', to: '08:00' },
  },
  updateRoute: { enabled: false },
  orderRoute: { ids: ['rte_01kay5t9c3fzq8w2k6n7v4b1hm', 'rte_01kay5v2r8d4m6x1s9p3j7q5ek'] },
  matchRoute: { labels: { env: 'prod' }, severity: 'p1' },
  createMaintenance: maintenance,
  previewMaintenance: maintenance,
  updateMaintenance: { title: 'Database upgrade, second part' },
  extendMaintenance: { ends_at: '2026-12-06T03:00:00Z' },
  endMaintenance: {},
  cancelMaintenance: {},
  createMaintenanceUpdate: { state: 'verifying', body: 'The upgrade is done. We are checking the result.' },
  updateMaintenanceUpdate: { body: 'The upgrade is done. We have checked the result.' },
  createRelease: { version: '2026.11.3', environment: 'production', commit_sha: '4f5ca1e' },
  createReport: {
    name: 'Every Monday',
    items: [
      { title: 'Orders', type: 'trend', event: 'order paid', last: '90d', granularity: 'week' },
      { title: 'Sign-up', type: 'funnel', flow_id: 'flow_01kay5t9c3fzq8w2k6n7v4b1hm', group_by: 'release' },
      { title: 'Who comes back', type: 'retention', start: 'signed up', return: 'order paid', last: '90d' },
    ],
  },
  updateReport: { name: 'Every week' },
  createFlow: { name: 'Sign-up', steps, window_seconds: 86_400 },
  updateFlow: { steps },
};

const lines = (...texts: readonly string[]) => texts.map(text => `${text}\n`).join('');

const exportedLines = lines(
  '{"id":"evt_01kay5t9c3fzq8w2k6n7v4b1hm","name":"paid","type":"track","timestamp":"2026-11-22T09:30:00.000Z",' +
    '"ingested_at":"2026-11-22T09:30:01.000Z","external_user_id":"u1","session_id":null,"props":{"plan":"team"}}',
  '{"complete":true,"count":1}',
);

/** The response of each operation that can answer with text, by the operation's name, or by name and media type. */
export const textExamples: Readonly<Record<string, string>> = {
  exportEvents: exportedLines,
  'exportEvents text/csv': lines(
    'id,name,type,timestamp,ingested_at,external_user_id,session_id,props',
    'evt_01kay5t9c3fzq8w2k6n7v4b1hm,paid,track,2026-11-22T09:30:00.000Z,2026-11-22T09:30:01.000Z,u1,,' +
      '"{""plan"":""team""}"',
  ),
  exportUser: exportedLines,
  getConfigPlan: lines('<!-- upquorum-plan:git-ops -->', '', '### Plan of git-ops: **1** to update · 14 unchanged'),
  listAudit: lines(
    '{"id":"aud_01kay5t9c3fzq8w2k6n7v4b1hm","at":"2026-11-22T09:30:00.000Z","action":"monitor.paused"}',
    '{"id":"aud_01kay5v2r8d4m6x1s9p3j7q5ek","at":"2026-11-22T09:34:00.000Z","action":"monitor.resumed"}',
  ),
  listInstallationAudit: lines(
    '{"id":"aud_01kay5t9c3fzq8w2k6n7v4b1hm","at":"2026-11-22T09:30:00.000Z","action":"person.created"}',
  ),
  getMonitorMetrics: lines(
    '# TYPE upquorum_monitor_up gauge',
    'upquorum_monitor_up{monitor_id="mon_01kay5t9c3fzq8w2k6n7v4b1hm",name="Checkout"} 1',
    '# EOF',
  ),
  exportConfig: lines(
    'upquorum: 1',
    'manager: git-ops',
    'monitors:',
    '  - key: shop',
    '    name: Shop',
    '    url: https://shop.example.com/',
  ),
  getTrends: lines('{"counted":0,"parts":7}', '{"counted":1,"parts":7}'),
  getFlowReport: '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Sign-up"></svg>',
};
