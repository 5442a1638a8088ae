import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import { StateCache } from '#control-plane/monitoring/monitors/state/state-cache.ts';
import { findState, writeStates } from '#control-plane/monitoring/monitors/state/state-store.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { apiOf, createRegions, createTenant, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { makeVote } from '#test/support/monitor-state.ts';
import { patientPools } from '#test/support/patient-pools.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

async function openMonitors(t: ExecutionContext, count: number) {
  const region = `cache-${count}`;
  await createRegions(database(), [region]);
  const { token } = await createTenant(database());
  // Without a worker nobody else writes their states.
  const replica = await sharedReplica(database(), { roles: ['front'] });
  const api = apiOf(replica.url, token);
  const monitor = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, regions: [region] };
  const ids: string[] = [];
  // One by one: all lock the project's row.
  for (let index = 0; index < count; index++) {
    const made = await api('POST', '/v0/monitors', monitor);
    t.is(made.status, 201, JSON.stringify(made.body));
    ids.push(String(made.body.id));
  }
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  return { ids: ids.sort(), pool: pools.ingest };
}

const voted = (state: MonitorState, at: number): MonitorState => ({ ...state, votes: { a: makeVote(at) } });
/** Locks and writes as the recorder does. */
async function record(cache: StateCache, pool: Parameters<typeof transaction>[0], ids: readonly string[], at: number) {
  const done = await transaction(pool, async sql => {
    const { states, ownVersion } = await cache.lock(sql, ids);
    const written = states.map(state => voted(state, at));
    await writeStates(sql, written);
    return { states, written, ownVersion };
  });
  cache.keep(done.written, done.ownVersion);
  return done.states;
}

test('whoever writes, a lock returns what is in the rows, in the order of ids', async t => {
  const { ids, pool } = await openMonitors(t, 4);
  const caches = [new StateCache(), new StateCache()];
  const sql = sqlOf(pool);
  let at = 1000;
  const step = fc.record({
    writer: fc.constantFrom('first', 'second', 'other', 'rolled back'),
    picks: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
      for (const { writer, picks } of steps) {
        at += 1000;
        const chosen = picks.map(pick => ids[pick] ?? '');
        const stored = await Promise.all(chosen.map(id => findState(sql, id)));
        if (writer === 'other')
          await writeStates(
            sql,
            stored.flatMap(state => (state === null ? [] : voted(state, at))),
          );
        else if (writer === 'rolled back') {
          const work = caches[0]?.lock.bind(caches[0]);
          await t.throwsAsync(
            transaction(pool, async tx => {
              const states = (await work?.(tx, chosen))?.states ?? [];
              await writeStates(
                tx,
                states.map(state => voted(state, at)),
              );
              throw new Error('rolled back');
            }),
          );
        } else {
          const seen = await record(caches[writer === 'first' ? 0 : 1] ?? new StateCache(), pool, chosen, at);
          t.deepEqual(seen, stored);
        }
      }
    }),
    { numRuns: 20 },
  );
});

test('what this process wrote is not read again', async t => {
  const { ids, pool } = await openMonitors(t, 1);
  const cache = new StateCache();
  await record(cache, pool, ids, 1000);
  const [first] = await record(cache, pool, ids, 2000);
  const [second] = (await transaction(pool, sql => cache.lock(sql, ids))).states;
  t.is(first?.votes.a?.as_of, 1000);
  const [third] = (await transaction(pool, sql => cache.lock(sql, ids))).states;
  t.is(third, second, 'the same object');
});

test('a row that another transaction is writing is waited for, and read as it left it', async t => {
  const { ids, pool } = await openMonitors(t, 2);
  const [cache, other] = [new StateCache(), new StateCache()];
  await record(cache, pool, ids, 1000);
  const locked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const writing = transaction(pool, async sql => {
    const { states } = await other.lock(sql, ids);
    locked.resolve();
    await go.promise;
    await writeStates(
      sql,
      states.map(state => voted(state, 5000)),
    );
  });
  await locked.promise;
  const waiting = record(cache, pool, ids, 9000);
  await until(async () => {
    const row = await sqlOf(pool).row<{ waiting: number }>`
      select count(*)::integer as waiting
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.waiting;
  }, 1);
  go.resolve();
  await writing;
  t.deepEqual(
    (await waiting).map(state => state.votes.a?.as_of),
    [5000, 5000],
  );
});

test('a full cache returns every state, also while another batch pushes them out', async t => {
  const { ids, pool } = await openMonitors(t, 6);
  const cache = new StateCache(3);
  for (let round = 0; round < 3; round++)
    t.deepEqual(
      (await record(cache, pool, ids, round)).map(state => state.monitorId),
      ids,
    );
  const [first, second] = [ids.slice(0, 3), ids.slice(3)];
  for (let round = 0; round < 5; round++) {
    const both = await Promise.all([record(cache, pool, first, round), record(cache, pool, second, round)]);
    t.deepEqual(
      both.flat().map(state => state.monitorId),
      ids,
    );
  }
});

test('it keeps no more states than it may, the last ones', async t => {
  const { ids, pool } = await openMonitors(t, 7);
  const cache = new StateCache(3);
  const { written, ownVersion } = await transaction(pool, async sql => {
    const locked = await cache.lock(sql, ids);
    const written = locked.states.map(state => voted(state, 1000));
    await writeStates(sql, written);
    return { written, ownVersion: locked.ownVersion };
  });
  cache.keep(written, ownVersion);
  const { states } = await transaction(pool, sql => cache.lock(sql, ids));
  t.deepEqual(
    states.map((state, index) => state === written[index]),
    [false, false, false, false, true, true, true],
  );
});
