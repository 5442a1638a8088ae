import test from 'ava';
import fc from 'fast-check';
import { type Item, SourceError } from '#deploy/cli/import/imported.ts';
import { openDatabase } from '#deploy/cli/import/kuma/database.ts';
import { historyOf } from '#deploy/cli/import/kuma/history.ts';
import { importKuma } from '#deploy/cli/import/kuma/kuma.ts';
import { type Beat, type Bucket, readBackup } from '#deploy/cli/import/kuma/source.ts';
import { choices, errorsOf, reported, resource } from './documents.ts';
import { kumaTime, type Tables, writeKumaDatabase } from './kuma-database.ts';

const { nowMs } = choices;
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

async function read(version: 1 | 2, tables: Tables) {
  using source = await openDatabase(writeKumaDatabase(version, tables));
  const imported = importKuma(source, choices);
  return { ...imported, history: imported.history.map(one => ({ ...one, rows: [...one.rows] })) };
}

const monitor = (given: Item) => ({
  name: 'Site',
  active: 1,
  interval: 60,
  type: 'http',
  url: 'https://example.org/',
  maxretries: 0,
  retry_interval: 60,
  maxredirects: 10,
  accepted_statuscodes_json: '["200-299"]',
  method: 'GET',
  expiry_notification: 1,
  timeout: 48,
  ...given,
});

const rowsOfEachType: Item[] = [
  { id: 1, type: 'group', name: 'Shop', url: null },
  { id: 2, parent: 1, name: 'Front', maxretries: 2, retry_interval: 30, resend_interval: 10, maxredirects: 0 },
  {
    id: 3,
    type: 'keyword',
    name: 'Text',
    keyword: 'ok',
    invert_keyword: 1,
    accepted_statuscodes_json: '["200-299","404"]',
  },
  { id: 4, type: 'json-query', name: 'Json', json_path: 'a.b[0]', expected_value: '1' },
  { id: 5, type: 'json-query', name: 'Expression', json_path: '$count(a)', expected_value: '1' },
  { id: 6, type: 'port', name: 'Port', hostname: 'db.example.org', port: 5432, url: 'https://' },
  { id: 7, type: 'ping', name: 'Ping', hostname: '2001:db8::1', interval: 10, timeout: 2 },
  {
    id: 8,
    type: 'dns',
    name: 'Dns',
    hostname: 'example.org',
    dns_resolve_server: '1.1.1.1, 9.9.9.9',
    dns_resolve_type: 'MX',
    port: 53,
  },
  { id: 9, type: 'push', name: 'Push', push_token: 'abcdef0123456789', interval: 300 },
  { id: 10, type: 'docker', name: 'Docker' },
  { id: 11, name: 'Upside', upside_down: 1 },
  {
    id: 12,
    name: 'Off',
    active: 0,
    ignore_tls: 1,
    auth_method: 'basic',
    basic_auth_user: 'me',
    basic_auth_pass: 'very-secret',
  },
  {
    id: 13,
    name: 'Post',
    method: 'POST',
    body: '{"a": 1}',
    headers: '{"X-Key": "very-secret"}',
    http_body_encoding: 'json',
  },
  { id: 14, name: 'Single sign-on', auth_method: 'oauth2-cc', expiry_notification: 0 },
  { id: 15, name: 'Wrong', url: 'https://' },
  {
    id: 16,
    type: 'grpc-keyword',
    name: 'Rpc',
    grpc_url: 'rpc.example.org:443',
    grpc_enable_tls: 1,
    keyword: 'SERVING',
    grpc_service_name: 'grpc.health.v1.Health',
    grpc_method: 'Check',
    grpc_body: '{"service": "shop"}',
  },
  { id: 17, name: 'Behind a proxy', proxy_id: 1 },
];

