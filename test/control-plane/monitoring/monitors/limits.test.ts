import test from 'ava';
import { assertionCases } from '#test/support/assertion-cases.ts';
import { createRegions, createTenant, type Reply } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const text = (length: number) => 'x'.repeat(length);
const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'v']));

/** Changes of a valid body and the errors they cause, as `pointer code`; none if it is valid. */
type Case = readonly [changes: Record<string, unknown>, ...faults: string[]];

const cases: Record<string, readonly Case[]> = {
  name: [
    [{ name: 'a' }],
    [{ name: text(200) }],
    [{ name: ` ${text(200)} ` }],
    [{ name: text(201) }, '/name too_long'],
    [{ name: '' }, '/name too_short'],
    [{ name: ' \t ' }, '/name too_short'],
    ...['a\u0000b', 'a\u007f', 'a\u001b[31m', 'a\nb', 'a\tb', 'a\ud800'].map(
      (name): Case => [{ name }, '/name format'],
    ),
    [{ name: 1 }, '/name type'],
    [{ name: null }, '/name type'],
  ],
  url: [
    ...[
      'http://a',
      'https://a.example/b?c=d#e',
      'HTTPS://A.example',
      'http://[::1]:8080/',
      'http://127.0.0.1',
      'http://h./?a\\b',
      ' http://h/a b/{c} ',
    ].map((url): Case => [{ url }]),
    [{ url: `https://a/${text(2038)}` }],
    [{ url: `https://a/${text(2039)}` }, '/url too_long'],
    [{ url: `https://a/${text(2036)} x` }, '/url too_long'],
    ...[
      '',
      'a',
      '//a',
      'http://',
      'ftp://a',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http:a',
      'http://a:65536',
      'http://a b/',
      'http://[::1',
      'http://h/\n',
      '\nhttp://h/',
      'http://h/\t',
      'http://h/\u0000',
      'http://h\\@evil/',
      'http://h/a\\b',
      'http:///x',
      'http:////x',
      'http:\\\\x',
      'http://h:0/',
      'http://.',
      'http://a..b/',
      'http://.a/',
      `http://${text(64)}.a/`,
    ].map((url): Case => [{ url }, '/url format']),
    ...['http://u@a', 'http://u:p@a', 'http://:p@a', 'https://u%40b:p@a/'].map((url): Case => [{ url }, '/url format']),
    [{ url: 5 }, '/url type'],
    [{ url: null }, '/url type'],
  ],
  method: [
    ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method): Case => [{ method }]),
    ...['get', 'TRACE', 'CONNECT', '', 'toString', 1].map((method): Case => [{ method }, '/method enum']),
  ],
  interval_seconds: [
    ...[10, 11, 86_399, 86_400].map((interval_seconds): Case => [{ interval_seconds }]),
    ...[9, 0, -10, 86_401, 1e15].map(
      (interval_seconds): Case => [{ interval_seconds }, '/interval_seconds out_of_range'],
    ),
    ...[10.5, '60', null, true].map((interval_seconds): Case => [{ interval_seconds }, '/interval_seconds type']),
  ],
  timeout_ms: [
    ...[500, 501, 59_999, 60_000, null].map((timeout_ms): Case => [{ timeout_ms }]),
    ...[499, 0, -1, 60_001].map((timeout_ms): Case => [{ timeout_ms }, '/timeout_ms out_of_range']),
    ...[500.5, '500', true].map((timeout_ms): Case => [{ timeout_ms }, '/timeout_ms type']),
    [{ interval_seconds: 10, timeout_ms: 10_000 }],
    [{ interval_seconds: 10, timeout_ms: 10_001 }, '/timeout_ms out_of_range'],
  ],
  quorum: [
    ...[1, 2, 3, null].map((quorum): Case => [{ quorum }]),
    ...[0, -1, 4, 33].map((quorum): Case => [{ quorum }, '/quorum out_of_range']),
    ...[1.5, '1', true].map((quorum): Case => [{ quorum }, '/quorum type']),
  ],
  headers: [
    [{ headers: {} }],
    [{ headers: headers(50) }],
    [{ headers: headers(51) }, '/headers too_long'],
    [{ headers: { "!#$%&'*+-.^_`|~09azAZ": 'v', [text(256)]: '' } }],
    [{ headers: { [text(257)]: 'v' } }, `/headers/${text(257)} format`],
    [{ headers: { a: `\t ~${text(8189)}` } }],
    [{ headers: { a: text(8193) } }, '/headers/a too_long'],
    [
      { headers: { 'a b': 'v', 'c/d': 'v', é: 'v', 'e:': 'v' } },
      '/headers/a b format',
      '/headers/c~1d format',
      '/headers/e: format',
      '/headers/é format',
    ],
    [{ headers: { '': 'v' } }, '/headers format'],
    [
      { headers: { a: '\r', b: 'x\n y', c: '\u0000', d: '\u0001' } },
      ...['a', 'b', 'c', 'd'].map(name => `/headers/${name} format`),
    ],
    [{ headers: { a: 1, b: null, c: ['v'] } }, '/headers/a type', '/headers/b type', '/headers/c type'],
    [{ headers: { 'X-A': 'v', 'x-a': 'w' } }, '/headers/x-a not_allowed'],
    ...[
      'Connection',
      'content-length',
      'TRANSFER-ENCODING',
      'upgrade',
      'Keep-Alive',
      'TE',
      'trailer',
      'expect',
      'Proxy-Connection',
      'Proxy-Authorization',
    ].map((name): Case => [{ headers: { [name]: 'v' } }, `/headers/${name} not_allowed`]),
    [{ headers: { a: '********', b: '*******', c: '*********' } }, '/headers/a not_allowed'],
    [{ headers: JSON.parse('{"__proto__": "v"}') }, '/headers/__proto__ not_allowed'],
    [{ headers: [] }, '/headers type'],
    [{ headers: 'a: b' }, '/headers type'],
    [{ headers: null }, '/headers type'],
  ],
  body: [
    [{ method: 'POST', body: '' }],
    [{ method: 'POST', body: null }],
    [{ method: 'DELETE', body: text(65_536) }],
    [{ method: 'PUT', body: 'é'.repeat(32_768) }],
    [{ method: 'POST', body: text(65_537) }, '/body too_long'],
    [{ method: 'POST', body: 'é'.repeat(32_769) }, '/body too_long'],
    [{ method: 'POST', body: 'a\r\n\tb' }],
    [{ method: 'POST', body: 'a\u0000' }, '/body format'],
    [{ method: 'POST', body: {} }, '/body type'],
    [{ method: 'GET', body: null }],
    [{ method: 'GET', body: 'a' }, '/body not_allowed'],
    [{ method: 'HEAD', body: 'a' }, '/body not_allowed'],
  ],
  'switches and references': [
    [{ follow_redirects: false, enabled: false }],
    ...['true', 1, null].map(
      (value): Case => [{ follow_redirects: value, enabled: value }, '/enabled type', '/follow_redirects type'],
    ),
    [{ component_ids: [] }],
    [
      { component_ids: ['comp_x', 'comp_y'] },
      '/component_ids/0 unknown_reference',
      '/component_ids/1 unknown_reference',
    ],
    [{ component_ids: [1] }, '/component_ids/0 type'],
    [{ component_ids: 'comp_x' }, '/component_ids type'],
  ],
  alert_policy: [
    ...[{}, null, { severity: 'p1' }, { severity: 'p3', slack_channel: null, escalate_after_minutes: null }].map(
      (alert_policy): Case => [{ alert_policy }],
    ),
    ...['p0', 'p4', 'P1', 1, null].map(
      (severity): Case => [{ alert_policy: { severity } }, '/alert_policy/severity enum'],
    ),
    ...['#a', `#${text(80)}`, 'C0123ABCD'].map((slack_channel): Case => [{ alert_policy: { slack_channel } }]),
    ...['', '#', 'a', '#a b', `#${text(81)}`, '@a', '##a'].map(
      (slack_channel): Case => [{ alert_policy: { slack_channel } }, '/alert_policy/slack_channel format'],
    ),
    ...[1, 2, 1439, 1440].map((escalate_after_minutes): Case => [{ alert_policy: { escalate_after_minutes } }]),
    ...[0, -1, 1441].map(
      (escalate_after_minutes): Case => [
        { alert_policy: { escalate_after_minutes } },
        '/alert_policy/escalate_after_minutes out_of_range',
      ],
    ),
    ...[1.5, '5'].map(
      (escalate_after_minutes): Case => [
        { alert_policy: { escalate_after_minutes } },
        '/alert_policy/escalate_after_minutes type',
      ],
    ),
    [{ alert_policy: { channel: 'x' } }, '/alert_policy/channel not_allowed'],
    [{ alert_policy: 'p1' }, '/alert_policy type'],
  ],
  assertions: [
    [{ assertions: [] }],
    [{ assertions: Array(50).fill({ type: 'status', operator: 'eq', value: 200 }) }],
    [{ assertions: Array(51).fill({ type: 'status', operator: 'eq', value: 200 }) }, '/assertions too_long'],
    [{ assertions: [{ type: 'json_path', path: '$["\u0000"]', operator: 'exists' }] }, '/assertions/0/path format'],
    [{ assertions: [{ type: 'body_contains', value: '\u0001' }] }, '/assertions/0/value format'],
    [{ assertions: {} }, '/assertions type'],
    [{ assertions: null }, '/assertions type'],
  ],
  'fields that cannot be set are read_only if they exist, and not_allowed if they do not': [
    ...['id', 'project_id', 'status', 'status_since', 'votes', 'config_version', 'created_at', 'updated_at'].map(
      (name): Case => [{ [name]: 'x' }, `/${name} read_only`],
    ),
    ...['foo', 'deleted_at', 'intervalSeconds', 'toString', ''].map(
      (name): Case => [{ [name]: 1 }, `/${name} not_allowed`],
    ),
    [{ headers: { 'a/b~c': '\n' } }, '/headers/a~1b~0c format'],
  ],
};

