import test, { type ExecutionContext } from 'ava';
import {
  deleteReleasesOf,
  findNextMarker,
  findRelease,
  findReleaseOf,
  insertRelease,
  listMarkers,
  listReleases,
  type ReleaseRow,
} from '#control-plane/analytics/releases/store.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { newId } from '#shared/ids.ts';
import { createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const dayOf = (day: number) => Date.UTC(2026, 10, day);

async function openReleases(t: ExecutionContext) {
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const { projectId } = await createTenant(databaseOf());
  const insert = (version: string, day: number, changes: Partial<ReleaseRow> = {}) =>
    insertRelease(sql, {
      id: newId('rel'),
      project_id: projectId,
      version,
      name: null,
      environment: 'production',
      released_at: dayOf(day),
      url: null,
      commit_sha: null,
      props: null,
      event_id: newId('evt'),
      created_at: dayOf(day),
      ...changes,
    });
  return { sql, projectId, insert };
}

test('a release is read back as it was inserted, and the same version of an environment only once', async t => {
  const { sql, projectId, insert } = await openReleases(t);
  const changes = { name: 'One', url: 'https://example.com/', commit_sha: 'abc', props: { by: 'ci' } };
  const row = await insert('1', 3, changes);
  if (row === null) return t.fail();
  t.like(row, { version: '1', released_at: dayOf(3), ...changes });
  t.is(await insert('1', 4), null);
  t.not(await insert('1', 4, { environment: 'staging' }), null);
  t.deepEqual(await findRelease(sql, projectId, row.id), row);
  t.deepEqual(await findReleaseOf(sql, projectId, 'production', '1'), row);
  t.is(await findReleaseOf(sql, projectId, 'production', '2'), null);
  t.is(await findRelease(sql, 'proj_other', row.id), null);
});

test('the next marker is the first production release after an instant', async t => {
  const { sql, projectId, insert } = await openReleases(t);
  for (const [version, day] of [
    ['a', 3],
    ['b', 7],
    ['c', 5],
  ] as const)
    await insert(version, day);
  await insert('other', 4, { environment: 'staging' });
  t.is(await findNextMarker(sql, projectId, dayOf(3)), dayOf(5));
  t.is(await findNextMarker(sql, projectId, dayOf(5) - 1), dayOf(5));
  t.is(await findNextMarker(sql, projectId, dayOf(7)), null);
  t.is(await findNextMarker(sql, 'proj_other', dayOf(1)), null);
});

test('markers are production releases ascending in time, of one instant the last', async t => {
  const { sql, projectId, insert } = await openReleases(t);
  await insert('c', 5, { id: `rel_c_${projectId}` });
  await insert('a', 3, { id: `rel_a_${projectId}` });
  await insert('b', 5, { id: `rel_b_${projectId}`, name: 'Bee' });
  await insert('other', 4, { environment: 'staging' });
  t.deepEqual(await listMarkers(sql, projectId), [
    { id: `rel_a_${projectId}`, atMs: dayOf(3), version: 'a', name: null },
    { id: `rel_c_${projectId}`, atMs: dayOf(5), version: 'c', name: null },
  ]);
  t.deepEqual(await listMarkers(sql, 'proj_other'), []);
});

test('a list is filtered by environment and time, newest first, from its cursor on', async t => {
  const { sql, projectId, insert } = await openReleases(t);
  for (const day of [3, 4, 5]) await insert(`${day}`, day);
  await insert('staging', 6, { environment: 'staging' });
  const all = { environment: null, fromMs: null, toMs: null };
  const list = async (filter: Partial<typeof all> | Record<string, unknown>, after: [number, string] | null = null) =>
    (await listReleases(sql, projectId, { ...all, ...filter }, { after, limit: 2 })).map(row => row.version);
  t.deepEqual(await list({}), ['staging', '5', '4'], 'one more than the page');
  t.deepEqual(await list({ environment: 'production' }), ['5', '4', '3']);
  t.deepEqual(await list({ fromMs: dayOf(4), toMs: dayOf(5) }), ['4'], 'the end is excluded');
  t.deepEqual(await list({}, [dayOf(4), 'rel_']), ['3']);
  t.is(await deleteReleasesOf(sql, projectId), 4);
  t.deepEqual(await list({}), []);
});
