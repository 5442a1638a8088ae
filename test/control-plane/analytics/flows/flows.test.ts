import test from 'ava';
import { apiOf, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const flow = {
  name: 'Buy',
  steps: [{ event: 'view' }, { name: 'In the cart', event: 'add' }, { event: 'pay' }],
  window_seconds: 3600,
};
const hourMs = 3_600_000;

test('events are in the funnel within a minute, and releases split it into groups', async t => {
  const { api, send } = await openEventWorld(t, databaseOf());
  const made = await api('POST', '/v0/flows', flow);
  t.is(made.status, 201);
  const at = (minutes: number) => new Date(Date.now() - 3 * hourMs + minutes * 60_000).toISOString();
  const user = (name: string, minutes: number, ...events: string[]) =>
    events.map((event, index) => ({ name: event, external_user_id: name, timestamp: at(minutes + index) }));
  t.is((await api('POST', '/v0/releases', { version: '1.0', released_at: at(-100) })).status, 201);
  await send([
    ...user('a', 0, 'view', 'add', 'pay'),
    ...user('b', 0, 'view'),
    ...user('c', 60, 'view', 'add', 'pay'),
    ...user('d', 60, 'view', 'add'),
  ]);
  const path = `/v0/flows/${made.body.id}/report`;
  const report = await until(
    async () => (await api('GET', `${path}?group_by=release`)).body,
    body => body.steps?.[0].users === 4 && body.source === 'mixed',
  );
  t.deepEqual(
    report.steps.map((step: Record<string, unknown>) => [
      step.step,
      step.name,
      step.users,
      step.from_first,
      step.from_previous,
    ]),
    [
      [1, 'view', 4, 1, null],
      [2, 'In the cart', 3, 0.75, 0.75],
      [3, 'pay', 2, 0.5, 2 / 3],
    ],
  );
  t.true(Date.now() - Date.parse(report.complete_through) < 60_000);
  t.is(report.estimated, false);
  t.true(report.roll_up.hours >= 7 * 24 && report.roll_up.pending <= report.roll_up.hours);
  t.is(report.complete_from, null);
  t.is((await api('POST', '/v0/releases', { version: '1.1', name: 'Faster', released_at: at(30) })).status, 201);
  const parted = await until(
    async () => (await api('GET', `${path}?group_by=release`)).body,
    body => body.releases?.length === 2,
  );
  t.deepEqual(
    parted.releases.map((one: { version: string; steps: { users: number }[] }) => [
      one.version,
      one.steps.map(step => step.users),
    ]),
    [
      ['1.0', [2, 1, 1]],
      ['1.1', [2, 2, 1]],
    ],
  );
  const one = await api('GET', `${path}?release_id=${parted.releases[1].release_id}`);
  t.deepEqual(
    one.body.steps.map((step: { users: number }) => step.users),
    [2, 2, 1],
  );
  const days = await api('GET', `${path}?group_by=hour`);
  t.is(
    days.body.buckets.reduce(
      (sum: number, bucket: { steps: { users: number }[] }) => sum + (bucket.steps[0]?.users ?? 0),
      0,
    ),
    4,
  );
});

test('a report is an SVG to clients that accept one, and texts in it are escaped', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  const evil = '"><script>alert(1)</script>&';
  const made = await api('POST', '/v0/flows', {
    ...flow,
    name: evil,
    steps: [{ name: evil, event: 'a' }, { event: 'b' }],
  });
  const picture = await api('GET', `/v0/flows/${made.body.id}/report`, undefined, { accept: 'image/svg+xml,*/*' });
  t.is(picture.status, 200);
  t.regex(String(picture.headers['content-type']), /^image\/svg\+xml/);
  t.regex(String(picture.headers.vary), /Accept/);
  t.true(String(picture.body).startsWith('<svg'));
  t.false(String(picture.body).includes('<script'));
  t.true(String(picture.body).includes('&lt;script&gt;'));
});

