import test from 'ava';
import fc from 'fast-check';
import { judgeSelector, type LabelledMonitor } from '#test/oracles/selector.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type MonitorWorld, openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';
import { selectors, labels as someLabels } from '#test/support/selectors.ts';

const databaseOf = useDatabase(test);

const namesOf = async ({ api }: MonitorWorld, query: string): Promise<string[]> => {
  const { status, body } = await api('GET', `/v0/monitors?limit=200&${query}`);
  if (status !== 200) throw new Error(`${status} for ${query}`);
  return body.data.map((monitor: { name: string }) => monitor.name).sort();
};

test.serial('labels are kept as given, replaced as a whole, and change no version', async t => {
  const { api, post, patch } = await openMonitorWorld(t, databaseOf());
  const made = (await post({ labels: { env: 'prod', 'team.x-y_z': '' } })).body;
  t.deepEqual(made.labels, { env: 'prod', 'team.x-y_z': '' });
  t.deepEqual([made.key, made.managed_by], [null, null]);
  const changed = (await patch(made.id, { labels: { env: 'é🔥' } })).body;
  t.deepEqual([changed.labels, changed.config_version], [{ env: 'é🔥' }, 1]);
  t.true(changed.updated_at >= made.updated_at);
  t.deepEqual((await patch(made.id, { labels: {} })).body.labels, {});
  t.deepEqual((await post()).body.labels, {});
  t.deepEqual((await api('GET', `/v0/monitors/${made.id}`)).body.labels, {});
});

test.serial('the same labels in another order are no change', async t => {
  const { post, patch } = await openMonitorWorld(t, databaseOf());
  const made = (await post({ labels: { a: '1', bb: '2', c: '3' }, headers: { x: '1', y: '2' } })).body;
  const changes = { labels: { c: '3', bb: '2', a: '1' }, headers: { y: '2', x: '1' } };
  t.deepEqual((await patch(made.id, changes)).body, made);
});

const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`a${index}`, '']));
const refused: [labels: unknown, fault: string][] = [
  [{ Env: 'a' }, '/labels/Env format'],
  [{ '1': 'a' }, '/labels/1 format'],
  [{ '': 'a' }, '/labels/ format'],
  [{ '@id': 'a' }, '/labels/@id format'],
  [{ 'a/b': 'a' }, '/labels/a~1b format'],
  [{ [`a${'b'.repeat(63)}`]: 'a' }, `/labels/a${'b'.repeat(63)} format`],
  [{ a: 'b'.repeat(201) }, '/labels/a too_long'],
  [{ a: 1 }, '/labels/a type'],
  [{ a: null }, '/labels/a type'],
  [{ a: 'b\nc' }, '/labels/a format'],
  [{ a: 'b\u0085' }, '/labels/a format'],
  [{ a: 'b\u0000' }, '/labels/a format'],
  [many, '/labels too_long'],
  [[], '/labels type'],
  [null, '/labels type'],
];
test.serial('labels of another form are 422 at their pointer', async t => {
  const { post, patch } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post()).body;
  for (const [labels, fault] of refused) {
    t.deepEqual(faultsOf(await post({ labels })), [fault]);
    t.deepEqual(faultsOf(await patch(id, { labels })), [fault]);
  }
  const proto = '{"labels": {"__proto__": "a"}}';
  t.deepEqual(faultsOf(await patch(id, proto)), ['/labels/__proto__ format']);
  t.is((await post({ labels: { [`a${'b'.repeat(62)}`]: 'c'.repeat(200), constructor: 'x' } })).status, 201);
});

