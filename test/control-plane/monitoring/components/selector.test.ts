import test from 'ava';
import { patiently, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { faultsOf } from '#test/support/problem.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

async function openWorld(t: Parameters<typeof openStatusWorld>[0]) {
  const world = await openStatusWorld(t, databaseOf());
  const { api, page, monitor } = world;
  const { regions } = (await api('GET', `/v0/monitors/${monitor.id}`)).body;
  const create = async (labels: Record<string, string>, name = 'other') =>
    (
      await patiently(() =>
        api('POST', '/v0/monitors', { name, url: 'https://b.example/', interval_seconds: 60, regions, labels }),
      )
    ).body;
  const component = async (monitor_selector: string | null, fields = {}) =>
    (await api('POST', '/v0/components', { status_page_id: page.id, name: 'C', monitor_selector, ...fields })).body;
  const matched = async (id: string) => (await api('GET', `/v0/components/${id}`)).body.matched_monitor_ids;
  const facts = async (subject: string) =>
    withSql(
      databaseOf(),
      async sql =>
        (
          await sql.row<{ n: number }>`
          select count(*) as n
          from facts
          where kind = 'component.changed' and subject = ${subject}`
        )?.n ?? 0,
    );
  return { ...world, create, component, matched, facts };
}

test.serial('a component follows its selector as monitors and labels change', async t => {
  const { api, create, component, matched, facts } = await openWorld(t);
  const [web, api1] = [await create({ tier: 'a' }, 'web'), await create({ tier: 'b' }, 'api')];
  const { id, ...made } = await component('tier=a');
  t.deepEqual([made.monitor_ids, made.matched_monitor_ids, made.matched_truncated], [[], [web.id], false]);
  t.is(made.monitor_selector, 'tier=a');
  const before = await facts(id);
  await api('PATCH', `/v0/monitors/${api1.id}`, { labels: { tier: 'a' } });
  t.deepEqual(await matched(id), [web.id, api1.id].sort());
  t.is(await facts(id), before + 1);
  await api('PATCH', `/v0/monitors/${api1.id}`, { labels: { tier: 'a', more: '1' } });
  t.is(await facts(id), before + 1, 'nothing changed for the component');
  await api('PATCH', `/v0/monitors/${web.id}`, { labels: {} });
  const third = await create({ tier: 'a' }, 'third');
  t.deepEqual(await matched(id), [api1.id, third.id].sort());
  t.is(await facts(id), before + 3);
  await api('PATCH', `/v0/components/${id}`, { monitor_selector: '@name=web' });
  t.deepEqual(await matched(id), [web.id]);
  await api('PATCH', `/v0/monitors/${web.id}`, { name: 'renamed' });
  t.deepEqual(await matched(id), []);
  await api('PATCH', `/v0/components/${id}`, { monitor_selector: '*' });
  t.is((await matched(id)).length, 4);
  await api('PATCH', `/v0/components/${id}`, { monitor_selector: null });
  t.deepEqual(await matched(id), []);
});

test.serial('a binding by ID and one by selector do not take each other away', async t => {
  const { api, create, component } = await openWorld(t);
  const monitor = await create({ tier: 'a' });
  const { id } = await component('tier', { monitor_ids: [monitor.id] });
  const read = async () => {
    const { monitor_ids, matched_monitor_ids } = (await api('GET', `/v0/components/${id}`)).body;
    const { component_ids } = (await api('GET', `/v0/monitors/${monitor.id}`)).body;
    return [monitor_ids.length, matched_monitor_ids.length, component_ids.length];
  };
  t.deepEqual(await read(), [1, 1, 1]);
  await api('PATCH', `/v0/components/${id}`, { monitor_ids: [] });
  t.deepEqual(await read(), [0, 1, 0]);
  await api('PATCH', `/v0/monitors/${monitor.id}`, { component_ids: [id] });
  t.deepEqual(await read(), [1, 1, 1]);
  await api('PATCH', `/v0/monitors/${monitor.id}`, { labels: {} });
  t.deepEqual(await read(), [1, 0, 1]);
  await api('PATCH', `/v0/monitors/${monitor.id}`, { labels: { tier: 'b' } });
  await api('PATCH', `/v0/monitors/${monitor.id}`, { component_ids: [] });
  t.deepEqual(await read(), [0, 1, 0]);
  await api('PATCH', `/v0/components/${id}`, { monitor_selector: null, monitor_ids: [monitor.id] });
  t.deepEqual(await read(), [1, 0, 1]);
});

test.serial('what matches drives the status that the page shows', async t => {
  const { api, create, component } = await openWorld(t);
  const { id } = await component('tier=a');
  t.is((await api('GET', `/v0/components/${id}`)).body.shown_status, 'operational');
  const { id: monitorId } = await create({ tier: 'a' });
  t.is((await api('GET', `/v0/components/${id}`)).body.shown_status, 'unknown');
  await withSql(
    databaseOf(),
    sql => sql.run`update monitor_states set verdict = 'down' where monitor_id = ${monitorId}`,
  );
  t.is((await api('GET', `/v0/components/${id}`)).body.shown_status, 'major_outage');
});

test.serial('a restored monitor is bound by the labels it is restored with', async t => {
  const { api, create, component, matched } = await openWorld(t);
  const monitor = await create({ tier: 'a' }, 'phoenix');
  const [first, second] = [await component('tier=a'), await component('tier=b')];
  await api('DELETE', `/v0/monitors/${monitor.id}`);
  t.deepEqual(await matched(first.id), []);
  const restored = await create({ tier: 'b' }, 'phoenix');
  t.is(restored.id, monitor.id);
  t.deepEqual([await matched(first.id), await matched(second.id)], [[], [monitor.id]]);
});

test.serial('monitors and selectors that change at once end bound as they match', async t => {
  const { api, create, component, matched } = await openWorld(t);
  const { id } = await component(null);
  const existing = await Promise.all(Array.from({ length: 6 }, (_, index) => create({ n: `${index}` }, `m${index}`)));
  for (const value of ['x', 'y', 'z']) {
    const changes = existing.map(({ id }) =>
      patiently(() => api('PATCH', `/v0/monitors/${id}`, { labels: { [value]: '' } })),
    );
    const creations = Array.from({ length: 3 }, (_, index) => create({ [value]: '' }, `${value}${index}`));
    const [selected] = await Promise.all([
      patiently(() => api('PATCH', `/v0/components/${id}`, { monitor_selector: value })),
      ...changes,
      ...creations,
    ]);
    t.is(selected.status, 200);
    const { body } = await api('GET', `/v0/monitors?selector=${value}&limit=200`);
    await until(() => matched(id), body.data.map((monitor: { id: string }) => monitor.id).sort());
    t.is(body.data.length, 9, value);
  }
});

test.serial('a selector of another form is 422, and null means none', async t => {
  const { api, page, component } = await openWorld(t);
  const post = (monitor_selector: unknown) =>
    api('POST', '/v0/components', { status_page_id: page.id, name: 'C', monitor_selector });
  for (const wrong of ['', 'env=', 'a'.repeat(1001), 1]) t.is((await post(wrong)).status, 422, String(wrong));
  const answer = await post('env=,');
  t.deepEqual(faultsOf(answer), ['/monitor_selector format']);
  t.regex(answer.body.errors[0].detail, /column 5/);
  t.is((await component(null)).monitor_selector, null);
  t.deepEqual(
    faultsOf(await api('POST', '/v0/components', { status_page_id: page.id, name: 'C', matched_monitor_ids: [] })),
    ['/matched_monitor_ids read_only'],
  );
});

test.serial('only the first 500 matching monitors are shown', async t => {
  const { component, create, projectId } = await openWorld(t);
  const monitor = await create({ crowd: '' });
  const copy = (from: number, to: number) =>
    withSql(
      databaseOf(),
      sql => sql.run`
        insert into monitors (
          id, project_id, name, url, method, interval_seconds, regions, assertions, sealed_headers, follow_redirects,
          alert_policy, enabled, config_version, configured_at, created_at, updated_at, labels
        )
        select m.id || n, m.project_id, m.name, m.url, m.method, m.interval_seconds, m.regions, m.assertions,
          m.sealed_headers, m.follow_redirects, m.alert_policy, m.enabled, m.config_version, m.configured_at,
          m.created_at, m.updated_at, m.labels
        from monitors m, generate_series(${from}::integer, ${to}::integer) as n
        where m.project_id = ${projectId} and m.id = ${monitor.id}`,
    );
  await copy(1, 499);
  const all = await component('crowd');
  t.deepEqual([all.matched_monitor_ids.length, all.matched_truncated], [500, false]);
  await copy(500, 500);
  const cut = await component('crowd');
  t.deepEqual([cut.matched_monitor_ids.length, cut.matched_truncated], [500, true]);
});