for (const version of [1, 2] as const)
  test(`each monitor of a database of version ${version} is in the report, and those with a like plan`, async t => {
    const imported = await read(version, {
      monitor: rowsOfEachType.map(monitor),
      tag: [{ id: 1, name: 'Team', color: '#fff' }],
      monitor_tag: [
        { id: 1, monitor_id: 2, tag_id: 1, value: 'web' },
        { id: 2, monitor_id: 3, tag_id: 1, value: '' },
      ],
      proxy: [
        {
          id: 1,
          protocol: 'http',
          host: 'proxy.example.org',
          port: 3128,
          auth: 1,
          username: 'me',
          password: 'very-secret',
          active: 1,
        },
      ],
    });
    t.deepEqual(errorsOf(imported), []);
    t.is(imported.version, String(version));
    for (const { name } of rowsOfEachType) t.truthy(reported(imported, 'monitor', String(name)), String(name));
    for (const name of ['Expression', 'Docker', 'Upside', 'Wrong'])
      t.is(reported(imported, 'monitor', name)?.outcome, 'left_out', name);
    t.like(resource(imported, 'monitors', 'front'), {
      labels: { group: 'Shop', team: 'web' },
      alert_rules: { confirm_seconds: 60 },
      follow_redirects: false,
      timeout_ms: 48_000,
    });
    t.like(resource(imported, 'monitors', 'text'), {
      labels: { team: 'true' },
      assertions: [
        { type: 'status', operator: 'in', value: ['200-299', 404] },
        { type: 'body_contains', operator: 'not_contains', value: 'ok' },
      ],
    });
    t.deepEqual(resource(imported, 'monitors', 'json')?.assertions, [
      { type: 'json_path', path: '$.a.b[0]', operator: 'in', value: [1, '1'] },
    ]);
    t.like(resource(imported, 'monitors', 'ping'), {
      url: 'ping://[2001:db8::1]',
      interval_seconds: 20,
      ping: { count: 1 },
    });
    t.is(resource(imported, 'monitors', 'dns')?.url, 'dns://1.1.1.1/example.org?type=MX');
    t.deepEqual(resource(imported, 'monitors', 'push')?.heartbeat, {
      grace_seconds: 60,
      aliases: [{ $env: 'MONITORS_PUSH_ALIAS' }],
    });
    t.is(imported.env.MONITORS_PUSH_ALIAS, 'abcdef0123456789');
    t.like(resource(imported, 'monitors', 'off'), { enabled: false, egress: { verify: false } });
    t.like(resource(imported, 'monitors', 'post')?.headers, { 'Content-Type': 'application/json' });
    t.like(resource(imported, 'monitors', 'single-sign-on'), {
      enabled: false,
      alert_rules: { certificate: { enabled: false } },
    });
    t.like(resource(imported, 'monitors', 'rpc'), { url: 'grpcs://rpc.example.org:443', grpc: { service: 'shop' } });
    t.like(resource(imported, 'monitors', 'behind-a-proxy')?.egress, {
      proxy: { url: 'http://proxy.example.org:3128', username: 'me' },
    });
    t.false(JSON.stringify([imported.document, imported.items]).includes('very-secret'));
  });

