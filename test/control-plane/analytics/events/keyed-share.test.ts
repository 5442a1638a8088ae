import { randomUUID } from 'node:crypto';
import test from 'ava';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);

test('keyed requests of a project leave connections of the API to others', async t => {
  const { send, stored } = await openEventWorld(t, databaseOf());
  await withSql(databaseOf(), async sql => {
    await sql.run`
      create function slow_down() returns trigger language plpgsql as 'begin perform pg_sleep(0.5); return new; end'`;
    await sql.run`create trigger slow before insert on idempotency_keys for each row execute function slow_down()`;
    let isDone = false;
    const keyed = Array.from({ length: 12 }, () => send({ name: 'a' }, { 'idempotency-key': randomUUID() }));
    const answers = Promise.all(keyed).finally(() => {
      isDone = true;
    });
    let most = 0;
    while (!isDone) {
      const row = await sql.row<{ count: number }>`
        select count(*)::int as count
        from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'`;
      most = Math.max(most, row?.count ?? 0);
    }
    t.deepEqual(new Set((await answers).map(({ status }) => status)), new Set([202]));
    t.true(most >= 1 && most <= 4, `${most} at once`);
  });
  t.is((await stored()).length, 12);
});
