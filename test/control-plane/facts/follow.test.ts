import test from 'ava';
import { leaseHolder } from '#control-plane/db/lease.ts';
import { createPools } from '#control-plane/db/pool.ts';
import { sqlOf } from '#control-plane/db/sql.ts';
import { transaction } from '#control-plane/db/transaction.ts';
import { followFacts } from '#control-plane/facts/follow.ts';
import { appendFact } from '#control-plane/facts/store.ts';
import { createLog } from '#shared/log.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const quiet = createLog({ name: 'test', level: 'silent' });

test.serial('each fact is followed once, however many workers there are', async t => {
  const pools = createPools(database(), quiet);
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  for (let index = 0; index < 250; index++) {
    await appendFact(
      sql,
      { kind: 'region.returned', projectId: null, subject: `once ${index}`, payload: {} },
      Date.now(),
    );
  }
  const seen: string[] = [];
  const work = async () => {
    while (
      (await followFacts(
        pools.background,
        async (_, fact) => void seen.push(fact.subject),
        { now: () => Date.now() },
        quiet,
      )) > 0
    );
  };
  await Promise.all([work(), work(), work()]);
  t.is(seen.length, 250);
  t.is(new Set(seen).size, 250);
});

test.serial(
  'a fact whose following fails is tried again later, without holding up its neighbours or keeping half of its effect',
  async t => {
    const pools = createPools(database(), quiet);
    t.teardown(() => pools.end());
    const sql = sqlOf(pools.background);
    for (const subject of ['bad', 'good'])
      await appendFact(sql, { kind: 'region.returned', projectId: null, subject, payload: {} }, Date.now());
    let now = Date.now();
    const done: string[] = [];
    let fails = true;
    const follow = () =>
      followFacts(
        pools.background,
        async (tx, fact) => {
          await tx.run('insert into leases values ($1, $1, 1, now())', [fact.subject]);
          if (fact.subject === 'bad' && fails) throw new Error('not now');
          done.push(fact.subject);
        },
        { now: () => now },
        quiet,
      );
    await follow();
    t.deepEqual(done, ['good']);
    t.is(await follow(), 0);
    t.is((await sql.rows("select 1 from leases where name = 'bad'")).length, 0);
    fails = false;
    now += 600_000;
    await follow();
    t.deepEqual(done, ['good', 'bad']);
  },
);

test.serial('a lease has one holder, and a new holder has a higher fence', async t => {
  const pools = createPools(database(), quiet);
  t.teardown(() => pools.end());
  const [first, second] = [leaseHolder(sqlOf(pools.background)), leaseHolder(sqlOf(pools.background))];
  const held = await first.take('work', 60_000);
  t.is(await second.take('work', 60_000), null);
  t.is((await first.take('work', 60_000))?.fence, held?.fence);
  await first.take('work', -1);
  t.true(((await second.take('work', 60_000))?.fence ?? 0) > (held?.fence ?? 0));
  await second.release('work');
  t.not(await first.take('work', 1000), null);
});

test.serial('a project sees its own rows only, whatever a statement forgets', async t => {
  const pools = createPools(database(), quiet);
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  for (const id of ['proj_a', 'proj_b'])
    await sql.run(
      "insert into projects (id, name, plan, event_retention_days, created_at) values ($1, $1, 'pro', 30, now())",
      [id],
    );
  const seen = await transaction(pools.api, tx => tx.rows<{ id: string }>('select id from projects'), 'proj_a');
  t.deepEqual(seen, [{ id: 'proj_a' }]);
  t.deepEqual(await sqlOf(pools.api).rows('select id from projects'), []);
  await t.throwsAsync(
    () =>
      transaction(
        pools.api,
        tx =>
          tx.run(
            "insert into tokens (id, project_id, name, hash, scopes, created_at) values ('t', 'proj_b', 't', 'x', '{}', now())",
          ),
        'proj_a',
      ),
    {
      message: /row-level security/,
    },
  );
});