for (const [name, table] of Object.entries(cases))
  test.serial(`${name}: each limit is exactly where the contract puts it, on POST and on PATCH`, async t => {
    const world = await openMonitorWorld(t, databaseOf());
    for (const [changes, ...faults] of table) {
      const what = JSON.stringify(changes).slice(0, 200);
      const posted = await world.post(changes);
      t.deepEqual(verdictOf(posted), verdict(201, faults), `POST ${what}`);
      const { id } = (await world.post()).body;
      t.deepEqual(verdictOf(await world.patch(id, changes)), verdict(200, faults), `PATCH ${what}`);
    }
  });

test.serial('assertions: every type, operator and value is accepted or refused as the contract says', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post()).body;
  for (const [assertion, ...faults] of assertionCases) {
    const first = { type: 'status', operator: 'eq', value: 200 };
    const answer = await world.patch(id, { assertions: [first, assertion] });
    const expected = faults.map(fault => `/assertions/1${fault}`.replace('/assertions/1 /', '/assertions/1/'));
    t.deepEqual(verdictOf(answer), verdict(200, expected), JSON.stringify(assertion).slice(0, 200));
  }
  t.is(
    (
      await world.post({
        assertions: assertionCases
          .filter(([, ...faults]) => faults.length === 0)
          .slice(0, 50)
          .map(([assertion]) => assertion),
      })
    ).status,
    201,
  );
});