test('flows are stored as sent; a change of the counting makes a version, and old versions stay readable', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  const made = await api('POST', '/v0/flows', {
    name: 'F',
    steps: [{ event: 'a', where: [{ prop: 'p', op: 'in', value: [1, 'x'] }] }, { event: 'b' }],
  });
  t.like(made.body, { name: 'F', version: 1, window_seconds: 604_800, order: 'ordered' });
  t.is(made.headers.location, `/v0/flows/${made.body.id}`);
  const path = `/v0/flows/${made.body.id}`;
  t.deepEqual((await api('GET', path)).body, made.body);
  t.is((await api('PATCH', path, { name: 'G' })).body.version, 1);
  t.is(
    (await api('PATCH', path, { steps: made.body.steps.map(({ name: _, ...step }: { name: string }) => step) })).body
      .version,
    1,
    'the same steps',
  );
  t.is((await api('PATCH', path, { order: 'strict' })).body.version, 2);
  t.is((await api('PATCH', path, { steps: [{ event: 'a' }, { event: 'c' }] })).body.version, 3);
  t.deepEqual(
    (await api('GET', `${path}/report?version=1`)).body.steps.map((step: { name: string }) => step.name),
    ['a', 'b'],
  );
  t.is((await api('GET', `${path}/report?version=4`)).status, 404);
  t.is((await api('GET', '/v0/flows')).body.data[0].name, 'G');
  t.is((await api('DELETE', path)).status, 204);
  t.is((await api('DELETE', path)).status, 404);
  t.is((await api('GET', `${path}/report`)).status, 404);
});

test('the last 20 versions are kept, and a project has at most 100 flows', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  const { body } = await api('POST', '/v0/flows', flow);
  for (let seconds = 60; seconds < 82; seconds++)
    await api('PATCH', `/v0/flows/${body.id}`, { window_seconds: seconds });
  t.is((await api('GET', `/v0/flows/${body.id}`)).body.version, 23);
  t.is((await api('GET', `/v0/flows/${body.id}/report?version=3`)).status, 404);
  t.is((await api('GET', `/v0/flows/${body.id}/report?version=4`)).status, 200);
  for (let round = 0; round < 11; round++) {
    const made = await Promise.all(Array.from({ length: 9 }, () => api('POST', '/v0/flows', flow)));
    t.true(made.every(answer => answer.status === 201));
  }
  t.like(await api('POST', '/v0/flows', flow), { status: 409, body: { code: 'limit_reached', resource: 'flows' } });
});

test('a flow that breaks rules is refused with all of its errors', async t => {
  const { api, projectId } = await openEventWorld(t, databaseOf());
  const faults = async (body: unknown) => faultsOf(await api('POST', '/v0/flows', body));
  t.deepEqual(await faults({}), ['/name required', '/steps required']);
  t.deepEqual(await faults({ ...flow, steps: [{ event: 'a' }] }), ['/steps too_short']);
  t.deepEqual(await faults({ ...flow, window_seconds: 59 }), ['/window_seconds out_of_range']);
  t.deepEqual(await faults({ ...flow, id: 'flow_x' }), ['/id read_only']);
  const where = (...conditions: unknown[]) => ({ ...flow, steps: [{ event: 'a', where: conditions }, { event: 'b' }] });
  t.deepEqual(await faults(where({ prop: 'p', op: 'lt', value: 'x' }, { prop: 'p', op: 'in', value: 1 })), [
    '/steps/0/where/0/value type',
    '/steps/0/where/1/value type',
  ]);
  t.deepEqual(await faults(where({ prop: 'p', op: 'eq' })), ['/steps/0/where/0/value required']);
  await withSql(databaseOf(), sql => sql.run`update projects set event_retention_days = 30 where id = ${projectId}`);
  t.deepEqual(await faults({ ...flow, window_seconds: 2_592_000 }), ['/window_seconds out_of_range']);
  t.is((await api('POST', '/v0/flows', { ...flow, window_seconds: 29 * 86_400 })).status, 201);
});

test('wrong ranges and groups of a report are 400', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  const { body } = await api('POST', '/v0/flows', flow);
  const path = `/v0/flows/${body.id}/report`;
  for (const query of [
    'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    'from=1990-01-01T00:00:00Z',
    'group_by=hour&from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z',
    'group_by=day&from=2023-01-01T00:00:00Z&to=2026-06-01T00:00:00Z',
    'group_by=week',
    'release_id=rel_x',
    'version=0',
    'source=all',
  ])
    t.is((await api('GET', `${path}?${query}`)).status, 400, query);
  t.is((await api('GET', `${path}?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z`)).status, 200);
});

test('another project’s flows, releases and versions are not there', async t => {
  const { api, replica } = await openEventWorld(t, databaseOf());
  const { body } = await api('POST', '/v0/flows', flow);
  const release = await api('POST', '/v0/releases', { version: '1' });
  const stranger = apiOf(replica.url, (await createTenant(databaseOf())).token);
  for (const path of [`/v0/flows/${body.id}`, `/v0/flows/${body.id}/report`, `/v0/releases/${release.body.id}`])
    t.is((await stranger('GET', path)).status, 404, path);
  const own = await stranger('POST', '/v0/flows', flow);
  t.is((await stranger('GET', `/v0/flows/${own.body.id}/report?release_id=${release.body.id}`)).status, 400);
});
