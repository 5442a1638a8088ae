import test, { type ExecutionContext } from 'ava';
import { healHistory } from '#control-plane/monitoring/verdicts/consistency.ts';
import { instant } from '#control-plane/platform/db/sql.ts';
import { createLog } from '#shared/log.ts';
import { withSql } from '#test/support/control-plane.ts';
import { createDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const log = createLog({ name: 'test', level: 'silent' });

/** A database of its own with one monitor, since healing looks at all monitors. */
async function openCase(t: ExecutionContext) {
  const database = await createDatabase();
  const pools = patientPools(database.url);
  t.teardown(async () => {
    await pools.end();
    await database.drop();
  });
  const world = await openMonitorWorld(t, database.url);
  const { body } = await world.post({ enabled: false });
  const moved: unknown[] = [];
  const hooks = {
    flipped: async () => {},
    alerted: async () => {},
    failingRegionsChanged: async () => {},
    historyMoved: async (...values: unknown[]) => void moved.push(values.slice(2)),
  };
  const heal = () => healHistory(pools.background, hooks, Date.now(), log);
  const run = <Result>(work: Parameters<typeof withSql<Result>>[1]) => withSql(database.url, work);
  const both = () =>
    run(
      sql => sql.row<{ verdict: string; since: number; row_verdict: string; row_since: number }>`
        select s.verdict, s.since, c.verdict as row_verdict, c.since as row_since
        from monitor_states s
        join verdict_changes c using (monitor_id)
        where s.monitor_id = ${body.id}
        order by c.since desc
        limit 1`,
    );
  return { id: body.id as string, heal, run, both, moved };
}

test('where nothing disagrees nothing is healed', async t => {
  const { heal } = await openCase(t);
  t.is(await heal(), 0);
});

test('a state that starts at another instant than its row takes the start of the row, and so do alerts', async t => {
  const { id, heal, run, both, moved } = await openCase(t);
  const row = await both();
  await run(sql => sql.run`update monitor_states set since = ${instant(1000)} where monitor_id = ${id}`);
  t.is(await heal(), 1);
  t.deepEqual(await both(), row);
  t.is(moved.length, 1);
  t.is(await heal(), 0);
});

test('a verdict without a row gets one, after the last', async t => {
  const { id, heal, run, both } = await openCase(t);
  await run(sql => sql.run`update monitor_states set verdict = 'undetermined' where monitor_id = ${id}`);
  t.is(await heal(), 1);
  const healed = await both();
  t.like(healed, { verdict: 'undetermined', row_verdict: 'undetermined' });
  t.is(healed?.since, healed?.row_since);
  const causes = await run(
    sql => sql.rows`select cause, decided_at = since as at_start, quorum from verdict_changes order by since`,
  );
  t.deepEqual(causes, [
    { cause: 'configuration', at_start: true, quorum: 2 },
    { cause: 'expiry', at_start: true, quorum: 2 },
  ]);
  await run(sql => sql.run`delete from verdict_changes where monitor_id = ${id}`);
  t.is(await heal(), 1);
  t.is(await heal(), 0);
});
