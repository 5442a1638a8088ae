import test, { type ExecutionContext } from 'ava';
import { instant } from '#control-plane/platform/db/sql.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '#shared/duration.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const at = (ms: number) => new Date(ms).toISOString();

async function openWorld(t: ExecutionContext) {
  const world = await openMonitorWorld(t, databaseOf());
  const monitor = async (fields = {}) => (await world.post({ name: `m${Math.random()}`, ...fields })).body;
  const plan = (fields: Record<string, unknown>) =>
    world.api('POST', '/v0/maintenances', { title: 'Upgrade', ...fields });
  /** From `startMs` to `endMs`, relative to now. */
  const once = (startMs: number, endMs: number, fields: Record<string, unknown>) => {
    const now = Date.now();
    return plan({ starts_at: at(now + startMs), ends_at: at(now + endMs), ...fields });
  };
  const read = async (id: string) => (await world.api('GET', `/v0/maintenances/${id}`)).body;
  return { ...world, monitor, plan, once, read };
}

test.serial('a maintenance is planned, read, changed and deleted', async t => {
  const { api, monitor, once, read } = await openWorld(t);
  const { id: monitorId } = await monitor({ labels: { tier: 'db' } });
  const scope = { monitor_ids: [monitorId] };
  const created = await once(hourMs, 2 * hourMs, { scope });
  t.is(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body;
  t.is(created.headers.location, `/v0/maintenances/${id}`);
  t.like(created.body, {
    title: 'Upgrade',
    description: '',
    state: 'scheduled',
    current: null,
    schedule: null,
    alerts: 'hold',
    exclude_from_uptime: true,
    settle_seconds: 60,
    announced: false,
    announce_before_hours: 72,
    notify: ['announced', 'updates'],
    matched_monitors: 1,
    updates: [],
    key: null,
    managed_by: null,
  });
  t.deepEqual(created.body.scope, { ...scope, selector: null, component_ids: [], status_page_ids: [] });
  t.like(created.body.next, { state: 'scheduled', monitors: 1, starts_at: created.body.starts_at });
  const patched = await api(
    'PATCH',
    `/v0/maintenances/${id}`,
    { title: 'Upgrade 2' },
    { 'if-match': created.body.updated_at },
  );
  t.like(patched.body, { title: 'Upgrade 2', starts_at: created.body.starts_at });
  const stale = await api('PATCH', `/v0/maintenances/${id}`, { title: 'x' }, { 'if-match': created.body.updated_at });
  t.is(stale.body.code, 'changed_since');
  const again = await api('PATCH', `/v0/maintenances/${id}`, { title: 'Upgrade 2' });
  t.is(again.body.updated_at, patched.body.updated_at, 'nothing changed');
  await api('PATCH', `/v0/maintenances/${id}`, { scope: { selector: 'tier=web' } });
  t.is((await read(id)).matched_monitors, 0);
  for (const [filter, count] of [
    ['', 1],
    ['?state=scheduled', 1],
    ['?state=completed,cancelled', 0],
    [`?monitor_id=${monitorId}`, 0],
    [`?from=${at(Date.now() + 3 * hourMs)}`, 0],
    [`?to=${at(Date.now() + 3 * hourMs)}`, 1],
  ] as const)
    t.is((await api('GET', `/v0/maintenances${filter}`)).body.data.length, count, filter);
  t.is((await api('DELETE', `/v0/maintenances/${id}`)).status, 204);
  t.is((await api('GET', `/v0/maintenances/${id}`)).status, 404);
});

test.serial('what is wrong with a maintenance is said at its place', async t => {
  const { api, plan, once, monitor } = await openWorld(t);
  const { id } = await monitor();
  const scope = { monitor_ids: [id] };
  const schedule = {
    start: '2027-01-03T02:30:00',
    timezone: 'Europe/Berlin',
    duration_seconds: 3600,
    rrule: 'FREQ=WEEKLY',
  };
  const cases: [Promise<{ status: number; body: unknown }>, string, string][] = [
    [plan({ scope }), '/starts_at', 'required'],
    [once(hourMs, hourMs + 59 * secondMs, { scope }), '/ends_at', 'out_of_range'],
    [once(hourMs, 31 * dayMs + 2 * hourMs, { scope }), '/ends_at', 'out_of_range'],
    [once(401 * dayMs, 402 * dayMs, { scope }), '/starts_at', 'out_of_range'],
    [once(-91 * dayMs, -90 * dayMs, { scope }), '/starts_at', 'out_of_range'],
    [once(hourMs, 2 * hourMs, { scope: {} }), '/scope', 'required'],
    [once(hourMs, 2 * hourMs, { scope, announced: true }), '/scope', 'required'],
    [once(hourMs, 2 * hourMs, { scope: { monitor_ids: ['mon_x'] } }), '/scope/monitor_ids/0', 'unknown_reference'],
    [once(hourMs, 2 * hourMs, { scope: { component_ids: ['comp_x'] } }), '/scope/component_ids/0', 'unknown_reference'],
    [
      once(hourMs, 2 * hourMs, { scope: { status_page_ids: ['sp_x'] } }),
      '/scope/status_page_ids/0',
      'unknown_reference',
    ],
    [once(hourMs, 2 * hourMs, { scope, schedule }), '/starts_at', 'not_allowed'],
    [plan({ scope, schedule: { ...schedule, rrule: 'FREQ=HOURLY' } }), '/schedule/rrule', 'format'],
    [plan({ scope, schedule: { ...schedule, rrule: 'FREQ=WEEKLY;BYDAY=MO' } }), '/schedule/start', 'format'],
    [plan({ scope, schedule: { ...schedule, start: '2027-02-30T00:00:00' } }), '/schedule/start', 'format'],
    [plan({ scope, schedule: { ...schedule, timezone: 'Mars/Base' } }), '/schedule/timezone', 'format'],
    [
      plan({ scope, schedule: { ...schedule, duration_seconds: 604_800 } }),
      '/schedule/duration_seconds',
      'out_of_range',
    ],
    [once(hourMs, 2 * hourMs, { scope, state: 'completed' }), '/state', 'read_only'],
  ];
  for (const [call, pointer, code] of cases) {
    const { status, body } = await call;
    t.is(status, 422, JSON.stringify(body));
    const { errors } = body as { errors: { pointer: string; code: string }[] };
    const isSaid = errors.some(error => error.pointer === pointer && error.code === code);
    t.true(isSaid, `${pointer} ${code}: ${JSON.stringify(errors)}`);
  }
  t.is((await api('GET', '/v0/maintenances')).body.data.length, 0);
});

test.serial('a recurring window may begin years from now, and is planned when it comes near', async t => {
  const { api, plan, monitor } = await openWorld(t);
  const scope = { monitor_ids: [(await monitor()).id] };
  const schedule = { timezone: 'Europe/Berlin', duration_seconds: 3600, rrule: 'FREQ=YEARLY' };
  const far = { scope, schedule: { ...schedule, start: '2099-07-01T02:00:00' } };
  const made = await plan(far);
  t.is(made.status, 201, JSON.stringify(made.body));
  t.like(made.body, { state: 'scheduled', next: null });
  const preview = await api('POST', '/v0/maintenances/preview', { title: 'far', ...far });
  t.is(preview.body.occurrences[0].starts_at, '2099-07-01T00:00:00.000Z');
  const patched = await api('PATCH', `/v0/maintenances/${made.body.id}`, { title: 'later' });
  t.is(patched.status, 200);
  const late = await plan({ scope, schedule: { ...schedule, start: '2100-01-01T00:00:00' } });
  t.deepEqual(faultsOf(late), ['/schedule/start out_of_range']);
});

test.serial('the occurrences of all windows are listed by time, page by page', async t => {
  const { api, monitor, once, plan } = await openWorld(t);
  const scope = { monitor_ids: [(await monitor()).id] };
  const { id } = (await once(hourMs, 2 * hourMs, { scope })).body;
  const start = `${at(Date.now() + dayMs).slice(0, 11)}02:30:00`;
  const schedule = { start, timezone: 'UTC', duration_seconds: 3600, rrule: 'FREQ=DAILY;COUNT=3' };
  const recurring = (await plan({ title: 'Nightly', scope, schedule })).body.id;
  const { body } = await api('GET', '/v0/maintenance-occurrences?limit=3');
  t.deepEqual(
    body.data.map(({ maintenance_id, title, state }: Record<string, string>) => [maintenance_id, title, state]),
    new Array(3).fill([recurring, 'Nightly', 'scheduled']),
  );
  const rest = await api('GET', `/v0/maintenance-occurrences?limit=3&cursor=${body.pagination.next_cursor}`);
  t.like(rest.body.data[0], { maintenance_id: id, title: 'Upgrade', monitors: 1, announced: false });
  t.is(rest.body.data.length, 1);
  const soon = `from=${at(Date.now())}&to=${at(Date.now() + 90 * minuteMs)}`;
  t.is((await api('GET', `/v0/maintenance-occurrences?${soon}`)).body.data[0].maintenance_id, id);
  await api('DELETE', `/v0/maintenances/${recurring}`);
  t.is((await api('GET', '/v0/maintenance-occurrences')).body.data.length, 1);
});

test.serial('a preview shows the first twenty occurrences and writes nothing', async t => {
  const { api, monitor } = await openWorld(t);
  await monitor({ labels: { tier: 'db' } });
  const schedule = { start: '2027-01-03T02:30:00', timezone: 'UTC', duration_seconds: 3600, rrule: 'FREQ=YEARLY' };
  const { status, body } = await api('POST', '/v0/maintenances/preview', {
    title: 'x',
    scope: { selector: '*' },
    schedule,
  });
  t.is(status, 200, JSON.stringify(body));
  t.is(body.occurrences.length, 20);
  t.deepEqual(body.occurrences[1], { starts_at: '2028-01-03T02:30:00.000Z', ends_at: '2028-01-03T03:30:00.000Z' });
  t.is(body.monitors, 1);
  t.is((await api('GET', '/v0/maintenances')).body.data.length, 0);
});

test.serial('a recurring maintenance has its occurrences of 90 days, which follow edits until they begin', async t => {
  const { api, plan, monitor, read } = await openWorld(t);
  const { id: monitorId } = await monitor();
  // Half a day from now: half an hour more or less is neither before now nor beyond the 90 days.
  const hour = at(Date.now() + dayMs / 2).slice(11, 13);
  const start = `${at(Date.now() + dayMs).slice(0, 10)}T${hour}:00:00`;
  const later = start.replace(':00:00', ':30:00');
  const schedule = { start, timezone: 'UTC', duration_seconds: 3600, rrule: 'FREQ=DAILY', exclude: [] };
  const { body } = await plan({ scope: { monitor_ids: [monitorId] }, schedule });
  t.deepEqual(body.notify, ['updates']);
  const list = async () =>
    (await api('GET', `/v0/maintenances/${body.id}/occurrences?limit=200`)).body.data.toReversed();
  const before = await list();
  t.true(before.length >= 88 && before.length <= 91, `${before.length}`);
  t.is(before[0].starts_at, `${start}.000Z`);
  const exclude = [before[1].starts_at.slice(0, 10)];
  const moved = { ...schedule, start: later, exclude };
  t.is((await api('PATCH', `/v0/maintenances/${body.id}`, { schedule: moved })).status, 200);
  const after = await list();
  t.is(after.length, before.length - 1);
  t.is(after[0].id, before[0].id, 'the same day is the same occurrence');
  t.is(after[0].starts_at, `${later}.000Z`);
  t.is(after[1].id, before[2].id);
  const cancelled = await api('POST', `/v0/maintenances/${body.id}/cancel`, {});
  t.is(cancelled.body.next.id, after[1].id, 'the next one was cancelled');
  t.is((await list())[0].state, 'cancelled');
  const last = { ...moved, rrule: 'FREQ=DAILY;COUNT=1', exclude: [] };
  await api('PATCH', `/v0/maintenances/${body.id}`, { schedule: last });
  t.is((await read(body.id)).state, 'cancelled');
});

test.serial('ending or extending a window that has not begun is refused, and the reason is true', async t => {
  const { api, once, monitor } = await openWorld(t);
  const { body } = await once(hourMs, 2 * hourMs, { scope: { monitor_ids: [(await monitor()).id] } });
  t.is(body.state, 'scheduled');
  for (const [name, fields] of [
    ['end', {}],
    ['extend', { ends_at: at(Date.now() + 3 * hourMs) }],
  ] as const) {
    const refused = await api('POST', `/v0/maintenances/${body.id}/${name}`, fields);
    t.is(refused.body.code, 'maintenance_over', name);
    t.regex(refused.body.detail, /^The maintenance has not begun\./, name);
  }
});

test.serial('a window in progress is shown at its monitors, can be extended, ended, and then no more', async t => {
  const { api, once, monitor } = await openWorld(t);
  const { id: monitorId } = await monitor();
  const { body } = await once(-minuteMs, hourMs, { scope: { monitor_ids: [monitorId] } });
  t.is(body.state, 'in_progress');
  const shown = async () => (await api('GET', `/v0/monitors/${monitorId}`)).body.maintenance;
  t.deepEqual(await shown(), { id: body.id, occurrence_id: body.current.id, ends_at: body.ends_at });
  t.deepEqual((await api('GET', '/v0/monitors')).body.data[0].maintenance, await shown());
  const act = (name: string, fields = {}) => api('POST', `/v0/maintenances/${body.id}/${name}`, fields);
  const later = at(Date.parse(body.ends_at) + hourMs);
  t.is((await act('extend', { ends_at: later })).body.current.ends_at, later);
  t.is((await act('extend', { ends_at: body.ends_at })).body.errors[0].code, 'out_of_range');
  t.is((await act('extend', { ends_at: later, occurrence_id: 'mno_x' })).body.errors[0].code, 'unknown_reference');
  const ended = await act('end');
  t.like(ended.body, { state: 'completed', current: null, ends_at: body.ends_at });
  t.is(await shown(), null);
  for (const name of ['end', 'cancel']) t.is((await act(name)).body.code, 'maintenance_over', name);
  t.is((await act('extend', { ends_at: at(Date.now() + hourMs) })).body.code, 'maintenance_over');
  const posted = await act('updates', { body: 'Done, with thanks.', occurrence_id: body.current.id });
  t.is(posted.status, 201);
  t.like(posted.body.updates[0], { state: 'completed', body: 'Done, with thanks.', edited_at: null });
  const path = `/v0/maintenances/${body.id}/updates/${posted.body.updates[0].id}`;
  const edited = await api('PATCH', path, { body: 'Done.' });
  t.is(edited.body.updates[0].body, 'Done.');
  t.not(edited.body.updates[0].edited_at, null);
  const facts = await withSql(
    databaseOf(),
    sql =>
      sql.rows<{
        kind: string;
      }>`select kind from facts where kind like 'maintenance.%' and project_id = ${body.project_id} order by id`,
  );
  t.deepEqual(
    facts.map(({ kind }) => kind).filter(kind => kind !== 'maintenance.changed' && kind !== 'maintenance.started'),
    ['maintenance.scheduled', 'maintenance.ended', 'maintenance.updated'],
  );
});

test.serial('members come and go by label, component and deletion, from that moment on', async t => {
  const { api, once, monitor, read } = await openWorld(t);
  const page = (await api('POST', '/v0/status-pages', { name: 'P', slug: `p-${Date.now()}` })).body;
  const component = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'C' })).body;
  const [byLabel, byComponent] = [await monitor(), await monitor()];
  const scope = { selector: 'tier=db', component_ids: [component.id] };
  const { body } = await once(-hourMs, hourMs, { scope });
  const matched = async () => (await read(body.id)).matched_monitors;
  const inWindow = async (id: string) => (await api('GET', `/v0/monitors/${id}`)).body.maintenance !== null;
  t.is(await matched(), 0);
  const joined = Date.now();
  await api('PATCH', `/v0/monitors/${byLabel.id}`, { labels: { tier: 'db' } });
  t.deepEqual([await matched(), await inWindow(byLabel.id)], [1, true]);
  await api('PATCH', `/v0/components/${component.id}`, { monitor_ids: [byComponent.id] });
  t.deepEqual([await matched(), await inWindow(byComponent.id)], [2, true]);
  await api('PATCH', `/v0/monitors/${byComponent.id}`, { component_ids: [] });
  t.deepEqual([await matched(), await inWindow(byComponent.id)], [1, false]);
  const rows = await withSql(
    databaseOf(),
    sql =>
      sql.rows<{ monitor_id: string; from_at: number; until_at: number | null }>`
      select monitor_id, from_at, until_at from maintenance_members where maintenance_id = ${body.id} order by from_at`,
  );
  t.deepEqual(
    rows.map(row => [row.monitor_id, row.until_at === null]),
    [
      [byLabel.id, true],
      [byComponent.id, false],
    ],
  );
  t.true((rows[0]?.from_at ?? 0) >= joined, 'not before the label was set');
  await api('DELETE', `/v0/monitors/${byLabel.id}`);
  t.is(await matched(), 0);
});

