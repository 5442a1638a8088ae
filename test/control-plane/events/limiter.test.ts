import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { chargeBuckets } from '#control-plane/events/limiter-store.ts';
import { bucketsOf, decideCharge, type Level } from '#control-plane/events/limits.ts';
import { apiOf, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { createDatabase, useDatabase } from '#test/support/database.ts';
import { stopLimiterClock } from '#test/support/events.ts';

const databaseOf = useDatabase(test);
const limits = { sustained_per_second: 200, burst_per_second: 1000, burst_seconds: 30 };
const startMs = Date.UTC(2026, 0, 1);
const batch = JSON.stringify(Array.from({ length: 1000 }, () => ({ name: 'a' })));

/** One batch of 1000 each second: what the contract publishes. Null is a 202, a number the seconds of a 429. */
const published: readonly (readonly [second: number, retryAfter: number | null])[] = [
  ...Array.from({ length: 30 }, (_, second) => [second, null] as const),
  [30, 3],
  [31, 2],
  [32, 1],
  [33, null],
  [34, 4],
  [35, 3],
  [37, 1],
  [38, null],
  [39, 4],
  [44, null],
  [44, 4],
];

for (const replicas of [1, 3]) {
  test.serial(`the published trace holds for ${replicas} replicas on one database`, async t => {
    const database = await createDatabase();
    t.teardown(() => database.drop());
    const setClock = await stopLimiterClock(database.url);
    const { token } = await createTenant(database.url);
    const apis = await Promise.all(Array.from({ length: replicas }, () => openReplica(t, database.url, token)));
    const seen: (readonly [number, number | null])[] = [];
    for (const [step, [second]] of published.entries()) {
      await setClock(startMs + second * 1000);
      const answer = await (apis[step % replicas] as (typeof apis)[number])('POST', '/v0/events', batch);
      if (answer.status === 429) t.is(answer.headers['retry-after'], String(answer.body.retry_after));
      else t.is(answer.status, 202);
      seen.push([second, answer.status === 202 ? null : answer.body.retry_after]);
    }
    t.deepEqual(seen, published);
  });
}

test('of many requests at once exactly as many get in as the buckets hold', async t => {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const setClock = await stopLimiterClock(database.url);
  const { token, projectId } = await createTenant(database.url);
  const apis = await Promise.all([1, 2, 3].map(() => openReplica(t, database.url, token)));
  await setClock(startMs);
  const hundred = Array.from({ length: 100 }, () => ({ name: 'a' }));
  const answers = await Promise.all(
    Array.from({ length: 45 }, (_, place) => (apis[place % 3] as (typeof apis)[number])('POST', '/v0/events', hundred)),
  );
  t.is(answers.filter(answer => answer.status === 202).length, 20, 'the peak bucket holds 2000');
  t.is(answers.filter(answer => answer.status === 429).length, 25);
  const row = await withSql(database.url, sql =>
    sql.row<{ count: number }>('select count(*) as count from events where project_id = $1', [projectId]),
  );
  t.is(row?.count, 2000);
});

test('the statement of the database decides as the pure rule does, over random traces', async t => {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const setClock = await stopLimiterClock(database.url);
  const step = fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
    count: fc.integer({ min: 1, max: 1000 }),
    browser: fc.boolean(),
    address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
  });
  const traces = fc.sample(fc.array(step, { minLength: 10, maxLength: 25 }), 12);
  await withSql(database.url, async sql => {
    for (const [place, trace] of traces.entries()) {
      let nowMs = startMs;
      let levels: ReadonlyMap<string, Level> = new Map();
      for (const { waitMs, count, browser, address } of trace) {
        nowMs += waitMs;
        const wanted = browser ? Math.min(count, 300) : count;
        const buckets = bucketsOf(`proj_${place}`, browser ? 'browser' : 'server', `${address} ${place}`, limits);
        const expected = decideCharge(buckets, levels, wanted, nowMs);
        await setClock(nowMs);
        t.is(await chargeBuckets(sql, buckets, wanted), expected.granted ? null : expected.retryAfter);
        if (expected.granted) levels = expected.levels;
      }
    }
  });
});

test('who waits as long as told and comes alone gets in, and a second sooner does not', t => {
  const count = fc.integer({ min: 1, max: 1000 });
  fc.assert(
    fc.property(
      fc.array(count, { minLength: 1, maxLength: 60 }),
      count,
      fc.constantFrom('server', 'browser'),
      (before, last, source) => {
        const buckets = bucketsOf('p', source, '192.0.2.1', limits);
        const capped = (one: number) => (source === 'browser' ? Math.min(one, 300) : one);
        let levels: ReadonlyMap<string, Level> = new Map();
        for (const one of before) {
          const outcome = decideCharge(buckets, levels, capped(one), startMs);
          if (outcome.granted) levels = outcome.levels;
        }
        const refused = decideCharge(buckets, levels, capped(last), startMs);
        if (refused.granted) return;
        t.true(decideCharge(buckets, levels, capped(last), startMs + refused.retryAfter * 1000).granted);
        t.false(decideCharge(buckets, levels, capped(last), startMs + (refused.retryAfter - 1) * 1000).granted);
      },
    ),
    { numRuns: 2000 },
  );
});

test('pages together take at most half, so that the servers’ share stays', t => {
  let levels: ReadonlyMap<string, Level> = new Map();
  let taken = 0;
  for (let second = 0; second < 60; second++) {
    for (let address = 0; address < 50; address++) {
      const buckets = bucketsOf('p', 'browser', `192.0.2.${address}`, limits);
      const outcome = decideCharge(buckets, levels, 50, startMs + second * 1000);
      if (!outcome.granted) continue;
      levels = outcome.levels;
      taken += 50;
    }
    const server = decideCharge(bucketsOf('p', 'server', '', limits), levels, 90, startMs + second * 1000);
    t.true(server.granted, `second ${second}`);
    if (server.granted) levels = server.levels;
  }
  t.true(taken <= 12_250 + 60 * 100);
});

test('only valid events are charged, and a refusal takes nothing', async t => {
  const { projectId, token } = await createTenant(databaseOf());
  const api = await openReplica(t, databaseOf(), token);
  const answer = await api('POST', '/v0/events', [{ name: 'a' }, {}, { name: 5 }]);
  t.is(answer.status, 202);
  t.is((await api('POST', '/v0/events', [{}, {}])).status, 422);
  const left = await withSql(databaseOf(), sql =>
    sql.row<{ tokens: number }>('select tokens from ingest_buckets where key = $1', [`project ${projectId} sustained`]),
  );
  t.is(left?.tokens, 24_499);
});

async function openReplica(t: ExecutionContext, databaseUrl: string, token: string) {
  const replica = await startReplica(databaseUrl);
  t.teardown(() => replica.stop());
  return apiOf(replica.url, token);
}
