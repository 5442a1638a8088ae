import test from 'ava';
import { stringify } from 'yaml';
import { importGatus } from '#deploy/cli/import/gatus/gatus.ts';
import { SourceError } from '#deploy/cli/import/imported.ts';
import { choices, errorsOf, reported, resource } from './documents.ts';

// Written after TwiN/gatus `config.yaml`, `.examples/*/config/*.yaml` and its README.

const read = (config: object, environment: Record<string, string> = {}) =>
  importGatus([{ path: 'config.yaml', text: stringify(config) }], { ...choices, environment });
/** As Gatus writes it. */
const variable = (name: string) => `$\{${name}}`;
const endpoint = (given: object) => ({
  name: 'site',
  url: 'https://example.org/',
  conditions: ['[STATUS] == 200'],
  ...given,
});

test('the endpoints of the example become monitors of their kinds, and all of them plan', t => {
  const imported = read({
    endpoints: [
      endpoint({
        name: 'front-end',
        group: 'core',
        interval: '5m',
        conditions: ['[STATUS] == 200', '[BODY].status == UP', '[RESPONSE_TIME] < 150'],
      }),
      endpoint({ name: 'back-end', group: 'core', conditions: ['[STATUS] == 200', '[CERTIFICATE_EXPIRATION] > 48h'] }),
      {
        name: 'dns',
        url: '8.8.8.8',
        dns: { 'query-name': 'example.com', 'query-type': 'A' },
        conditions: ['[BODY] == pat(*.*.*.*)', '[DNS_RCODE] == NOERROR'],
      },
      { name: 'ping', url: 'icmp://example.org', interval: '10s', conditions: ['[CONNECTED] == true'] },
      { name: 'mail', url: 'starttls://smtp.example.org:587', conditions: ['[CERTIFICATE_EXPIRATION] > 720h'] },
      { name: 'cache', url: 'tcp://cache.example.org:6379', body: 'PING\r\n', conditions: ['[BODY] == pat(*PONG*)'] },
      { name: 'feed', url: 'wss://example.org/feed', body: 'hi', conditions: ['[BODY].type == hello'] },
      { name: 'rpc', url: 'grpcs://example.org:443', conditions: ['[BODY] == SERVING', '[CONNECTED] == true'] },
      { name: 'domain', url: 'https://example.org/', interval: '1h', conditions: ['[DOMAIN_EXPIRATION] > 720h'] },
      {
        name: 'both',
        url: 'https://www.example.co.uk/',
        conditions: ['[STATUS] == 200', '[DOMAIN_EXPIRATION] > 720h', '[DOMAIN_EXPIRATION] > 168h'],
      },
      { name: 'inside', url: 'https://nas.local/', conditions: ['[STATUS] == 200', '[DOMAIN_EXPIRATION] > 720h'] },
      { name: 'ssh', url: 'ssh://example.org', conditions: ['[CONNECTED] == true', '[STATUS] == 0'] },
      {
        name: 'shell',
        url: 'ssh://example.org:22',
        ssh: { username: 'probe', password: 'secret' },
        body: '{"command": "true"}',
        conditions: ['[STATUS] == 0'],
      },
    ],
    'external-endpoints': [{ name: 'job', group: 'core', token: 'potato', heartbeat: { interval: '30m' } }],
    ui: { header: 'Example' },
  });
  t.deepEqual(errorsOf(imported), []);
  t.like(resource(imported, 'monitors', 'core-front-end'), {
    name: 'front-end',
    url: 'https://example.org/',
    interval_seconds: 300,
    labels: { group: 'core' },
    assertions: [
      { type: 'status', operator: 'eq', value: 200 },
      { type: 'json_path', path: '$.status', operator: 'eq', value: 'UP' },
      { type: 'latency', operator: 'lt', value_ms: 150 },
    ],
  });
  t.deepEqual(resource(imported, 'monitors', 'core-back-end')?.alert_rules, {
    certificate: { thresholds: [{ days_left: 2, severity: 'p2' }] },
  });
  t.is(resource(imported, 'monitors', 'dns')?.url, 'dns://8.8.8.8/example.com?type=A');
  t.like(resource(imported, 'monitors', 'ping'), { url: 'ping://example.org', interval_seconds: 20 });
  t.like(resource(imported, 'monitors', 'mail'), { url: 'tls://smtp.example.org:587', tls: { starttls: 'smtp' } });
  t.like(resource(imported, 'monitors', 'cache')?.tcp, { read: true, send: { $env: 'MONITORS_CACHE_SEND' } });
  t.like(resource(imported, 'monitors', 'core-job'), { kind: 'heartbeat', interval_seconds: 1800 });
  t.like(reported(imported, 'endpoint', 'ping'), {
    outcome: 'changed',
    details: [{ field: 'interval', was: 10, now: 20 }],
  });
  t.is(reported(imported, 'endpoint', 'shell')?.outcome, 'left_out');
  const domainRules = (...days: number[]) => ({
    domain: { thresholds: days.map(days_left => ({ days_left, severity: 'p2' })) },
  });
  const ofDomain = resource(imported, 'monitors', 'domain');
  t.like(ofDomain, { name: 'domain', kind: 'domain', url: 'domain://example.org', alert_rules: domainRules(30) });
  t.is(ofDomain?.interval_seconds, undefined);
  const beside = { name: 'both (domain)', url: 'domain://example.co.uk', alert_rules: domainRules(30, 7) };
  t.like(resource(imported, 'monitors', 'both-domain'), beside);
  t.like(resource(imported, 'monitors', 'both'), { url: 'https://www.example.co.uk/' });
  t.is(reported(imported, 'domain of endpoint', 'inside')?.outcome, 'left_out');
  t.is(resource(imported, 'monitors', 'inside')?.url, 'https://nas.local/');
  t.like(resource(imported, 'monitors', 'ssh'), {
    url: 'tcp://example.org:22',
    tcp: { read: true },
    assertions: [{ type: 'body_contains', operator: 'matches', value: '^SSH-2\\.0' }],
  });
  t.is(reported(imported, 'setting', 'ui')?.outcome, 'left_out');
  t.is(imported.items.length, 17);
});