test.serial('time in a window does not count in uptime, to the ms, also of a window added later', async t => {
  const { api, monitor } = await openWorld(t);
  const { id } = await monitor();
  const day = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs;
  const add = (since: number, verdict: string) =>
    withSql(
      databaseOf(),
      sql => sql.run`
      insert into verdict_changes (monitor_id, project_id, since, verdict, votes, config_version)
      select ${id}, project_id, ${instant(since)}, ${verdict}, '{}', 1
      from monitors
      where id = ${id}`,
    );
  await withSql(databaseOf(), sql => sql.run`delete from verdict_changes where monitor_id = ${id}`);
  await add(day, 'up');
  await add(day + 2 * hourMs, 'down');
  await add(day + 3 * hourMs + 123, 'up');
  const uptime = async (granularity: string) =>
    (await api('GET', `/v0/monitors/${id}/uptime?granularity=${granularity}&from=${at(day)}&to=${at(day + dayMs)}`))
      .body.data;
  t.is((await uptime('day'))[0].down_seconds, 3600.123);
  const planned = await api('POST', '/v0/maintenances', {
    title: 'Forgotten',
    scope: { monitor_ids: [id] },
    starts_at: at(day + 2 * hourMs + 1),
    ends_at: at(day + 4 * hourMs),
  });
  t.is(planned.body.state, 'completed', JSON.stringify(planned.body));
  const [bucket] = await uptime('day');
  t.like(bucket, { down_seconds: 0.001, observed_seconds: 86_400 - 7199.999 });
  t.deepEqual(bucket.excluded, { paused_seconds: 0, maintenance_seconds: 7199.999, undetermined_seconds: 0 });
  const hours: { excluded: { maintenance_seconds: number } }[] = await uptime('hour');
  // An hour that is wholly in maintenance has nothing observed and is left out.
  t.is(hours.length, 23);
  await api('PATCH', `/v0/maintenances/${planned.body.id}`, { ends_at: at(day + 3 * hourMs) });
  t.is((await uptime('day'))[0].excluded.maintenance_seconds, 3599.999);
  await api('PATCH', `/v0/maintenances/${planned.body.id}`, { exclude_from_uptime: false });
  t.is((await uptime('day'))[0].down_seconds, 3600.123);
  await api('PATCH', `/v0/maintenances/${planned.body.id}`, { exclude_from_uptime: true });
  await api('DELETE', `/v0/maintenances/${planned.body.id}`);
  t.is((await uptime('day'))[0].down_seconds, 3600.123);
});