test.serial('an invalid status code in a list is out_of_range, as it is alone', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const answer = await world.post({ assertions: [{ type: 'status', operator: 'in', value: [99] }] });
  t.deepEqual(faultsOf(answer), ['/assertions/0/value/0 out_of_range']);
});

test.serial('regions: 1 to 32 distinct codes that exist for the project; each wrong one is named', async t => {
  const world = await openMonitorWorld(t, databaseOf(), 33);
  const stranger = await createTenant(databaseOf());
  const [foreign, shared] = [`foreign-${stranger.projectId.slice(-8)}`, `shared-${stranger.projectId.slice(-8)}`];
  await createRegions(databaseOf(), [foreign], stranger.projectId);
  await createRegions(databaseOf(), [shared]);
  const [one = '', two = ''] = world.regions;
  const table: readonly Case[] = [
    [{ regions: [one] }],
    [{ regions: [one, shared] }],
    [{ regions: world.regions.slice(0, 32) }],
    [{ regions: world.regions }, '/regions too_long'],
    [{ regions: [] }, '/regions too_short'],
    [{ regions: [one, 'nowhere', two, foreign] }, '/regions/1 unknown_reference', '/regions/3 unknown_reference'],
    [{ regions: [one, two, one, one] }, '/regions/2 not_allowed', '/regions/3 not_allowed'],
    [{ regions: [one.toUpperCase()] }, '/regions/0 unknown_reference'],
    [{ regions: [''] }, '/regions/0 unknown_reference'],
    [{ regions: [1, null] }, '/regions/0 type', '/regions/1 type'],
    [{ regions: one }, '/regions type'],
    [{ regions: null }, '/regions type'],
    [{ regions: world.regions.slice(0, 32), quorum: 32 }],
    [{ regions: [one, two], quorum: 3 }, '/quorum out_of_range'],
  ];
  for (const [changes, ...faults] of table)
    t.deepEqual(verdictOf(await world.post(changes)), verdict(201, faults), JSON.stringify(changes).slice(0, 200));
});

