import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { classifyFault } from '#control-plane/platform/db/errors.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { afterCommit, transaction, withSavepoint } from '#control-plane/platform/db/transaction.ts';
import { useDatabase } from '#test/support/database.ts';
import { hurriedPools, patientPools } from '#test/support/patient-pools.ts';
import { severable } from '#test/support/severable-database.ts';

const database = useDatabase(test);

test('a project sees only its own rows, whatever a statement forgets', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  for (const id of ['proj_a', 'proj_b'])
    await sql.run`
      insert into projects (id, name, plan, event_retention_days, created_at)
      values (${id}, ${id}, 'pro', 30, now())`;
  const seen = await transaction(pools.api, tx => tx.rows<{ id: string }>`select id from projects`, 'proj_a');
  t.deepEqual(seen, [{ id: 'proj_a' }]);
  t.deepEqual(await sqlOf(pools.api).rows`select id from projects`, []);
  await t.throwsAsync(
    () =>
      transaction(
        pools.api,
        tx =>
          tx.run`
            insert into tokens (id, project_id, name, hash, scopes, created_at)
            values ('t', 'proj_b', 't', 'x', '{}', now())`,
        'proj_a',
      ),
    {
      message: /row-level security/,
    },
  );
});

test('a transaction that loses a deadlock is repeated as a whole', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  for (const name of ['left', 'right']) await sql.run`insert into leases values (${name}, 'nobody', 0, now())`;
  const bothLocked = Promise.withResolvers<void>();
  let locked = 0;
  let attempts = 0;
  const lockBoth = (first: string, second: string) =>
    transaction(pools.background, async tx => {
      attempts += 1;
      await tx.run`update leases set fence = fence + 1 where name = ${first}`;
      locked += 1;
      if (locked === 2) bothLocked.resolve();
      await bothLocked.promise;
      await tx.run`update leases set fence = fence + 1 where name = ${second}`;
    });
  await Promise.all([lockBoth('left', 'right'), lockBoth('right', 'left')]);
  // PostgreSQL may end both, or the one that is repeated once more.
  t.true(attempts >= 3);
  t.deepEqual(await sql.rows`select fence from leases where name in ('left', 'right')`, [{ fence: 2 }, { fence: 2 }]);
});

test('a transaction that is undone has a result and changes nothing, and no commit of it is acted upon', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  let acted = false;
  const add = async (tx: Sql) => {
    await tx.run`insert into leases values ('undone', 'nobody', 7, now())`;
    afterCommit(tx, () => {
      acted = true;
    });
    return tx.row<{ fence: number }>`select fence from leases where name = 'undone'`;
  };
  t.deepEqual(await transaction(pools.background, add, null, true), { fence: 7 });
  t.is(await sql.row`select fence from leases where name = 'undone'`, null);
  t.false(acted);
});

test('a connection that falls silent ends with an error, and the next transaction has a new one', async t => {
  await using way = await severable(database());
  const pools = hurriedPools(way.url);
  t.teardown(() => pools.end());
  const read = () => transaction(pools.front, tx => tx.row<{ one: number }>`select 1 as one`);
  t.like(await read(), { one: 1 });
  way.silence();
  const error = await t.throwsAsync(read());
  t.is(classifyFault(error), 'away');
  t.like(await read(), { one: 1 });
});

test('nothing more is waited for on a connection that fell silent within a savepoint', async t => {
  await using way = await severable(database());
  const pools = hurriedPools(way.url);
  t.teardown(() => pools.end());
  const failing = transaction(pools.front, async sql => {
    const work = withSavepoint(sql, async () => {
      way.silence();
      await sql.row`select 1 as one`;
    });
    t.is(classifyFault(await t.throwsAsync(work)), 'away');
    let isRefused = false;
    const next = sql.row`select 1 as one`.catch(() => {
      isRefused = true;
    });
    // Much sooner than after the seconds that a silent connection is given.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    t.true(isRefused, 'the next statement waits');
    await next;
    throw new Error('given up');
  });
  await t.throwsAsync(failing);
});

test('a transaction that does nothing, as of a frozen process, soon gives its locks up', async t => {
  const pools = hurriedPools(database());
  t.teardown(() => pools.end());
  await sqlOf(pools.background).run`insert into leases values ('frozen', 'nobody', 0, now())`;
  const frozen = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holder = transaction(pools.ingest, async tx => {
    await tx.run`update leases set fence = 1 where name = 'frozen'`;
    locked.resolve();
    await frozen.promise;
    await tx.run`update leases set fence = 2 where name = 'frozen'`;
  });
  await locked.promise;
  await transaction(pools.background, tx => tx.run`update leases set fence = fence + 10 where name = 'frozen'`);
  frozen.resolve();
  t.is(classifyFault(await t.throwsAsync(holder)), 'away');
  t.like(await sqlOf(pools.background).row`select fence from leases where name = 'frozen'`, { fence: 10 });
});
