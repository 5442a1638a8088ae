import test from 'ava';
import { setQuota } from '#control-plane/platform/project-limits/quota-store.ts';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);

test('a release is created once per version and environment, its event is on timelines that ask for it', async t => {
  const { api, send, stored } = await openEventWorld(t, databaseOf());
  const release = {
    version: '2.0',
    name: 'Two',
    released_at: '2026-11-01T10:00:00.5Z',
    url: 'https://example.com/2',
    commit_sha: 'abc',
    props: { by: 'ci' },
  };
  const made = await api('POST', '/v0/releases', release);
  t.is(made.status, 201);
  t.like(made.body, { ...release, released_at: '2026-11-01T10:00:00.500Z', environment: 'production' });
  t.is(made.headers.location, `/v0/releases/${made.body.id}`);
  const again = await Promise.all(
    Array.from({ length: 5 }, () => api('POST', '/v0/releases', { version: '2.0', name: 'Other' })),
  );
  for (const answer of again) t.deepEqual([answer.status, answer.body], [200, made.body]);
  t.is((await api('POST', '/v0/releases', { version: '2.0', environment: 'staging' })).status, 201);
  t.deepEqual((await api('GET', `/v0/releases/${made.body.id}`)).body, made.body);
  t.is((await stored()).filter(event => event.type === 'release').length, 2);
  await send({ name: 'a', external_user_id: 'u', timestamp: '2026-11-01T11:00:00Z' });
  const timeline = await api('GET', '/v0/users/u/timeline?types=track,release&to=2026-11-01T12:00:00Z');
  t.deepEqual(
    timeline.body.data.map((item: { type: string; name: string }) => [item.type, item.name]),
    [
      ['track', 'a'],
      ['release', 'Two'],
    ],
  );
  t.is(timeline.body.data[1].id, made.body.event_id);
  t.like(timeline.body.data[1].props, { release_id: made.body.id, version: '2.0', props: { by: 'ci' } });
  t.deepEqual(
    (await api('GET', '/v0/users/u/timeline')).body.data.map((item: { type: string }) => item.type),
    ['track'],
  );
});

test('releases are listed newest first, and filtered', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  for (const [version, environment, day] of [
    ['a', 'production', 3],
    ['b', 'staging', 5],
    ['c', 'production', 4],
  ] as const)
    await api('POST', '/v0/releases', { version, environment, released_at: `2026-11-0${day}T00:00:00Z` });
  const versions = async (query = '') =>
    (await api('GET', `/v0/releases${query}`)).body.data.map((release: { version: string }) => release.version);
  t.deepEqual(await versions(), ['b', 'c', 'a']);
  t.deepEqual(await versions('?environment=production'), ['c', 'a']);
  t.deepEqual(await versions('?from=2026-11-04T00:00:00Z&to=2026-11-05T00:00:00Z'), ['c']);
});

test('a release that breaks rules is refused with its errors', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  const faults = async (body: unknown) => faultsOf(await api('POST', '/v0/releases', body));
  t.deepEqual(await faults({}), ['/version required']);
  t.deepEqual(await faults({ version: '1', url: 'javascript:alert(1)', id: 'x' }), ['/id read_only', '/url format']);
  t.deepEqual(await faults({ version: '1', released_at: new Date(Date.now() + 7_200_000).toISOString() }), [
    '/released_at in_future',
  ]);
  t.deepEqual(await faults({ version: '1', released_at: '1999-01-01T00:00:00Z' }), ['/released_at out_of_range']);
  t.deepEqual(await faults({ version: '1', props: { a: 'x'.repeat(40_000) } }), ['/props too_long']);
  t.deepEqual(await faults('{"version":"1","props":{"a":1e999}}'), ['/props/a out_of_range']);
});

test('a release is charged three times its size to the bytes of the day, once, and at the rate of events', async t => {
  const { api, projectId } = await openEventWorld(t, databaseOf());
  await withSql(databaseOf(), sql => setQuota(sql, projectId, 'event_bytes_per_day', 20_000));
  const post = (version: string) => api('POST', '/v0/releases', { version, props: { notes: 'x'.repeat(5000) } });
  t.is((await post('1')).status, 201);
  t.is((await post('1')).status, 200);
  const refused = await post('2');
  t.deepEqual(
    [refused.status, refused.body.code, refused.body.resource],
    [409, 'limit_reached', 'event_bytes_per_day'],
  );
  t.is((await api('GET', '/v0/releases')).body.data.length, 1);
  await withSql(databaseOf(), async sql => {
    await setQuota(sql, projectId, 'event_bytes_per_day', null);
    await sql.run`update ingest_buckets set tokens = -1000 where key = ${`project ${projectId} peak`}`;
    await sql.run`update projects set sustained_per_second = 1, burst_per_second = 1 where id = ${projectId}`;
  });
  const tooFast = await post('2');
  t.deepEqual([tooFast.status, tooFast.body.code], [429, 'rate_limited']);
});

test('a deleted release is gone with its marker, and entries of its time go to the release before', async t => {
  const { api, send, stored } = await openEventWorld(t, databaseOf());
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const post = async (version: string, minutes: number): Promise<string> =>
    (await api('POST', '/v0/releases', { version, released_at: at(minutes) })).body.id;
  const [first, second] = [await post('1', 120), await post('2', 60)];
  const flow = (await api('POST', '/v0/flows', { name: 'f', steps: [{ event: 'a' }, { event: 'b' }] })).body.id;
  t.is((await send({ name: 'a', external_user_id: 'u', timestamp: at(30) })).status, 202);
  const releases = async () =>
    (await api('GET', `/v0/flows/${flow}/report?group_by=release`)).body.releases.map(
      (release: { release_id: string }) => release.release_id,
    );
  await until(releases, ids => ids.includes(second));
  t.is((await api('DELETE', `/v0/releases/${second}`)).status, 204);
  t.is((await api('DELETE', `/v0/releases/${second}`)).status, 404);
  t.is((await api('GET', `/v0/releases/${second}`)).status, 404);
  t.deepEqual(
    (await stored()).filter(event => event.type === 'release').map(event => event.name),
    ['1'],
  );
  t.deepEqual(await until(releases, ids => ids.length === 1), [first]);
  t.is((await api('POST', '/v0/releases', { version: '2' })).status, 201, 'its version is free again');
});

test('releases have a quota, which deleting one frees; the same release again takes none', async t => {
  const { api, projectId } = await openEventWorld(t, databaseOf());
  await withSql(databaseOf(), sql => setQuota(sql, projectId, 'releases', 2));
  const post = (version: string) => api('POST', '/v0/releases', { version });
  const first = await post('1');
  t.is((await post('2')).status, 201);
  const refused = await post('3');
  t.like(refused, { status: 409, body: { code: 'limit_reached', resource: 'releases', limit: 2 } });
  t.is((await post('2')).status, 200);
  t.is((await api('DELETE', `/v0/releases/${first.body.id}`)).status, 204);
  t.is((await post('3')).status, 201);
});