test.serial('lists find monitors by selector, status, and part of name or host', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { api, post } = world;
  await post({ name: 'Shop', url: 'https://Shop.example:8443/needle', labels: { env: 'prod', team: 'web' } });
  await post({ name: 'API', url: 'https://api.example/', labels: { env: 'prod' }, enabled: false });
  await post({ name: 'Lab 50%_', url: 'https://[2001:db8::1]/', labels: { env: 'test' } });
  const cases: [query: string, names: string[]][] = [
    ['selector=env=prod', ['API', 'Shop']],
    ['selector=env%20notin%20(prod)', ['Lab 50%_']],
    ['selector=!team', ['API', 'Lab 50%_']],
    ['selector=@name=Shop', ['Shop']],
    ['selector=@kind=http,team', ['Shop']],
    ['selector=@kind!=http', []],
    ['selector=*', ['API', 'Lab 50%_', 'Shop']],
    ['selector=env=prod&enabled=true', ['Shop']],
    ['status=paused', ['API']],
    ['status=pending,down', ['Lab 50%_', 'Shop']],
    ['q=SHOP', ['Shop']],
    ['q=example', ['API', 'Shop']],
    ['q=needle', []],
    ['q=8443', []],
    ['q=db8:', ['Lab 50%_']],
    [`q=${encodeURIComponent('%_')}`, ['Lab 50%_']],
    ['q=api&status=paused&selector=env', ['API']],
  ];
  for (const [query, names] of cases) t.deepEqual(await namesOf(world, query), names, query);
  const wrong: [query: string, fault: string][] = [
    ['selector=', 'selector too_short'],
    ['selector=env%3D', 'selector format'],
    [`selector=${'a'.repeat(1001)}`, 'selector too_long'],
    ['status=fine', 'status enum'],
    ['q=', 'q too_short'],
    [`q=${'a'.repeat(101)}`, 'q too_long'],
  ];
  for (const [query, fault] of wrong) {
    const answer = await api('GET', `/v0/monitors?${query}`);
    t.deepEqual([answer.status, answer.body.code, faultsOf(answer)], [400, 'invalid_parameter', [fault]], query);
  }
  const { body } = await api('GET', '/v0/monitors?selector=env,,team');
  t.is(body.errors[0].detail, 'has an error in column 5: expected a label or one of @id, @name, @kind');
});

test.serial('a search finds names in any case, in every script', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  for (const name of ['ΟΔΟΣ 5', 'Straße', 'İstanbul', 'ΌΛΑ', 'МИР', 'a.b*c\\d', 'Kiwi 🥝'])
    await world.post({ name, url: 'https://target.test/' });
  const found: [text: string, names: string[]][] = [
    ['οδος', ['ΟΔΟΣ 5']],
    ['ΟΔΟΣ', ['ΟΔΟΣ 5']],
    ['δοσ 5', ['ΟΔΟΣ 5']],
    ['STRASSE', ['Straße']],
    ['Stras', ['Straße']],
    ['straẞe', ['Straße']],
    ['istanbul', ['İstanbul']],
    ['όλα', ['ΌΛΑ']],
    ['мир', ['МИР']],
    ['A.B*C\\D', ['a.b*c\\d']],
    ['a.b.c', []],
    ['KIWI 🥝', ['Kiwi 🥝']],
    ['[', []],
    ['\u0000', []],
    ['\\u0041', []],
    ['TARGET.test', ['a.b*c\\d', 'İstanbul', 'Kiwi 🥝', 'Straße', 'МИР', 'ΌΛΑ', 'ΟΔΟΣ 5']],
  ];
  for (const [text, names] of found)
    t.deepEqual((await namesOf(world, `q=${encodeURIComponent(text)}`)).toSorted(), names.toSorted(), text);
});

test.serial('a page of a list with a selector continues with the same selector only', async t => {
  const { api, post } = await openMonitorWorld(t, databaseOf());
  for (const name of ['a', 'b', 'c']) await post({ name, labels: name === 'b' ? {} : { x: '' } });
  const first = (await api('GET', '/v0/monitors?limit=1&selector=x')).body;
  const cursor = first.pagination.next_cursor;
  const second = (await api('GET', `/v0/monitors?limit=1&selector=x&cursor=${cursor}`)).body;
  t.deepEqual([first.data[0].name, second.data[0].name, second.pagination.has_more], ['c', 'a', false]);
  t.is((await api('GET', `/v0/monitors?limit=1&selector=!x&cursor=${cursor}`)).body.code, 'invalid_cursor');
});

