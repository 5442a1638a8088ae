import test from 'ava';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

test('no monitor is judged without regions, as version 0.7.7 would those it may not assign', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ url: 'tcp://192.0.2.1:80' })).body;
  const write = (deleted: boolean) =>
    withSql(
      databaseOf(),
      sql => sql.run`update monitor_states set regions = '{}', deleted = ${deleted} where monitor_id = ${id}`,
    );
  await t.throwsAsync(write(false), { message: /monitor_states_regions/ });
  t.is(await write(true), 1, 'it may delete one');
});
