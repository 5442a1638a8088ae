import test from 'ava';
import { apiOf, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

test.serial(
  'monitors of a component and components of a monitor are one relation that either side can change',
  async t => {
    const { api, page, component, monitor } = await openStatusWorld(t, databaseOf());
    t.deepEqual((await api('GET', `/v0/monitors/${monitor.id}`)).body.component_ids, [component.id]);
    const second = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'Shop' })).body;
    t.is(second.position, 1);
    const ids = [component.id, second.id].sort();
    const patched = await api('PATCH', `/v0/monitors/${monitor.id}`, { component_ids: [second.id, component.id] });
    t.deepEqual(patched.body.component_ids, ids);
    t.deepEqual((await api('GET', `/v0/components/${second.id}`)).body.monitor_ids, [monitor.id]);
    const { config_version } = patched.body;
    await api('PATCH', `/v0/components/${component.id}`, { monitor_ids: [] });
    const left = (await api('GET', `/v0/monitors/${monitor.id}`)).body;
    t.deepEqual(left.component_ids, [second.id]);
    t.is(left.config_version, config_version, 'components do not concern the agents');
    t.is((await api('DELETE', `/v0/components/${second.id}`)).status, 204);
    t.deepEqual((await api('GET', `/v0/monitors/${monitor.id}`)).body.component_ids, []);
    t.is((await api('GET', `/v0/components/${second.id}`)).status, 404);
  },
);

test.serial('a monitor without a verdict leaves its component unknown, not operational', async t => {
  const { api, component } = await openStatusWorld(t, databaseOf());
  t.is((await api('GET', `/v0/components/${component.id}`)).body.shown_status, 'unknown');
});

test.serial('all errors of a body are reported at once, each with its pointer', async t => {
  const { api, page, monitor, replica } = await openStatusWorld(t, databaseOf());
  const otherProject = apiOf(replica.url, (await createTenant(databaseOf())).token);
  const pointers = async (path: string, body: unknown, as = api) =>
    ((await as('POST', path, body)).body.errors ?? []).map(
      (error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`,
    );
  t.deepEqual(
    (
      await pointers('/v0/components', {
        status_page_id: page.id,
        name: ' ',
        status: 'fine',
        position: -1,
        monitor_ids: ['mon_none', monitor.id],
        group: 'a\nb',
      })
    ).sort(),
    ['/group format', '/monitor_ids/0 unknown_reference', '/name too_short', '/position out_of_range', '/status enum'],
  );
  t.deepEqual(
    await pointers('/v0/components', { status_page_id: page.id, name: 'x', monitor_ids: [monitor.id] }, otherProject),
    ['/monitor_ids/0 unknown_reference'],
  );
  t.deepEqual(await pointers('/v0/components', { status_page_id: page.id, name: 'x' }, otherProject), [
    '/status_page_id unknown_reference',
  ]);
  t.deepEqual(await pointers('/v0/components', { status_page_id: page.id, name: 'x', id: 'comp_x' }), [
    '/id read_only',
  ]);
  t.deepEqual(
    (
      await pointers('/v0/status-pages', {
        name: 'x'.repeat(201),
        slug: 'Not-A-Slug',
        timezone: 'Mars/Olympus',
        theme: 'blue',
        history_days: 6,
      })
    ).sort(),
    ['/history_days out_of_range', '/name too_long', '/slug format', '/theme enum', '/timezone format'],
  );
  t.deepEqual(await pointers('/v0/status-pages', { name: '日本' }), ['/slug required']);
  t.is((await otherProject('POST', '/v0/status-pages', { name: 'x', slug: page.slug })).body.code, 'slug_taken');
  t.deepEqual(
    (
      await pointers('/v0/incidents', {
        title: 'a\u0007',
        severity: 'p9',
        status_page_id: page.id,
        affected_components: ['comp_none'],
        started_at: new Date(Date.now() + 600_000).toISOString(),
        initial_update: { state: 'fixed', body: '  ' },
      })
    ).sort(),
    [
      '/affected_components/0 unknown_reference',
      '/initial_update/body too_short',
      '/initial_update/state enum',
      '/severity enum',
      '/started_at in_future',
      '/title format',
    ],
  );
  t.deepEqual(await pointers('/v0/incidents', { title: 'x', severity: 'p1', status_page_id: 'sp_none' }), [
    '/status_page_id unknown_reference',
  ]);
});

test.serial('lists have pages, and a cursor works only with its filters', async t => {
  const { api, page } = await openStatusWorld(t, databaseOf());
  for (let number = 0; number < 5; number++)
    await api('POST', '/v0/incidents', {
      title: `Incident ${number}`,
      severity: number % 2 === 0 ? 'p1' : 'p2',
      status_page_id: page.id,
      started_at: new Date(Date.now() - number * 60_000).toISOString(),
      initial_update: { state: number === 4 ? 'resolved' : 'identified', body: 'x' },
    });
  const titles = (body: { data: { title: string }[] }) => body.data.map(incident => incident.title);
  const first = (await api('GET', '/v0/incidents?limit=3')).body;
  t.deepEqual(titles(first), ['Incident 0', 'Incident 1', 'Incident 2']);
  const cursor = first.pagination.next_cursor;
  t.deepEqual(titles((await api('GET', `/v0/incidents?limit=3&cursor=${cursor}`)).body), ['Incident 3', 'Incident 4']);
  t.is((await api('GET', `/v0/incidents?severity=p1&cursor=${cursor}`)).body.code, 'invalid_cursor');
  t.deepEqual(titles((await api('GET', '/v0/incidents?severity=p1,p3&state=identified')).body), [
    'Incident 0',
    'Incident 2',
  ]);
  t.deepEqual(titles((await api('GET', '/v0/incidents?state=resolved')).body), ['Incident 4']);
  t.is((await api('GET', `/v0/components?status_page_id=${page.id}&limit=1`)).body.pagination.has_more, false);
});

test.serial('a component keeps its binding to a deleted monitor, and lists it no longer', async t => {
  const { api, component, monitor } = await openStatusWorld(t, databaseOf());
  const { regions } = (await api('GET', `/v0/monitors/${monitor.id}`)).body;
  const posted = { name: 'Second', url: 'http://127.0.0.1:9/', interval_seconds: 3600, regions };
  const second = (await api('POST', '/v0/monitors', posted)).body;
  await api('PATCH', `/v0/components/${component.id}`, { monitor_ids: [monitor.id, second.id] });
  t.is((await api('DELETE', `/v0/monitors/${monitor.id}`)).status, 204);
  const monitorsOf = async () => (await api('GET', `/v0/components/${component.id}`)).body.monitor_ids;
  t.deepEqual(await monitorsOf(), [second.id]);
  await api('PATCH', `/v0/components/${component.id}`, { monitor_ids: [second.id] });
  t.deepEqual(await monitorsOf(), [second.id]);
  const bound = await withSql(
    databaseOf(),
    sql => sql.rows<{ monitor_id: string }>`
      select monitor_id
      from component_monitors
      where component_id = ${component.id}`,
  );
  t.deepEqual(bound.map(row => row.monitor_id).sort(), [monitor.id, second.id].sort());
});
