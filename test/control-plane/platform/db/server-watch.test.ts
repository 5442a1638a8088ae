import test from 'ava';
import pg from 'pg';
import { createPools } from '#control-plane/platform/db/pool.ts';
import { createServerWatch } from '#control-plane/platform/db/server-watch.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { createLog } from '#shared/log.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);

/** A connection to a server that started at an instant. */
function connectionTo(started: string): pg.Client {
  const client = new pg.Client();
  return Object.assign(client, { query: async () => ({ rows: [{ started }] }) });
}

test('who remembers something is asked to forget it with the first connection to another server', async t => {
  const watch = createServerWatch();
  let forgotten = 0;
  watch.onChange(() => {
    forgotten += 1;
  });
  for (const started of ['one', 'one']) await watch.meet(connectionTo(started));
  t.is(forgotten, 0);
  await watch.meet(connectionTo('two'));
  t.is(forgotten, 1);
  for (const started of ['two', 'two']) await watch.meet(connectionTo(started));
  t.is(forgotten, 1);
});

test('each connection of a pool is asked before its first statement', async t => {
  const pools = createPools(database(), createLog({ name: 'test', level: 'silent' }));
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  await sql.row`select 1`;
  let forgotten = 0;
  pools.server.onChange(() => {
    forgotten += 1;
  });
  await pools.server.meet(connectionTo('another server'));
  t.is(forgotten, 1);
  await sqlOf(pools.front).row`select 1`;
  t.is(forgotten, 2, 'the server is the first one again');
});
