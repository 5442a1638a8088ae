const checked = { interval_seconds: 60, regions: ['eu-west', 'us-east'] };

const http = {
  name: 'Checkout',
  url: 'https://shop.example.com/checkout',
  interval_seconds: 30,
  regions: ['eu-west', 'us-east', 'ap-south'],
  quorum: 2,
  assertions: [
    { type: 'status', operator: 'eq', value: 200 },
    { type: 'body_contains', value: 'Sign in' },
  ],
  alert_policy: { severity: 'p1', escalate_after_minutes: 15 },
  labels: { env: 'prod', service: 'checkout' },
};

const steps = [
  {
    name: 'Sign in',
    url: 'https://shop.example.com/sessions',
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"user":"probe","password":"{{secret.SHOP_PASSWORD|json}}"}',
    extract: [{ name: 'token', from: 'json_path', path: '$.token' }],
  },
  {
    name: 'Open the cart',
    url: 'https://shop.example.com/cart',
    headers: { Authorization: 'Bearer {{token}}' },
    assertions: [{ type: 'status', operator: 'eq', value: 200 }],
  },
];

/** A body of POST for a monitor of each kind. */
export const kindExamples = {
  http,
  tcp: {
    name: 'Cache',
    url: 'tcp://cache.example.com:6379',
    ...checked,
    tcp: { send: 'PING\r\n', read: true },
    assertions: [{ type: 'body_contains', value: 'PONG' }],
  },
  tls: { name: 'Mail', url: 'tls://mail.example.com:587', ...checked, tls: { starttls: 'smtp' } },
  dns: {
    name: 'Mail exchanger',
    url: 'dns://192.0.2.53/example.com?type=MX',
    ...checked,
    assertions: [{ type: 'dns_record', operator: 'eq', value: '10 mail.example.com' }],
  },
  ping: {
    name: 'Router',
    url: 'ping://192.0.2.1',
    ...checked,
    ping: { count: 5 },
    assertions: [{ type: 'packet_loss', operator: 'lte', value: 0.4, on_fail: 'warn' }],
  },
  grpc: { name: 'Orders', url: 'grpcs://orders.example.com:443', ...checked, grpc: { service: 'shop.Orders' } },
  websocket: { name: 'Prices', url: 'wss://prices.example.com/feed', ...checked, websocket: { read: true } },
  multistep: { kind: 'multistep', name: 'Sign in', ...checked, multistep: { steps } },
  heartbeat: {
    kind: 'heartbeat',
    name: 'Backup',
    heartbeat: { cron: '30 2 * * *', timezone: 'Europe/Berlin', grace_seconds: 1800 },
    assertions: [{ type: 'run_seconds', operator: 'lte', value: 3600, on_fail: 'warn' }],
  },
  domain: { name: 'Our name', url: 'domain://example.com' },
  events: {
    kind: 'events',
    name: 'Paid orders',
    events: {
      event: { name: 'order_paid', where: [{ prop: 'country', op: 'eq', value: 'DE' }] },
      window_seconds: 1800,
      against: 'week_before',
    },
    assertions: [{ type: 'measured', operator: 'gte', value: 0.5 }],
  },
};

const { http: tested, heartbeat: _heartbeat, domain: _domain, ...others } = kindExamples;

const testOf = ({ name: _name, ...settings }: { name: string }) => settings;

/** Several bodies for an operation that takes alternatives, by the operation's name and that of the alternative. */
export const choiceExamples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createMonitor: kindExamples,
  testMonitor: {
    http: {
      url: tested.url,
      interval_seconds: 30,
      regions: ['eu-west', 'us-east'],
      headers: { Authorization: '********' },
      monitor_id: 'mon_01kay5t9c3fzq8w2k6n7v4b1hm',
      assertions: tested.assertions,
    },
    ...Object.fromEntries(Object.entries(others).map(([kind, body]) => [kind, testOf(body)])),
  },
};