test.serial(
  'who names an unknown region reads which are available, at most ten, and none of another project',
  async t => {
    const world = await openMonitorWorld(t, databaseOf(), 2);
    const stranger = await createTenant(databaseOf());
    await createRegions(databaseOf(), [`aa-${stranger.projectId.slice(-8)}`], stranger.projectId);
    const namedIn = async ({ post }: typeof world): Promise<string[]> => {
      const { detail } = (await post({ regions: ['nowhere'] })).body.errors[0];
      t.true(detail.startsWith('is not an available region; available: '));
      return detail.split(': ')[1].split(', ');
    };
    const named = await namedIn(world);
    t.deepEqual(new Set(named.slice(0, 2)), new Set(world.regions), 'its own come first');
    t.false(named.includes(`aa-${stranger.projectId.slice(-8)}`));
    const large = await openMonitorWorld(t, databaseOf(), 12);
    const first = await namedIn(large);
    t.deepEqual([first.length, first.at(-1)], [11, '…']);
    t.true(first.slice(0, 10).every(code => large.regions.includes(code)));
  },
);

test.serial('every missing required field is named, on POST only', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const required = ['/interval_seconds required', '/name required', '/regions required', '/url required'];
  t.deepEqual(faultsOf(await world.api('POST', '/v0/monitors', {})), required);
  t.deepEqual(faultsOf(await world.api('POST', '/v0/monitors')), required);
  for (const name of ['name', 'url', 'interval_seconds', 'regions'])
    t.deepEqual(faultsOf(await world.post({ [name]: undefined })), [`/${name} required`]);
  const { id } = (await world.post()).body;
  t.is((await world.patch(id, {})).status, 200);
  for (const body of ['null', '[]', '1', '"a"']) t.deepEqual(faultsOf(await world.patch(id, body)), [' type'], body);
});

test.serial('beside a URL or a kind that is wrong, only what is wrong with its kind is named', async t => {
  const { api } = await openMonitorWorld(t, databaseOf());
  const post = async (fields: object) => faultsOf(await api('POST', '/v0/monitors', { name: 'm', ...fields }));
  for (const url of ['domain://127.1', 'domain://co.uk']) {
    t.deepEqual(await post({ url }), ['/url format'], url);
    t.deepEqual(await post({ url, regions: ['a'] }), [
      '/regions not_allowed',
      '/regions/0 unknown_reference',
      '/url format',
    ]);
    const tried = await api('POST', '/v0/monitors/test', { url });
    t.is(tried.body.code, 'wrong_kind', 'no agent checks it, however the name is spelled');
  }
  t.deepEqual(await post({ url: 'tcp://h:0' }), ['/interval_seconds required', '/regions required', '/url format']);
  t.deepEqual(await post({ kind: 'ftp' }), ['/kind enum']);
});