test.serial('random selectors find in the database what an independent evaluator says', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const monitors: LabelledMonitor[] = [];
  for (const [index, labels] of fc.sample(someLabels, { numRuns: 25, seed: 7 }).entries()) {
    const name = ['Shop', 'back end', 'x', 'http'][index % 4] ?? '';
    const { id } = (await world.post({ name: `${name}`, labels })).body;
    monitors.push({ id, name, kind: 'http', labels });
  }
  const expected = (selector: string) =>
    monitors.filter(monitor => judgeSelector(selector, monitor)).map(monitor => monitor.id);
  await fc.assert(
    fc.asyncProperty(selectors, async selector => {
      const query = new URLSearchParams({ selector, limit: '200' });
      const { body } = await world.api('GET', `/v0/monitors?${query}`);
      t.deepEqual(body.data.map((monitor: { id: string }) => monitor.id).sort(), expected(selector).sort(), selector);
    }),
    { numRuns: 150 },
  );
});

test.serial('GET /v0/labels counts the keys and values of the project, most used first', async t => {
  const { api, post, apiWith } = await openMonitorWorld(t, databaseOf());
  for (const labels of [{ env: 'prod', team: 'web' }, { env: 'prod' }, { env: 'test' }, { zone: 'a' }])
    await post({ labels });
  const gone = (await post({ labels: { gone: '1' } })).body;
  await api('DELETE', `/v0/monitors/${gone.id}`);
  await (await openMonitorWorld(t, databaseOf())).post({ labels: { foreign: '1' } });
  const { status, body } = await (await apiWith(['monitors:read']))('GET', '/v0/labels');
  t.is(status, 200);
  t.deepEqual(body.data, [
    {
      key: 'env',
      monitors: 3,
      values: [
        { value: 'prod', monitors: 2 },
        { value: 'test', monitors: 1 },
      ],
    },
    { key: 'team', monitors: 1, values: [{ value: 'web', monitors: 1 }] },
    { key: 'zone', monitors: 1, values: [{ value: 'a', monitors: 1 }] },
  ]);
});

test.serial('GET /v0/labels ends at 200 keys and 100 values', async t => {
  const { api, post, projectId } = await openMonitorWorld(t, databaseOf());
  await post();
  await withSql(
    databaseOf(),
    sql => sql.run`
      insert into monitors (
        id, project_id, name, url, method, interval_seconds, regions, assertions, sealed_headers, follow_redirects,
        alert_policy, enabled, config_version, configured_at, created_at, updated_at, labels
      )
      select m.id || n, m.project_id, m.name, m.url, m.method, m.interval_seconds, m.regions, m.assertions,
        m.sealed_headers, m.follow_redirects, m.alert_policy, m.enabled, m.config_version, m.configured_at,
        m.created_at, m.updated_at, jsonb_build_object('same', n::text, 'k' || n, '')
      from monitors m, generate_series(1, 250) as n
      where m.project_id = ${projectId}`,
  );
  const { data } = (await api('GET', '/v0/labels')).body;
  t.deepEqual([data.length, data[0].key, data[0].monitors, data[0].values.length], [200, 'same', 250, 100]);
});

test.serial('monitors are found by their kind, also by selectors', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const web = (await world.post({ name: 'a' })).body.id;
  const port = (await world.post({ name: 'b', url: 'tcp://example.com:22' })).body.id;
  const find = async (query: string) => {
    const list = await world.api('GET', `/v0/monitors?${query}`);
    return list.body.data.map((monitor: { id: string }) => monitor.id);
  };
  t.deepEqual(await find('kind=http'), [web]);
  t.deepEqual(await find('kind=tcp'), [port]);
  t.deepEqual(await find('kind=tcp,http'), [port, web]);
  t.deepEqual(await find(`selector=${encodeURIComponent('@kind in (tcp, dns)')}`), [port]);
  t.deepEqual(await find('kind=ping'), []);
  t.is((await world.api('GET', '/v0/monitors?kind=smoke')).status, 400);
});
