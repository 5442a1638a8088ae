const assertions = [
  { type: 'status', operator: 'eq', value: 200 },
  { type: 'body_contains', value: 'Sign in' },
];

const steps = [
  { name: 'Sees the price', event: 'pricing_viewed' },
  { name: 'Signs up', event: 'signed_up', where: [{ prop: 'plan', op: 'in', value: ['team', 'business'] }] },
];

const maintenance = {
  title: 'Database upgrade',
  description: 'The shop is read-only.',
  scope: { component_ids: ['cmp_7HnUw3Zk'] },
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
  updateProject: { allowed_origins: ['https://shop.example.com'] },
  createToken: { name: 'CI', scopes: ['monitors:write', 'releases:write'], expires_at: '2027-12-31T00:00:00Z' },
  createComponent: {
    status_page_id: 'stp_2xRmTqD6',
    name: 'Checkout',
    group: 'Shop',
    monitor_selector: 'service=checkout, env=prod',
  },
  updateComponent: { status: 'partial_outage' },
  createMonitor: {
    name: 'Checkout',
    url: 'https://shop.example.com/checkout',
    interval_seconds: 30,
    regions: ['eu-west', 'us-east', 'ap-south'],
    quorum: 2,
    assertions,
    alert_policy: { severity: 'p1', escalate_after_minutes: 15 },
    labels: { env: 'prod', service: 'checkout' },
  },
  updateMonitor: { interval_seconds: 60, assertions },
  bulkChangeMonitors: {
    selector: 'env=staging',
    action: 'patch',
    patch: { interval_seconds: 300 },
    expected_count: 24,
  },
  backtestMonitor: { changes: { quorum: 1, alert_rules: { confirm_seconds: 60 } } },
  checkMonitorNow: { regions: ['eu-west'] },
  createIncident: {
    title: 'Payments fail',
    severity: 'p1',
    impact: 'major',
    status_page_id: 'stp_2xRmTqD6',
    affected_components: ['cmp_7HnUw3Zk'],
    initial_update: { state: 'investigating', body: 'Card payments fail. We are looking into it.' },
  },
  updateIncident: { title: 'Card payments fail', impact: 'partial' },
  createIncidentUpdate: { state: 'identified', body: 'Our payment provider is down. We are switching to another one.' },
  updateIncidentUpdate: { body: 'Our payment provider is down. We have switched to another one.' },
  resolveIncident: { body: 'Payments work again.' },
  promoteAlert: { severity: 'p1', status_page_id: 'stp_2xRmTqD6' },
  createStatusPage: { name: 'Example Shop', slug: 'example-shop', timezone: 'Europe/Berlin', theme: 'auto' },
  updateStatusPage: { color: '#0b6bcb', home_url: 'https://shop.example.com' },
  createStatusPageSubscriber: { email: 'ada@example.com', component_ids: ['cmp_7HnUw3Zk'] },
  importSubscribers: {
    consent: 'Subscribed to our former status page and confirmed there',
    subscribers: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }],
  },
  createWebhook: { url: 'https://hooks.example.com/upquorum', kinds: ['alert.opened', 'alert.resolved'] },
  updateWebhook: { enabled: false },
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
      { after_minutes: 0, channel_ids: ['chn_5WqKb8Rj'] },
      { after_minutes: 15, channel_ids: ['chn_9TmXc2Vd'] },
    ],
    remind_every_minutes: 30,
    quiet_hours: { timezone: 'Europe/Berlin', days: ['sa', 'su'], from: '22:00', to: '08:00' },
  },
  updateRoute: { enabled: false },
  orderRoute: { ids: ['rte_3FhLs6Yn', 'rte_8ZkPd1Wg'] },
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
  createFlow: { name: 'Sign-up', steps, window_seconds: 86_400 },
  updateFlow: { steps },
};