test.serial('another kind is refused by itself, and the fields of the stored one are its own', async t => {
  const { api, post, patch } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post()).body;
  t.deepEqual(faultsOf(await patch(id, { kind: 'tcp' })), ['/kind read_only']);
  t.deepEqual(faultsOf(await patch(id, { kind: 'tcp', url: 'tcp://h:1' })), ['/kind read_only', '/url format']);
  const tried = await api('POST', `/v0/monitors/${id}/backtest`, { changes: { kind: 'tcp' } });
  t.deepEqual(faultsOf(tried), ['/changes/kind read_only']);
  const body = { url: 'tcp://h:1', body: 'x' };
  t.deepEqual(faultsOf(await post(body)), ['/body not_allowed']);
});

test.serial('sizes of texts are bytes of UTF-8, and each fault is named once', async t => {
  const { api, post } = await openMonitorWorld(t, databaseOf());
  const basic = (changes: object) => post({ auth: { type: 'basic', username: 'u', password: 'p', ...changes } });
  const secret = (description: string) => api('POST', '/v0/secrets', { name: 'S', value: text(8), description });
  const [wide, step] = ['ü', { name: 'a', url: 'https://a.example/{{secret.S}}' }];
  for (const [answer, ...faults] of [
    [await basic({ username: wide.repeat(128) }), '/auth/username too_long'],
    [await basic({ username: `${wide.repeat(127)}x`, password: wide.repeat(512) })],
    [await basic({ password: wide.repeat(513) }), '/auth/password too_long'],
    [await post({ auth: { type: 'bearer', token: '' } }), '/auth/token too_short'],
    [await secret(wide.repeat(251)), '/description too_long'],
    [await secret(wide.repeat(250))],
    [
      await post({ url: undefined, kind: 'multistep', multistep: { steps: [step] } }),
      '/multistep/steps/0/url not_allowed',
    ],
  ] as const)
    t.deepEqual(verdictOf(answer), verdict(201, faults));
});

test.serial('all errors of a body are reported at once', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const shape = await world.post({
    id: 'mon_x',
    name: '',
    url: 'ftp://a',
    method: 'TRACE',
    interval_seconds: 9,
    timeout_ms: 1,
    regions: [],
    quorum: 0,
    assertions: [
      { type: 'status', operator: 'eq', value: 1 },
      { type: 'nothing' },
      { type: 'latency_p95', operator: 'gt', value_ms: 0 },
    ],
    headers: { connection: 'close', 'a b': 'v' },
    alert_policy: { severity: 'p9', escalate_after_minutes: 0, foo: 1 },
    enabled: 'yes',
    foo: 1,
  });
  t.deepEqual(faultsOf(shape), [
    '/alert_policy/escalate_after_minutes out_of_range',
    '/alert_policy/foo not_allowed',
    '/alert_policy/severity enum',
    '/assertions/0/value out_of_range',
    '/assertions/1/type enum',
    '/assertions/2/operator enum',
    '/assertions/2/value_ms out_of_range',
    '/enabled type',
    '/foo not_allowed',
    '/headers/a b format',
    '/headers/connection not_allowed',
    '/id read_only',
    '/interval_seconds out_of_range',
    '/method enum',
    '/name too_short',
    '/quorum out_of_range',
    '/regions too_short',
    '/timeout_ms out_of_range',
    '/url format',
  ]);
  const between = await world.post({
    interval_seconds: 10,
    timeout_ms: 20_000,
    quorum: 9,
    body: 'a',
    regions: ['nowhere'],
    headers: { a: '********' },
    component_ids: ['comp_x'],
  });
  t.deepEqual(faultsOf(between), [
    '/body not_allowed',
    '/component_ids/0 unknown_reference',
    '/headers/a not_allowed',
    '/quorum out_of_range',
    '/regions/0 unknown_reference',
    '/timeout_ms out_of_range',
  ]);
});