const conditions: [string, string, unknown][] = [
  ['http', '[STATUS] == any(200, 429)', { type: 'status', operator: 'in', value: [200, 429] }],
  ['http', '[STATUS] < 300', { type: 'status', operator: 'lt', value: 300 }],
  ['http', '200 == [STATUS]', { type: 'status', operator: 'eq', value: 200 }],
  ['http', '[STATUS] == pat(2*)', { type: 'status', operator: 'in', value: ['200-299'] }],
  [
    'http',
    '[BODY] == pat(*<h1>Example</h1>*)',
    { type: 'body_contains', operator: 'contains', value: '<h1>Example</h1>' },
  ],
  ['http', '[BODY] == a.b', { type: 'body_contains', operator: 'matches', value: '(?s)^a\\.b$' }],
  ['http', '[BODY] != any(a, b)', { type: 'body_contains', operator: 'not_matches', value: '(?s)^(?:a|b)$' }],
  ['http', '[BODY].data[0].id == 1', { type: 'json_path', path: '$.data[0].id', operator: 'in', value: [1, '1'] }],
  ['http', '[BODY].a-b != x', { type: 'json_path', path: "$['a-b']", operator: 'neq', value: 'x' }],
  [
    'http',
    '[BODY].name == pat(john*)',
    { type: 'json_path', path: '$.name', operator: 'matches', value: '(?s)^john.*$' },
  ],
  ['http', '[BODY].n >= 1.5', { type: 'json_path', path: '$.n', operator: 'gte', value: 1.5 }],
  ['http', 'has([BODY].errors) == false', { type: 'json_path', path: '$.errors', operator: 'not_exists' }],
  ['dns', '[BODY] == 93.184.215.14', { type: 'dns_record', operator: 'eq', value: '93.184.215.14' }],
  [
    'dns MX',
    '[BODY] == mail.example.com.',
    { type: 'dns_record', operator: 'matches', value: '^\\d+ (?:mail\\.example\\.com)$' },
  ],
  ['http', 'len([BODY].data) < 5', null],
  ['http', '[IP] == 127.0.0.1', null],
  ['http', '[BODY].age == [BODY].id', null],
  ['http', '[STATUS] == banana', null],
  ['tcp', '[BODY].a == 1', null],
  ['http', 'nonsense', null],
];

for (const [kind, condition, expected] of conditions)
  test(`the condition ${condition} of ${kind}`, t => {
    const [, type = 'A'] = kind.split(' ');
    const url = kind === 'tcp' ? 'tcp://example.org:1' : 'https://example.org/';
    const dns = kind.startsWith('dns')
      ? { url: '9.9.9.9', dns: { 'query-name': 'example.org', 'query-type': type } }
      : {};
    const imported = read({ endpoints: [endpoint({ url, conditions: [condition], ...dns })] });
    t.deepEqual(errorsOf(imported), []);
    const assertions = (resource(imported, 'monitors', 'site')?.assertions ?? []) as unknown[];
    if (expected !== null) t.deepEqual(assertions.at(-1), expected);
    else
      t.like(reported(imported, 'endpoint', 'site'), { outcome: 'changed', details: [{ was: condition, now: null }] });
  });

