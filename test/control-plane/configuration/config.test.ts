import test, { type ExecutionContext } from 'ava';
import { dayMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { pngFile } from '#test/support/pictures.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);

type Fields = Record<string, unknown>;

async function openWorld(t: ExecutionContext) {
  const world = await openMonitorWorld(t, databaseOf());
  const plan = (text: string, options: Fields = {}) =>
    world.api('POST', '/v0/config/plan', { documents: [{ path: 'upquorum.yaml', text }], ...options });
  const apply = (id: string, options: Fields = {}) =>
    world.api('POST', '/v0/config/apply', { plan_id: id, ...options });
  const both = async (text: string, options: Fields = {}) => {
    const planned = await plan(text, options);
    t.is(planned.status, 200, JSON.stringify(planned.body));
    const applied = await apply(planned.body.id, { expected_deletes: planned.body.counts.delete });
    t.is(applied.status, 200, JSON.stringify(applied.body));
    return applied.body;
  };
  const regions = world.regions.slice(0, 3).join(', ');
  const defaults = `{ monitors: { interval_seconds: 60, regions: [${regions}] } }`;
  const head = `upquorum: 1\nmanager: git-ops\ndefaults: ${defaults}\n`;
  return { ...world, plan, apply, both, head };
}

const at = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
const whole = `
channels:
  - { key: ops, name: Ops, type: webhook, config: { url: { $env: HOOK } } }
flows:
  - { key: signup, name: Sign up, steps: [{ event: open }, { event: done }] }
monitors:
  - key: api
    name: API
    url: "https://api.example.com/"
    labels: { env: prod }
    headers: { Authorization: { $env: API_TOKEN } }
  - { key: beat, name: Backup, kind: heartbeat, interval_seconds: 300 }
status_pages:
  - key: acme
    name: Acme
    slug: SLUG
    components:
      - { key: web, name: Web }
      - { key: api, name: API, monitors: [api] }
routes:
  - { key: prod, name: Prod, match: { selector: "env=prod" }, steps: [{ after_minutes: 0, channels: [ops] }] }
  - { key: rest, name: Rest, steps: [{ after_minutes: 0, channels: [ops] }] }
maintenances:
  - key: weekly
    title: Weekly
    starts_at: "${at(2)}"
    ends_at: "${at(3)}"
    scope: { monitors: [api], components: [acme/api], status_pages: [acme] }
reports:
  - key: monday
    name: Every Monday
    items:
      - { title: Orders, type: trend, event: [paid, refunded], last: 90d, granularity: week }
      - { title: Sign-up, type: funnel, flow: signup, group_by: release }
      - { title: Who comes back, type: retention, start: signed up }
`;
const env = { HOOK: 'https://hooks.example.com/very-secret', API_TOKEN: 'Bearer very-secret' };

test.serial('documents become resources of every type; planned again, all are unchanged', async t => {
  const { api, both, plan, head, projectId } = await openWorld(t);
  const text = head + whole.replace('SLUG', `acme-${projectId.slice(-8)}`);
  const applied = await both(text, { env });
  t.like(applied, { manager: 'git-ops', counts: { create: 11, update: 0, unchanged: 0, conflict: 0 }, remaining: 0 });
  t.false(JSON.stringify(applied).includes('very-secret'));
  const [beat, monitor] = (await api('GET', '/v0/monitors')).body.data;
  t.like(beat, { key: 'beat', managed_by: 'git-ops', kind: 'heartbeat' });
  t.like(monitor, {
    key: 'api',
    managed_by: 'git-ops',
    interval_seconds: 60,
    headers: { Authorization: 'Bearer very-secret' },
  });
  const { data: components } = (await api('GET', '/v0/components')).body;
  t.like(
    components.find(({ key }: Fields) => key === 'api'),
    { managed_by: 'git-ops', monitor_ids: [monitor.id], position: 1 },
  );
  t.like((await api('GET', '/v0/maintenances')).body.data[0], { key: 'weekly', managed_by: 'git-ops' });
  const again = await plan(text, { env });
  t.like(again.body, { counts: { create: 0, update: 0, unchanged: 11 }, actions: [], applicable: true });
  const entries = async () => (await api('GET', '/v0/audit?limit=200')).body.data;
  const before = await entries();
  t.like(before[0], { action: 'config.applied', via: 'apply', plan_id: applied.id });
  t.false(JSON.stringify(before).includes('very-secret'));
  await both(text, { env });
  t.is((await entries()).length, before.length, 'an apply without changes writes nothing');
  const monitorAfter = (await api('GET', `/v0/monitors/${monitor.id}`)).body;
  t.is(monitorAfter.updated_at, monitor.updated_at);
});

test.serial('changes, drift, order and deletes are planned and applied; secrets are masked', async t => {
  const { api, both, plan, head, projectId } = await openWorld(t);
  const text = head + whole.replace('SLUG', `acme-${projectId.slice(-8)}`);
  await both(text, { env });
  const { data } = (await api('GET', '/v0/monitors')).body;
  const id = data.find(({ key }: Fields) => key === 'api').id;
  await api('POST', `/v0/monitors/${id}/pause`);
  t.like((await plan(text, { env })).body.counts, { unchanged: 11 }, 'whoever paused at night stays right');
  await api('PATCH', `/v0/monitors/${id}`, { interval_seconds: 30 });
  const drifted = (await plan(text, { env })).body;
  t.deepEqual(drifted.actions[0].changes, [{ pointer: '/interval_seconds', before: 30, after: 60 }]);
  const rotated = (await plan(text, { env: { ...env, API_TOKEN: 'Bearer other-secret' } })).body;
  t.deepEqual(
    rotated.actions[0].changes.find(({ pointer }: Fields) => pointer === '/headers'),
    { pointer: '/headers', before: '********', after: '********' },
  );
  t.false(JSON.stringify(rotated).includes('secret'));
  const lines = text.split('\n');
  const [first, second] = [
    lines.findIndex(line => line.includes('key: prod')),
    lines.findIndex(line => line.includes('key: rest')),
  ];
  const swapped = lines
    .with(first, lines[second] ?? '')
    .with(second, lines[first] ?? '')
    .join('\n');
  await both(swapped, { env });
  t.deepEqual(
    (await api('GET', '/v0/routes')).body.data.map(({ key }: Fields) => key),
    ['rest', 'prod'],
  );
  const less = `${head}monitors: []\n`;
  t.like((await plan(less)).body.counts, { delete: 0 }, 'without prune nothing is deleted');
  const pruned = await plan(less, { prune: true });
  t.like(pruned.body.counts, { delete: 11, conflict: 0 }, JSON.stringify(pruned.body));
  const refused = await api('POST', '/v0/config/apply', { plan_id: pruned.body.id });
  t.is(refused.body.code, 'count_changed');
  await both(less, { prune: true });
  for (const path of [
    'monitors',
    'channels',
    'routes',
    'components',
    'status-pages',
    'maintenances',
    'flows',
    'reports',
  ])
    t.deepEqual((await api('GET', `/v0/${path}`)).body.data, [], path);
});

test.serial('defaults that a monitor of another kind does not take are passed over', async t => {
  const { both, plan, head, regions, api } = await openWorld(t);
  const members = `interval_seconds: 60, timeout_ms: 4000, method: HEAD, http_version: "2", regions: [${regions[0]}]`;
  const text = head.replace(/defaults: .*/, `defaults: { monitors: { ${members}, tcp: { send: x, read: true } } }`);
  const list = [
    '{ key: web, name: Web, url: "https://example.com/" }',
    '{ key: line, name: Line, url: "tcp://example.com:2000" }',
    '{ key: beat, name: Beat, kind: heartbeat }',
    '{ key: nightly, name: Nightly, kind: heartbeat, heartbeat: { cron: "0 3 * * *" } }',
    '{ key: name, name: Domain, url: "domain://example.com" }',
  ];
  await both(`${text}monitors: [${list.join(', ')}]`);
  const { data } = (await api('GET', '/v0/monitors')).body;
  const shown = (key: string) => data.find((monitor: Fields) => monitor.key === key);
  t.like(shown('web'), { method: 'HEAD', http_version: '2', timeout_ms: 4000 });
  t.like(shown('line'), { method: 'GET', tcp: { send: 'x' } });
  t.like(shown('beat'), { interval_seconds: 60, regions: [] });
  const refused = await plan(`${text}monitors: [{ key: line, name: Line, url: "tcp://a.example:25", method: HEAD }]`);
  t.is(refused.status, 422);
  const large = [1, 2].map(n => ({ path: `${n}.yaml`, text: `upquorum: 1 #${'x'.repeat(2.7e6)}` }));
  t.is((await api('POST', '/v0/config/plan', { documents: large })).body.errors[0].code, 'too_long');
});

test.serial('a delete that somebody else has changed meanwhile is refused', async t => {
  const { api, post, projectId } = await openWorld(t);
  const { id, updated_at: updatedAt } = (await post({ name: 'API' })).body;
  const old = { 'If-Match': updatedAt };
  await api('PATCH', `/v0/monitors/${id}`, { timeout_ms: 4000 });
  t.is((await api('DELETE', `/v0/monitors/${id}`, undefined, old)).body.code, 'changed_since');
  const page = (await api('POST', '/v0/status-pages', { name: 'Acme', slug: `del-${projectId.slice(-8)}` })).body;
  const steps = [{ event: 'a' }, { event: 'b' }];
  const channel = { name: 'Ops', type: 'webhook', config: { url: 'https://hooks.example.com/' } };
  const { id: ops } = (await api('POST', '/v0/channels', { ...channel, name: 'Ops 2' })).body;
  const route = { name: 'R', steps: [{ after_minutes: 0, channel_ids: [ops] }] };
  const maintenance = { title: 'Weekly', starts_at: at(2), ends_at: at(3), scope: { status_page_ids: [page.id] } };
  const made: [path: string, body: Fields][] = [
    ['flows', { name: 'F', steps }],
    ['channels', channel],
    ['components', { name: 'C', status_page_id: page.id }],
    ['secrets', { name: 'TOKEN', value: 'eight characters' }],
    ['routes', route],
    ['maintenances', maintenance],
    ['reports', { name: 'Weekly', items: [{ title: 'a', type: 'trend', event: 'a' }] }],
  ];
  for (const [path, body] of made) {
    const created = await api('POST', `/v0/${path}`, body);
    t.is(created.status, 201, `${path} ${JSON.stringify(created.body)}`);
    const at = `/v0/${path}/${created.body.id}`;
    const wrong = { 'If-Match': new Date(Date.parse(created.body.updated_at) - 1).toISOString() };
    t.is((await api('DELETE', at, undefined, wrong)).status, 412, path);
    t.is((await api('DELETE', at, undefined, { 'If-Match': created.body.updated_at })).status, 204, path);
  }
  t.is((await api('DELETE', `/v0/status-pages/${page.id}`, undefined, old)).status, 412);
});

test.serial('errors of all files come at once, with file and line', async t => {
  const { api, head } = await openWorld(t);
  const documents = [
    {
      path: 'a.yaml',
      text: [
        `${head}monitors:`,
        '  - { key: a, name: A, url: "ftp://x" }',
        '  - { key: b, nam: B, url: "https://b.example.com/", regions: [nowhere] }',
      ].join('\n'),
    },
    {
      path: 'b.yaml',
      text: 'upquorum: 1\nroutes:\n  - { key: r, name: R, steps: [{ channels: [none], channel_ids: [] }] }\n',
    },
    {
      path: 'c.yaml',
      text: 'upquorum: 1\nmonitors: [{ key: c, name: { $env: NAME }, url: "https://c.example.com/" }]\n',
    },
  ];
  const refused = await api('POST', '/v0/config/plan', { documents });
  t.is(refused.status, 422);
  const found = refused.body.errors.map(({ path, line, pointer, code }: Fields) =>
    [path, line, pointer, code].join(' '),
  );
  t.deepEqual(found, [
    'a.yaml 5 /monitors/0/url format',
    'a.yaml 6 /monitors/1/name required',
    'a.yaml 6 /monitors/1/nam not_allowed',
    'a.yaml 6 /monitors/1/regions/0 unknown_reference',
    'b.yaml 3 /routes/0/steps/0/channel_ids not_allowed',
    'b.yaml 3 /routes/0/steps/0/channels/0 unknown_reference',
    'c.yaml 2 /monitors/0/name unknown_reference',
  ]);
  const broken = [
    { path: 'a.yaml', text: 'upquorum: 1\nmanager: x\nmonitors: [' },
    { path: 'b.yaml', text: 'upquorum: 1\nwrong: 1\n' },
    { path: 'c.yaml', text: 'upquorum: 1\n!x monitors: []\n' },
  ];
  const syntax = await api('POST', '/v0/config/plan', { documents: broken });
  t.deepEqual(
    syntax.body.errors.map(({ path, code }: Fields) => `${path} ${code}`),
    ['a.yaml format', 'b.yaml not_allowed', 'c.yaml format'],
  );
  const a = '  - { key: a, name: A, url: "https://a.example.com/" }';
  const twice = [`${head}monitors:`, a, a].join('\n');
  const repeated = await api('POST', '/v0/config/plan', { document: twice });
  t.like(repeated.body.errors[0], { code: 'not_allowed', pointer: '/monitors/1/key' });
  const tens = Array.from({ length: 9 }, (_, level) => {
    return `y${level}: &a${level + 1} [${Array(10).fill(`*a${level}`).join(', ')}]`;
  });
  const bomb = [`${head}x: &a0 [1]`, ...tens].join('\n');
  t.is((await api('POST', '/v0/config/plan', { document: bomb })).body.errors[0].code, 'format');
});

test.serial('conflicts, adoption, other managers, release and stale plans', async t => {
  const { api, post, both, plan, apply, head, apiWith } = await openWorld(t);
  const made = (await post({ name: 'API' })).body;
  const text = `${head}monitors:\n  - { key: api, name: API, url: "https://example.com/" }\n`;
  const conflict = (await plan(text)).body;
  t.like(conflict, { applicable: false, reasons: ['conflicts'] });
  t.like(conflict.actions[0], { action: 'conflict', reason: 'exists_unmanaged', id: made.id });
  t.is((await apply(conflict.id)).body.code, 'plan_has_conflicts');
  const adopted = await both(text, { adopt: true });
  t.like(adopted.actions[0], { action: 'adopt', id: made.id, changes: [] });
  t.like((await api('GET', `/v0/monitors/${made.id}`)).body, {
    key: 'api',
    managed_by: 'git-ops',
    updated_at: made.updated_at,
  });
  const unchanged = (await plan(text)).body;
  t.deepEqual(unchanged.actions, []);
  const stranger = await apiWith(['flows:read']);
  t.is((await stranger('GET', `/v0/config/plans/${unchanged.id}`)).body.code, 'insufficient_scope');
  const other = (await plan(text.replace('git-ops', 'others'), { adopt: true })).body;
  t.like(other.actions[0], { action: 'conflict', reason: 'other_manager' });
  const changed = (await plan(text.replace('https://example.com/', 'https://example.com/x'))).body;
  await api('PATCH', `/v0/monitors/${made.id}`, { timeout_ms: 4000 });
  const stale = await apply(changed.id);
  t.like(stale.body, { code: 'plan_stale', changed: [{ type: 'monitors', key: 'api', id: made.id }] });
  const kind = (await plan(text.replace('url: "https://example.com/"', 'url: "tcp://example.com:80"'))).body;
  t.like(kind.actions[0], { action: 'conflict', reason: 'kind_changed' });
  t.is((await stranger('POST', '/v0/config/plan', { document: text })).body.code, 'insufficient_scope');
  const managers = (await api('GET', '/v0/config/managers')).body.data;
  t.like(managers[0], { manager: 'git-ops', resources: [{ type: 'monitors', count: 1 }] });
  t.like(managers[0].last_apply, { plan_id: adopted.id, actor: { type: 'token' } });
  t.deepEqual((await stranger('GET', '/v0/config/managers')).body.data, [], 'types that it may not read are left out');
  t.is((await api('POST', '/v0/config/release', { manager: 'git-ops' })).status, 204);
  t.deepEqual((await api('GET', '/v0/config/managers')).body.data, []);
  t.is((await api('POST', '/v0/config/release', { manager: 'git-ops' })).status, 204);
  t.like((await api('GET', `/v0/monitors/${made.id}`)).body, { key: 'api', managed_by: null });
});

test.serial('at most 500 changes an apply, more in parts', async t => {
  const { both, plan, apply, head, projectId } = await openWorld(t);
  await withSql(
    databaseOf(),
    sql => sql.run`insert into project_quotas (project_id, resource, maximum) values (${projectId}, 'flows', 900)`,
  );
  const line = (index: number) => `  - { key: f${index}, name: F${index}, steps: [{ event: a }, { event: b }] }`;
  const text = [`${head}flows:`, ...Array.from({ length: 505 }, (_, index) => line(index))].join('\n');
  const tooMany = await plan(text);
  t.like(tooMany.body, { applicable: false, reasons: ['too_many_changes'], remaining: 5 });
  t.is((await apply(tooMany.body.id)).status, 422);
  await both(text, { partial: true });
  t.like(await both(text), { counts: { create: 5, unchanged: 500 } });
  t.like((await plan(text)).body.counts, { unchanged: 505 });
});

test.serial('an export holds no secret, and planned again it changes nothing', async t => {
  const { api, url, token, both, plan, head, projectId } = await openWorld(t);
  await both(head + whole.replace('SLUG', `acme-${projectId.slice(-8)}`), { env });
  const exported = async (query: string) => {
    const response = await fetch(`${url}/v0/config/export${query}`, { headers: { authorization: `Bearer ${token}` } });
    return { type: response.headers.get('content-type'), text: await response.text() };
  };
  const own = await exported('?manager=git-ops');
  t.regex(own.type ?? '', /^application\/yaml/);
  t.false(own.text.includes('very-secret'), own.text);
  t.regex(own.text, /\$env: MONITORS_API_HEADERS_AUTHORIZATION/);
  const values = { CHANNELS_OPS_CONFIG_URL: env.HOOK, MONITORS_API_HEADERS_AUTHORIZATION: env.API_TOKEN };
  const again = await plan(own.text, { env: values });
  t.like(again.body, { actions: [], counts: { unchanged: 11 } }, JSON.stringify(again.body, null, 1) + own.text);
  await api('POST', '/v0/config/release', { manager: 'git-ops' });
  const everything = await exported('');
  const adopted = await plan(everything.text, { env: values, adopt: true });
  t.like(adopted.body.counts, { adopt: 11, create: 0, conflict: 0 }, JSON.stringify(adopted.body));
  t.deepEqual(
    adopted.body.actions.flatMap(({ changes }: { changes: unknown[] }) => changes),
    [],
  );
  const rows = Object.values(await readTables(databaseOf()))
    .flat()
    .join('\n');
  t.true(rows.includes('git-ops'));
  for (const text of ['very-secret', Buffer.from('very-secret').toString('hex')]) t.false(rows.includes(text), text);
});

test.serial('a plan of an email channel asks nobody to confirm, and a logo that is there is no change', async t => {
  const { api, both, plan, apply, head, projectId } = await openWorld(t);
  const logo = `data:image/png;base64,${pngFile(30, 10).toString('base64')}`;
  const slug = `logo-${projectId.slice(-8)}`;
  const page = `status_pages:\n  - { key: acme, name: Acme, slug: ${slug}, logo: "${logo}" }\n`;
  const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@example.com`).join(', ');
  const mail = (count: number) => `  - { key: mail, name: Mail, type: email, config: { to: [${people(count)}] } }\n`;
  // Six times twenty emails are more than a project may send at once.
  for (let index = 0; index < 6; index++) t.is((await plan(`${head}channels:\n${mail(20)}`)).status, 200);
  const channel = `channels:\n${mail(1)}`;
  const planned = await plan(`${head}${channel}${page}`);
  t.is((await apply(planned.body.id)).status, 200);
  const [made] = (await api('GET', '/v0/status-pages')).body.data;
  const again = await api('PATCH', `/v0/status-pages/${made.id}`, { logo });
  t.is(again.body.updated_at, made.updated_at);
  await both(`${head}${page}`.replace('name: Acme', 'name: "Acme Inc"'));
  const shown = (await api('GET', '/v0/status-pages')).body.data[0];
  t.like(shown, { name: 'Acme Inc' });
  t.truthy(shown.logo);
  await api('PATCH', `/v0/status-pages/${made.id}`, { logo: null });
  t.like((await plan(`${head}${page}`.replace('name: Acme', 'name: "Acme Inc"'))).body.counts, { update: 1 });
});

test.serial('a monitor of events names its flow by key, without what only agents do', async t => {
  const { api, both, plan, head } = await openWorld(t);
  const measured = 'assertions: [{ type: measured, operator: gte, value: 0.5 }]';
  const text = `${head}
flows:
  - { key: signup, name: Sign up, steps: [{ event: open }, { event: done }] }
monitors:
  - key: share
    name: Share
    kind: events
    interval_seconds: 300
    events: { flow: signup, min_sample: 5 }
    ${measured}
  - { key: paid, name: Paid, kind: events, events: { event: { name: paid }, against: week_before }, ${measured} }
`;
  t.like(await both(text), { counts: { create: 3, conflict: 0 } });
  const { data: flows } = (await api('GET', '/v0/flows')).body;
  const { data: monitors } = (await api('GET', '/v0/monitors?q=Share')).body;
  t.like(monitors[0], { interval_seconds: 300, events: { flow_id: flows[0].id, measure: 'conversion' } });
  t.like((await plan(text)).body, { counts: { unchanged: 3 }, actions: [] });
  const exported = (await api('GET', '/v0/config/export?manager=git-ops')).body as unknown as string;
  t.regex(exported, /flow: signup/);
  t.like((await plan(exported)).body, { counts: { unchanged: 3 }, actions: [] }, exported);
  const changed = (await plan(text.replace('min_sample: 5', 'min_sample: 6'))).body;
  t.deepEqual(changed.actions[0].changes, [{ pointer: '/events/min_sample', before: 5, after: 6 }]);
  const unknown = await plan(text.replace('flow: signup', 'flow: other'));
  t.like(unknown.body.errors[0], { code: 'unknown_reference', pointer: '/monitors/0/events/flow' });
});