test('notifications become channels, and each set of them a route', async t => {
  const notification = (id: number, name: string, config: Item) => ({
    id,
    name,
    active: 1,
    config: JSON.stringify(config),
  });
  const imported = await read(1, {
    monitor: [1, 2, 3].map(id => monitor({ id, name: `M${id}`, resend_interval: id === 3 ? 10 : 0 })),
    notification: [
      notification(1, 'Ops', { type: 'discord', discordWebhookUrl: 'https://discord.com/api/webhooks/1/very-secret' }),
      notification(2, 'Ops', { type: 'smtp', smtpTo: 'a@example.org, B <b@example.org>', smtpPassword: 'very-secret' }),
      notification(3, 'Home', { type: 'HomeAssistant' }),
      notification(4, 'Chat', { type: 'telegram', telegramBotToken: 'wrong', telegramChatID: '1' }),
    ],
    monitor_notification: [
      [1, 1],
      [1, 2],
      [2, 1],
      [3, 1],
      [3, 3],
    ].map(([monitor_id, notification_id], index) => ({
      id: index + 1,
      monitor_id,
      notification_id,
    })),
  });
  t.deepEqual(errorsOf(imported), []);
  t.deepEqual(
    (imported.document.channels as Item[]).map(({ name, type }) => [name, type]),
    [
      ['Ops', 'discord'],
      ['Ops 2', 'email'],
    ],
  );
  const routes = imported.document.routes as Item[];
  t.deepEqual(
    routes.map(({ match, remind_every_minutes }) => [(match as Item).selector, remind_every_minutes]),
    [
      ['@name in (M1)', undefined],
      ['@name in (M2)', undefined],
      ['@name in (M3)', 10],
    ],
  );
  for (const name of ['Home', 'Chat']) t.is(reported(imported, 'notification', name)?.outcome, 'left_out');
  t.false(JSON.stringify([imported.document, imported.items]).includes('very-secret'));
});

test('pages have a component for each monitor, and windows occur when Kuma has them', async t => {
  const window = (given: Item) => ({
    active: 1,
    description: '',
    timezone: 'Europe/Berlin',
    weekdays: '[]',
    days_of_month: '[]',
    ...given,
  });
  const imported = await read(2, {
    monitor: [
      monitor({ id: 1, name: 'Web' }),
      monitor({ id: 2, name: 'Web' }),
      monitor({ id: 3, type: 'docker', name: 'Box' }),
      monitor({ id: 4, type: 'group', name: 'All' }),
    ],
    status_page: [
      { id: 1, slug: 'default', title: 'Acme', icon: '/icon.svg', theme: 'auto', published: 1, custom_css: 'body {}' },
      { id: 2, slug: 'hidden', title: 'Hidden', icon: '', theme: 'dark', published: 0 },
    ],
    status_page_cname: [{ id: 1, status_page_id: 1, domain: 'status.example.org' }],
    group: [
      { id: 1, name: 'Services', active: 1, weight: 2, status_page_id: 1 },
      { id: 2, name: 'First', active: 1, weight: 1, status_page_id: 1 },
    ],
    monitor_group: [
      { id: 1, monitor_id: 1, group_id: 1, weight: 1 },
      { id: 2, monitor_id: 3, group_id: 1, weight: 2 },
      { id: 3, monitor_id: 2, group_id: 2, weight: 1 },
      { id: 4, monitor_id: 4, group_id: 2, weight: 2 },
    ],
    incident: [{ id: 1, title: 'Pinned', content: 'x', status_page_id: 1 }],
    maintenance: [
      window({
        id: 1,
        title: 'Once',
        strategy: 'single',
        start_date: '2026-12-01 02:00',
        end_date: '2026-12-01 03:00',
      }),
      window({
        id: 2,
        title: 'Weekly',
        strategy: 'recurring-weekday',
        start_time: '23:30',
        end_time: '00:30',
        weekdays: '[0,5]',
      }),
      window({
        id: 3,
        title: 'Monthly',
        strategy: 'recurring-day-of-month',
        start_time: '01:00',
        end_time: '02:00',
        days_of_month: '[31,"lastDay1"]',
      }),
      window({
        id: 4,
        title: 'Cron',
        strategy: 'cron',
        cron: '30 3 * * *',
        duration: 3600,
        timezone: 'SAME_AS_SERVER',
      }),
      window({ id: 5, title: 'Often', strategy: 'cron', cron: '*/5 * * * *', duration: 60 }),
      window({ id: 6, title: 'By hand', strategy: 'manual' }),
      window({
        id: 7,
        title: 'Over',
        strategy: 'single',
        start_date: '2020-12-01 02:00',
        end_date: '2020-12-01 03:00',
      }),
      window({
        id: 8,
        title: 'Each third',
        strategy: 'recurring-interval',
        start_time: '01:00',
        end_time: '02:00',
        interval_day: 3,
        start_date: '2026-01-05 00:00:00',
      }),
    ],
    monitor_maintenance: [1, 2, 3, 4, 5, 6, 7, 8].map(id => ({ id, monitor_id: 1, maintenance_id: id })),
    maintenance_status_page: [{ id: 1, status_page_id: 1, maintenance_id: 1 }],
    setting: [{ id: 1, key: 'serverTimezone', value: '"Asia/Tokyo"' }],
  });
  t.deepEqual(errorsOf(imported), []);
  t.deepEqual(resource(imported, 'status_pages', 'default')?.components, [
    { key: 'web', name: 'Web', group: 'First', monitors: ['web-2'] },
    { key: 'all', name: 'All', group: 'First', monitor_selector: 'group="All"' },
    { key: 'web-2', name: 'Web', group: 'Services', monitors: ['web'] },
  ]);
  t.like(resource(imported, 'maintenances', 'once'), {
    starts_at: '2026-12-01T01:00:00.000Z',
    scope: { monitors: ['web'], status_pages: ['default'] },
  });
  const schedules: [string, Item][] = [
    [
      'weekly',
      {
        start: '2024-01-05T23:30:00',
        timezone: 'Europe/Berlin',
        duration_seconds: 3600,
        rrule: 'FREQ=WEEKLY;BYDAY=SU,FR',
      },
    ],
    [
      'monthly',
      {
        start: '2024-01-31T01:00:00',
        timezone: 'Europe/Berlin',
        duration_seconds: 3600,
        rrule: 'FREQ=MONTHLY;BYMONTHDAY=31,-1',
      },
    ],
    ['cron', { start: '2024-01-01T03:30:00', timezone: 'Asia/Tokyo', duration_seconds: 3600, rrule: 'FREQ=DAILY' }],
    [
      'each-third',
      {
        start: '2026-01-05T01:00:00',
        timezone: 'Europe/Berlin',
        duration_seconds: 3600,
        rrule: 'FREQ=DAILY;INTERVAL=3',
      },
    ],
  ];
  for (const [key, schedule] of schedules)
    t.deepEqual(resource(imported, 'maintenances', key)?.schedule, schedule, key);
  for (const title of ['Often', 'By hand', 'Over'])
    t.is(reported(imported, 'maintenance', title)?.outcome, 'left_out', title);
  t.is(reported(imported, 'status_page', 'Hidden')?.outcome, 'left_out');
  t.like(reported(imported, 'status_page', 'Acme'), {
    outcome: 'changed',
    details: [{ field: 'custom_css' }, { field: 'component', was: 'Box' }],
  });
  for (const [type, name] of [
    ['domain', 'status.example.org'],
    ['incident', 'Pinned'],
  ] as const)
    t.is(reported(imported, type, name)?.outcome, 'left_out');
});

