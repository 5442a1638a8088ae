import test from 'ava';
import {
  deleteIngestLeftovers,
  deleteOfShorterPlans,
  dropExpiredEvents,
} from '#control-plane/analytics/events/retention.ts';
import { rollUp } from '#control-plane/analytics/flows/roll-up/roll-up.ts';
import { runAdmin } from '#control-plane/operations/admin/command.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { adminServices } from '#test/support/admin.ts';
import { until } from '#test/support/control-plane.ts';
import { createDatabase, useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { putEvents } from '#test/support/funnel.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const dayMs = 86_400_000;
const nowMs = Date.now();

test('partitions are dropped, days of shorter plans deleted, and events that are not rolled up stay', async t => {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const pools = patientPools(database.url);
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const stored = await sql.row<{ edition: 'plain' }>`select edition from storage_edition`;
  const series = await openSeries(pools.background, sql, stored?.edition ?? 'plain');
  const services = adminServices(pools, { nowMs });
  const [pro, team] = (await Promise.all(
    ['pro', 'team'].map(plan => runAdmin(['project', 'create', '--name', plan, '--plan', plan], services)),
  )) as { id: string }[];
  for (const project of [pro, team])
    for (const age of [1, 29, 31, 60, 89, 97, 120])
      await putEvents(
        database.url,
        project?.id ?? '',
        [{ user: 'u', name: `${age}`, atMs: nowMs - age * dayMs }],
        nowMs - age * dayMs,
      );
  const storedOf = async (project: { id: string } | undefined) =>
    (
      await sql.rows<{
        name: string;
      }>`select name from events where project_id = ${project?.id ?? ''} order by ingested_at desc`
    ).map(row => row.name);
  t.deepEqual(
    await dropExpiredEvents(sql, series, nowMs, nowMs - 130 * dayMs).then(dropped => dropped.length > 0),
    true,
  );
  t.is((await storedOf(team)).at(-1), '97', 'what is not rolled up stays a week longer');
  t.true((await dropExpiredEvents(sql, series, nowMs, null)).length > 0);
  t.deepEqual(await storedOf(team), ['1', '29', '31', '60', '89']);
  t.true((await deleteOfShorterPlans(sql, nowMs, nowMs - 130 * dayMs)) > 0);
  t.deepEqual(await storedOf(pro), ['1', '29', '31'], 'what is not rolled up stays a week longer');
  t.true((await deleteOfShorterPlans(sql, nowMs, null)) > 0);
  t.deepEqual(await storedOf(pro), ['1', '29']);
  t.deepEqual(await storedOf(team), ['1', '29', '31', '60', '89']);
  const insertKey = (key: string, atMs: number) => sql.run`
    insert into event_dedup_keys (project_id, source, dedup_id, event_id, at)
    values (${pro?.id ?? ''}, 'server', ${key}, 'evt', ${new Date(atMs).toISOString()})`;
  await insertKey('old', nowMs - dayMs - 1000);
  await insertKey('new', nowMs - dayMs + 60_000);
  await deleteIngestLeftovers(sql, nowMs);
  t.deepEqual(
    (await sql.rows<{ dedup_id: string }>`select dedup_id from event_dedup_keys`).map(row => row.dedup_id),
    ['new'],
  );
});

test('one user is erased on request: from timeline and funnel, and nobody else with it', async t => {
  const { api, send, projectId, replica } = await openEventWorld(t, databaseOf());
  const flow = await api('POST', '/v0/flows', {
    name: 'f',
    steps: [{ event: 'a' }, { event: 'b' }],
    window_seconds: 3600,
  });
  const timestamp = new Date(nowMs - 5 * 3_600_000).toISOString();
  for (const user of ['gone', 'stays'])
    await send([
      { name: 'a', external_user_id: user, timestamp },
      { name: 'b', external_user_id: user, timestamp },
    ]);
  const users = async (source: string) => {
    const { body } = await api('GET', `/v0/flows/${flow.body.id}/report?source=${source}`);
    return body.steps.map((step: { users: number }) => step.users);
  };
  await until(
    () => users('hourly'),
    counts => counts.join() === '2,2',
  );
  const { background } = replica.pools;
  const services = adminServices(replica.pools);
  t.deepEqual(await runAdmin(['events', 'erase-user', '--project', projectId, '--user', 'gone'], services), {
    events: 2,
    hours: 1,
  });
  t.deepEqual(await users('raw'), [1, 1]);
  t.deepEqual((await api('GET', '/v0/users/gone/timeline')).body.data, []);
  t.is((await api('GET', '/v0/users/stays/timeline')).body.data.length, 2);
  await rollUp(background, { nowMs: Date.now() });
  await until(
    () => users('hourly'),
    counts => counts.join() === '1,1',
  );
});

test('a project’s events are erased with all that stands on them, once the id is said twice', async t => {
  const { api, send, projectId, replica } = await openEventWorld(t, databaseOf());
  await send([{ name: 'a', external_user_id: 'u', dedup_id: 'd' }]);
  await api('POST', '/v0/releases', { version: '1' });
  await api('POST', '/v0/flows', { name: 'f', steps: [{ event: 'a' }, { event: 'b' }] });
  const services = adminServices(replica.pools);
  await t.throwsAsync(runAdmin(['events', 'erase', '--project', projectId], services), { message: /--confirm/ });
  t.like(await runAdmin(['events', 'erase', '--project', projectId, '--confirm', projectId], services), {
    flows: 1,
    releases: 1,
  });
  const tables = await readTables(databaseOf());
  for (const [name, rows] of Object.entries(tables))
    if (/^(event|flow|release)/.test(name))
      t.deepEqual(
        rows.filter(row => row.includes(projectId)),
        [],
        name,
      );
});

test('limits above the default need a larger plan, and apply from the next request on', async t => {
  const { send, projectId, replica } = await openEventWorld(t, databaseOf());
  const services = adminServices(replica.pools);
  const raise = () =>
    runAdmin(
      ['project', 'limits', '--project', projectId, '--sustained', '5000', '--burst', '9000', '--burst-seconds', '60'],
      services,
    );
  await t.throwsAsync(raise(), { message: /business or enterprise/ });
  await services.sql.run`update projects set plan = 'business' where id = ${projectId}`;
  t.like(await raise(), { ingest_limits: { sustained_per_second: 5000, burst_per_second: 9000, burst_seconds: 60 } });
  const batch = Array.from({ length: 1000 }, () => ({ name: 'a' }));
  for (let count = 0; count < 10; count++) t.is((await send(batch)).status, 202);
});
