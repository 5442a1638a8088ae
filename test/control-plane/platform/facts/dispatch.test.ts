import test from 'ava';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { dispatchFacts } from '#control-plane/platform/facts/dispatch.ts';
import { appendFact } from '#control-plane/platform/facts/store.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const database = useDatabase(test);
/** One time for all: the machine's clock may be set back between a fact and its turn. */
const atMs = Date.now();
const clock = { now: () => atMs };

test.serial('each fact is handled once, however many workers there are', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  for (let index = 0; index < 250; index++) {
    await appendFact(sql, { kind: 'region.returned', projectId: null, subject: `once ${index}`, payload: {} }, atMs);
  }
  const seen: string[] = [];
  const work = async () => {
    while ((await dispatchFacts(pools.background, async (_, fact) => void seen.push(fact.subject), clock)) > 0);
  };
  await Promise.all([work(), work(), work()]);
  t.is(seen.length, 250);
  t.is(new Set(seen).size, 250);
});

test.serial(
  'a fact whose handler fails is retried later, without delaying its neighbours and without a half of its effect',
  async t => {
    const pools = patientPools(database());
    t.teardown(() => pools.end());
    const sql = sqlOf(pools.background);
    for (const subject of ['bad', 'good'])
      await appendFact(sql, { kind: 'region.returned', projectId: null, subject, payload: {} }, atMs);
    let now = atMs;
    const done: string[] = [];
    let isFailing = true;
    const dispatch = () =>
      dispatchFacts(
        pools.background,
        async (tx, fact) => {
          await tx.run`insert into leases values (${fact.subject}, ${fact.subject}, 1, now())`;
          if (fact.subject === 'bad' && isFailing) throw new Error('not now');
          done.push(fact.subject);
        },
        { now: () => now },
      );
    await dispatch();
    t.deepEqual(done, ['good']);
    t.is(await dispatch(), 0);
    t.is((await sql.rows`select 1 from leases where name = 'bad'`).length, 0);
    isFailing = false;
    now += 600_000;
    await dispatch();
    t.deepEqual(done, ['good', 'bad']);
  },
);

test.serial('a project whose facts are stuck delays no other, and its facts stay in order', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const fact = (projectId: string, subject: string) =>
    appendFact(sql, { kind: 'component.changed', projectId, subject, payload: { status_page_id: 'sp_1' } }, atMs);
  for (let index = 0; index < 20; index++) await fact('proj_slow', `slow ${index}`);
  await fact('proj_other', 'other');
  const gate = Promise.withResolvers<void>();
  const other = Promise.withResolvers<void>();
  const seen: string[] = [];
  const handler = async (_: unknown, { subject, projectId }: { subject: string; projectId: string | null }) => {
    if (projectId === 'proj_slow') await gate.promise;
    seen.push(subject);
    if (projectId === 'proj_other') other.resolve();
  };
  const dispatching = dispatchFacts(pools.background, handler, clock);
  await other.promise;
  t.deepEqual(seen, ['other']);
  gate.resolve();
  let claimed = await dispatching;
  // A busy machine needs more than one round.
  for (let more = 1; more > 0; claimed += more) more = await dispatchFacts(pools.background, handler, clock);
  t.is(claimed, 21);
  t.deepEqual(seen, ['other', ...Array.from({ length: 20 }, (_, index) => `slow ${index}`)]);
});

test.serial('facts that come while a turn takes long are handled meanwhile, by the lanes that are free', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const sql = sqlOf(pools.background);
  const fact = (projectId: string, subject: string) =>
    appendFact(sql, { kind: 'component.changed', projectId, subject, payload: { status_page_id: 'sp_1' } }, atMs);
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const handler = async (_: unknown, { subject, projectId }: { subject: string; projectId: string | null }) => {
    if (projectId === 'proj_long') {
      entered.resolve();
      await gate.promise;
    }
    seen.push(subject);
  };
  await fact('proj_long', 'long');
  const dispatching = dispatchFacts(pools.background, handler, clock);
  await entered.promise;
  for (let index = 0; index < 7; index++) await fact('proj_came', `came ${index}`);
  await until(async () => seen.length >= 7, true);
  gate.resolve();
  t.is(await dispatching, 8);
  t.deepEqual(seen, [...Array.from({ length: 7 }, (_, index) => `came ${index}`), 'long']);
});