test('secrets go into the environment, and what the checks cannot do switches the monitor off', t => {
  const imported = read(
    {
      endpoints: [
        endpoint({
          url: 'https://me:pass%40word@example.org/x',
          headers: { 'X-Key': variable('API_KEY'), Accept: 'text/html' },
        }),
        endpoint({
          name: 'token',
          method: 'POST',
          body: '{"user": "me"}',
          headers: { Authorization: 'Bearer very-secret' },
        }),
        endpoint({
          name: 'signed',
          client: { oauth2: { 'client-secret': 'very-secret' }, insecure: true, timeout: '90s' },
        }),
        endpoint({
          name: 'client',
          client: {
            oauth2: {
              'token-url': 'https://id.example.org/token',
              'client-id': 'gatus',
              'client-secret': variable('API_KEY'),
              scopes: ['read', 'read'],
            },
          },
        }),
        endpoint({
          name: 'graph',
          method: 'POST',
          graphql: true,
          body: '{ a }',
          url: `https://${variable('HOST')}/graphql`,
        }),
      ],
    },
    { API_KEY: 'very-secret', HOST: 'api.example.org' },
  );
  t.deepEqual(errorsOf(imported), []);
  t.like(resource(imported, 'monitors', 'site'), {
    url: 'https://example.org/x',
    headers: { 'X-Key': { $env: 'API_KEY' }, Accept: 'text/html' },
    auth: { type: 'basic', username: 'me', password: { $env: 'MONITORS_SITE_PASSWORD' } },
  });
  t.like(imported.env, {
    API_KEY: 'very-secret',
    MONITORS_SITE_PASSWORD: 'pass@word',
    MONITORS_TOKEN_HEADERS_AUTHORIZATION: 'Bearer very-secret',
    MONITORS_GRAPH_BODY: '{"query":"{ a }"}',
  });
  t.like(resource(imported, 'monitors', 'signed'), { enabled: false, egress: { verify: false }, timeout_ms: 60_000 });
  const given = { token_url: 'https://id.example.org/token', client_id: 'gatus', scopes: ['read'] };
  const auth = { type: 'oauth2', ...given, client_secret: { $env: 'MONITORS_CLIENT_CLIENT_SECRET' } };
  t.like(resource(imported, 'monitors', 'client'), { auth, enabled: undefined });
  t.is(resource(imported, 'monitors', 'graph')?.url, 'https://api.example.org/graphql');
  const shown = JSON.stringify([imported.document, imported.items]);
  t.false(shown.includes('very-secret') || shown.includes('pass@word'));
});

test('alerts become channels and a route for each set of channels, thresholds become times', t => {
  const alerts = [{ type: 'slack' }, { type: 'pagerduty', 'failure-threshold': 5, 'minimum-reminder-interval': '30m' }];
  const imported = read({
    alerting: {
      slack: {
        'webhook-url': 'https://hooks.slack.com/services/very/secret',
        'default-alert': { 'failure-threshold': 2, 'send-on-resolved': true },
        overrides: [{ group: 'core', 'webhook-url': 'https://hooks.slack.com/services/other/secret' }],
      },
      pagerduty: { 'integration-key': '00112233445566778899aabbccddeeff' },
      twilio: { sid: 'x' },
    },
    endpoints: [
      endpoint({ name: 'one', alerts }),
      endpoint({ name: 'two', alerts: [{ type: 'slack' }] }),
      endpoint({ name: 'two', group: 'core', alerts: [{ type: 'slack' }, { type: 'twilio' }] }),
      endpoint({ name: 'three', alerts: [{ type: 'slack', enabled: false }] }),
    ],
    maintenance: { start: '23:00', duration: '1h', every: ['Sunday', 'Friday'], timezone: 'Europe/Berlin' },
  });
  t.deepEqual(errorsOf(imported), []);
  t.deepEqual(
    (imported.document.channels as { key: string }[]).map(({ key }) => key),
    ['slack', 'slack-core', 'pagerduty'],
  );
  const routes = imported.document.routes as { match: unknown; steps: unknown; remind_every_minutes?: number }[];
  t.is(routes.length, 3);
  t.like(routes[0], { match: { selector: '@name in (one)' }, remind_every_minutes: 30 });
  t.like(routes[1], { match: { selector: 'notify=slack' }, steps: [{ after_minutes: 0, channels: ['slack'] }] });
  t.like(routes[2], { match: { selector: 'group=core' }, steps: [{ after_minutes: 0, channels: ['slack-core'] }] });
  t.like(resource(imported, 'monitors', 'one')?.alert_rules, { confirm_seconds: 240, recover_seconds: 60 });
  t.is(resource(imported, 'monitors', 'three')?.alert_rules, undefined);
  t.like(resource(imported, 'maintenances', 'maintenance-all')?.schedule, {
    start: '2024-01-05T23:00:00',
    rrule: 'FREQ=WEEKLY;BYDAY=SU,FR',
  });
  t.is(reported(imported, 'alerting', 'twilio')?.outcome, 'left_out');
});

test('files are merged as Gatus does, and another file is refused in a sentence', t => {
  const files = [
    { path: 'b.yaml', text: 'endpoints: [{name: two, url: "icmp://b.example", conditions: ["[CONNECTED] == true"]}]' },
    { path: 'a.yaml', text: 'endpoints: [{name: one, url: "icmp://a.example", conditions: ["[CONNECTED] == true"]}]' },
  ];
  t.deepEqual(
    (importGatus(files, choices).document.monitors as { key: string }[]).map(({ key }) => key),
    ['one', 'two'],
  );
  t.throws(() => importGatus([{ path: 'x.yaml', text: 'modules: {}' }], choices), { instanceOf: SourceError });
  t.throws(() => importGatus([{ path: 'x.yaml', text: '{' }], choices), { message: /^x\.yaml is not valid YAML: / });
});