test('the JSON backup of version 1 is read like a database', t => {
  const text = JSON.stringify({
    version: '1.23.16',
    notificationList: [
      { id: 3, name: 'Hook', active: true, config: '{"type": "webhook", "webhookURL": "https://example.org/h"}' },
    ],
    monitorList: [
      {
        id: 7,
        name: 'Api',
        type: 'keyword',
        url: 'https://example.org',
        keyword: 'ok',
        interval: 60,
        retryInterval: 20,
        maxretries: 3,
        accepted_statuscodes: ['200-299'],
        maxredirects: 0,
        ignoreTls: true,
        active: true,
        notificationIDList: { 3: true },
        tags: [{ tag_id: 1, name: 'env', value: 'prod' }],
      },
    ],
  });
  const imported = importKuma(readBackup('backup.json', text), choices);
  t.deepEqual(errorsOf(imported), []);
  t.like(resource(imported, 'monitors', 'api'), {
    labels: { env: 'prod' },
    follow_redirects: false,
    egress: { verify: false },
    alert_rules: { confirm_seconds: 60 },
  });
  t.like(imported.document.routes, [
    { match: { selector: 'env=prod' }, steps: [{ after_minutes: 0, channels: ['hook'] }] },
  ]);
  t.throws(() => readBackup('x.json', '{}'), { instanceOf: SourceError });
});