test.serial(
  'two workers with long turns leave each other’s projects alone, and do not look without a pause',
  async t => {
    const [one, two] = [patientPools(database()), patientPools(database())];
    t.teardown(() => Promise.all([one.end(), two.end()]));
    const fact = { kind: 'component.changed', subject: 's', payload: { status_page_id: 'sp_1' } } as const;
    const slow = async (sql: Sql) => {
      await sql.run`select pg_sleep(1.5)`;
    };
    let taken = 0;
    for (const pools of [one, two]) pools.background.on('acquire', () => taken++);
    await appendFact(sqlOf(one.front), { ...fact, projectId: 'proj_1' }, atMs);
    const first = dispatchFacts(one.background, slow, clock);
    await until(async () => taken >= 2, true);
    await appendFact(sqlOf(one.front), { ...fact, projectId: 'proj_2' }, atMs);
    const second = dispatchFacts(two.background, slow, clock);
    const claimed = (await first) + (await second);
    t.is(claimed, 2);
    t.true(taken < 60, `${taken} connections taken`);
  },
);

test.serial('nothing begins once a stop is asked for, and each commit is announced', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  for (let index = 0; index < 12; index++) {
    const fact = { kind: 'component.changed', subject: `${index}`, payload: { status_page_id: 'sp_1' } } as const;
    await appendFact(sqlOf(pools.background), { ...fact, projectId: 'proj_stop' }, atMs);
  }
  const stop = new AbortController();
  let commits = 0;
  const options = { signal: stop.signal, committed: () => void commits++ };
  const dispatch = (handler: () => Promise<void>) => dispatchFacts(pools.background, handler, clock, options);
  t.is(await dispatch(async () => stop.abort()), 5);
  t.is(commits, 1);
  t.is(await dispatch(async () => {}), 0);
  let left = 0;
  for (let more = 1; more > 0; left += more) more = await dispatchFacts(pools.background, async () => {}, clock);
  t.is(left, 7);
});

test.serial('a round whose database is away throws, once what is under way has ended', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const fact = { kind: 'component.changed', subject: 's', payload: { status_page_id: 'sp_1' } } as const;
  for (const projectId of ['proj_away', 'proj_here'])
    await appendFact(sqlOf(pools.background), { ...fact, projectId }, atMs);
  const broken = Promise.withResolvers<void>();
  let ended = false;
  const handler = async (sql: Sql, { projectId }: { projectId: string | null }) => {
    if (projectId === 'proj_away')
      return sql.run`select pg_terminate_backend(pg_backend_pid())`.finally(broken.resolve).then(() => {});
    await broken.promise;
    await sql.run`select pg_sleep(0.3)`;
    ended = true;
  };
  await t.throwsAsync(dispatchFacts(pools.background, handler, clock));
  t.true(ended);
  t.is(await dispatchFacts(pools.background, async () => {}, clock), 1);
});

test.serial('while one replica has a turn with a project another takes none of its facts', async t => {
  const pools = patientPools(database());
  t.teardown(() => pools.end());
  const fact = { kind: 'component.changed', subject: 's', payload: { status_page_id: 'sp_1' } } as const;
  await appendFact(sqlOf(pools.background), { ...fact, projectId: 'proj_turn' }, atMs);
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const first = dispatchFacts(
    pools.background,
    async () => {
      entered.resolve();
      await gate.promise;
    },
    clock,
  );
  await entered.promise;
  await appendFact(sqlOf(pools.background), { ...fact, projectId: 'proj_turn' }, atMs);
  t.is(await dispatchFacts(pools.background, async () => t.fail(), clock), 0);
  gate.resolve();
  // If its turn took long, the first one may have looked again just then.
  t.is((await first) + (await dispatchFacts(pools.background, async () => {}, clock)), 2);
});