test.serial('errors of fields and errors between fields are reported together', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const answer = await world.post({ name: '', quorum: 9, regions: ['nowhere'] });
  t.deepEqual(faultsOf(answer), ['/name too_short', '/quorum out_of_range', '/regions/0 unknown_reference']);
  const { id } = (await world.post({ interval_seconds: 10 })).body;
  const patched = await world.patch(id, { interval_seconds: 'x', timeout_ms: 20_000, regions: [], quorum: 9, id: 'x' });
  const expected = ['/id read_only', '/interval_seconds type', '/regions too_short'];
  t.deepEqual(faultsOf(patched), expected, 'stored values are not checked against invalid new ones');
});

test.serial('a configuration of more than 64 KiB is refused as a whole, on POST and PATCH', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const sized = (values: number) => ({
    assertions: Array.from({ length: 3 }, () => ({
      type: 'header',
      name: 'a',
      operator: 'in',
      value: Array.from({ length: values }, () => text(4096)),
    })),
  });
  const [fits, exceeds] = [sized(5), sized(6)];
  const { id } = (await world.post()).body;
  t.is((await world.patch(id, fits)).status, 200);
  for (const answer of [await world.post({ ...exceeds }), await world.patch(id, exceeds)])
    t.deepEqual(verdictOf(answer), verdict(422, [' too_long']));
  const wide = { headers: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x-${index}`, text(200)])) };
  t.deepEqual(verdictOf(await world.patch(id, wide)), verdict(422, [' too_long']), 'together with the stored settings');
});

test.serial('at most 100 errors are reported for one body', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const component_ids = Array.from({ length: 100 }, (_, index) => `comp_${index}`);
  t.is((await world.post({ component_ids, regions: ['nowhere'] })).body.errors.length, 100);
});

test.serial('omitted fields take the defaults of the contract', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const made = await world.post();
  t.is(made.headers.location, `/v0/monitors/${made.body.id}`);
  const { id, created_at, updated_at, status_since, ...rest } = made.body;
  t.regex(id, /^mon_[0-9a-hjkmnp-tv-z]{26}$/);
  for (const time of [created_at, updated_at, status_since]) t.regex(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.deepEqual(rest, {
    ...world.body,
    project_id: world.projectId,
    key: null,
    managed_by: null,
    kind: 'http',
    method: 'GET',
    timeout_ms: 30_000,
    quorum: 2,
    assertions: [],
    headers: {},
    body: null,
    follow_redirects: true,
    auth: null,
    egress: null,
    http_version: '1.1',
    alert_policy: { severity: 'p2', slack_channel: null, escalate_after_minutes: null },
    alert_rules: {
      confirm_seconds: 0,
      recover_seconds: 0,
      flap: null,
      degraded: null,
      certificate: { enabled: true, thresholds: null, in_verdict: false },
      domain: null,
    },
    component_ids: [],
    labels: {},
    enabled: true,
    status: 'pending',
    maintenance: null,
    unable_regions: world.regions.map(region => ({ region, reason: 'no_agent', missing: [] })),
    votes: world.regions.map(region => ({
      region,
      vote: 'unknown',
      since: null,
      as_of: null,
      reason: 'no_result',
      partial_addresses: null,
    })),
    config_version: 1,
    rules_version: 1,
  });
  t.deepEqual((await world.api('GET', `/v0/monitors/${id}`)).body, made.body);
  t.is((await world.post({ interval_seconds: 10 })).body.timeout_ms, 10_000);
  const quorums = [1, 2, 3].map(
    async count => (await world.post({ regions: world.regions.slice(0, count) })).body.quorum,
  );
  t.deepEqual(await Promise.all(quorums), [1, 2, 2]);
});

function verdictOf(reply: Reply): { status: number; faults: string[] } {
  return { status: reply.status, faults: faultsOf(reply) };
}

function verdict(success: number, faults: readonly string[]): { status: number; faults: string[] } {
  return { status: faults.length === 0 ? success : 422, faults: [...faults].sort() };
}