test('another file than a database of Kuma is refused in a sentence', async t => {
  await t.throwsAsync(openDatabase('/nowhere/kuma.db'), {
    instanceOf: SourceError,
    message: /is no database of SQLite/,
  });
});

const spans = (beats: Beat[], buckets: Bucket[] = [], from = 0, until = day) =>
  historyOf('m', { beats, buckets, intervalMs: minute }, { from, until })?.rows.map(
    ({ since, verdict, estimated }) => `${since / minute} ${verdict}${estimated ? ' ~' : ''}`,
  );

test('a status holds to the next check, at most two intervals or five minutes', t => {
  const beats = (...given: [number, number][]) => given.map(([at, status]) => ({ at: at * minute, status }));
  t.deepEqual(spans(beats([1, 1], [2, 2], [3, 0], [4, 3], [5, 1])), [
    '1 up',
    '3 down',
    '4 paused',
    '5 up',
    '10 undetermined',
  ]);
  t.deepEqual(spans(beats([1, 1], [30, 1])), ['1 up', '6 undetermined', '30 up', '35 undetermined']);
  t.is(spans([]), undefined);
});

test('where checks are gone, the share that was down stands at the beginning of its hour or day', t => {
  const hourly: Bucket[] = [{ at: 0, seconds: 3600, up: 45, down: 15 }];
  t.deepEqual(spans([{ at: 90 * minute, status: 1 }], hourly), [
    '0 down ~',
    '15 up ~',
    '60 undetermined',
    '90 up',
    '95 undetermined',
  ]);
  const daily: Bucket[] = [{ at: -day, seconds: 86_400, up: 1, down: 1 }];
  t.deepEqual(spans([], [...daily, ...hourly], -day, hour), ['-1440 down ~', '-720 up ~', '0 down ~', '15 up ~']);
});

test('rows of any history are ascending, within its time, and change with each row', t => {
  const beat = fc.record({ at: fc.integer({ min: -day, max: 2 * day }), status: fc.integer({ min: 0, max: 3 }) });
  const bucket = fc.record({
    at: fc.integer({ min: -24, max: 48 }).map(at => at * hour),
    seconds: fc.constantFrom(3600, 86_400),
    up: fc.nat(60),
    down: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(beat), fc.uniqueArray(bucket, { selector: ({ at }) => at }), (beats, buckets) => {
      const ordered = beats.toSorted((left, right) => left.at - right.at);
      const sorted = buckets.toSorted((left, right) => left.at - right.at);
      const history = historyOf('m', { beats: ordered, buckets: sorted, intervalMs: minute }, { from: 0, until: day });
      for (const [index, row] of (history?.rows ?? []).entries()) {
        const before = history?.rows[index - 1];
        if (row.since < 0 || row.since >= day || (before !== undefined && before.since >= row.since)) return false;
        if (before?.verdict === row.verdict && before.estimated === row.estimated) return false;
      }
      return true;
    }),
  );
  t.pass();
});

test('the history of a database is that of its checks', async t => {
  const imported = await read(2, {
    monitor: [monitor({ id: 1, name: 'Web' })],
    heartbeat: [
      { id: 1, monitor_id: 1, status: 1, time: kumaTime(nowMs - 10 * minute) },
      { id: 2, monitor_id: 1, status: 0, time: kumaTime(nowMs - 8 * minute) },
      { id: 3, monitor_id: 1, status: 1, time: kumaTime(nowMs - 100 * day) },
    ],
    stat_daily: [{ id: 1, monitor_id: 1, timestamp: (nowMs - 2 * day) / 1000, up: 1, down: 0 }],
  });
  t.deepEqual(imported.history, [
    {
      key: 'web',
      from: nowMs - 2 * day,
      until: nowMs,
      rows: [
        { since: nowMs - 2 * day, verdict: 'up', estimated: true },
        { since: nowMs - day, verdict: 'undetermined', estimated: false },
        { since: nowMs - 10 * minute, verdict: 'up', estimated: false },
        { since: nowMs - 8 * minute, verdict: 'down', estimated: false },
        { since: nowMs - 3 * minute, verdict: 'undetermined', estimated: false },
      ],
    },
  ]);
});

test('servers of mail are asked for TLS or a greeting, and each domain is watched once', async t => {
  const watched = { domain_expiry_notification: 1 };
  const mail = (smtp_security: string | null, port: number) => ({
    type: 'smtp',
    name: String(smtp_security),
    hostname: 'mx.example.co.uk',
    port,
    smtp_security,
  });
  const imported = await read(2, {
    monitor: [
      monitor({ id: 1, name: 'Www', url: 'https://www.example.org/', ...watched }),
      monitor({ id: 2, name: 'Api', url: 'https://api.example.org/', ...watched }),
      monitor({ id: 3, ...mail('secure', 465), ...watched }),
      monitor({ id: 4, ...mail('starttls', 587) }),
      monitor({ id: 5, ...mail(null, 25) }),
      monitor({ id: 6, name: 'Nas', url: 'http://nas.local/', ...watched }),
      monitor({ id: 7, name: 'Address', url: 'http://192.0.2.1/', ...watched }),
      monitor({ id: 8, name: 'Off', url: 'https://example.net/', active: 0, ...watched }),
    ],
    setting: [{ id: 1, key: 'domainExpiryNotifyDays', value: '[7,30]' }],
  });
  t.deepEqual(errorsOf(imported), []);
  t.like(resource(imported, 'monitors', 'secure'), { url: 'tls://mx.example.co.uk:465', tls: undefined });
  t.like(resource(imported, 'monitors', 'starttls'), { url: 'tls://mx.example.co.uk:587', tls: { starttls: 'smtp' } });
  t.like(resource(imported, 'monitors', 'null'), { url: 'tcp://mx.example.co.uk:25', tcp: { read: true } });
  const domains = (imported.document.monitors as Item[]).filter(({ kind }) => kind === 'domain');
  t.deepEqual(
    domains.map(({ name, url }) => [name, url]),
    [
      ['example.org', 'domain://example.org'],
      ['example.co.uk', 'domain://example.co.uk'],
    ],
  );
  const thresholds = [30, 7].map(days_left => ({ days_left, severity: 'p2' }));
  t.deepEqual(domains[0]?.alert_rules, { domain: { thresholds } });
  t.is(reported(imported, 'domain', 'example.org')?.outcome, 'carried');
});

test('client credentials are carried; without all of them the monitor is switched off', async t => {
  const given = {
    auth_method: 'oauth2-cc',
    oauth_token_url: 'https://id.example.org/token',
    oauth_client_id: 'kuma',
    oauth_client_secret: 'very-secret',
    oauth_scopes: 'read  write',
    oauth_auth_method: 'client_secret_post',
    oauth_audience: 'shop',
  };
  const imported = await read(2, {
    monitor: [
      monitor({ id: 1, name: 'Whole', ...given }),
      monitor({ id: 2, name: 'Half', ...given, oauth_token_url: '' }),
    ],
  });
  t.deepEqual(errorsOf(imported), []);
  t.deepEqual(resource(imported, 'monitors', 'whole')?.auth, {
    type: 'oauth2',
    token_url: 'https://id.example.org/token',
    client_id: 'kuma',
    client_secret: { $env: 'MONITORS_WHOLE_CLIENT_SECRET' },
    scopes: ['read', 'write'],
    audience: 'shop',
    client_auth: 'body',
  });
  t.like(resource(imported, 'monitors', 'half'), { enabled: false, auth: undefined });
  t.false(JSON.stringify([imported.document, imported.items]).includes('very-secret'));
});
