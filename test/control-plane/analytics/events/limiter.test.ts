import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { Source } from '#control-plane/analytics/events/event.ts';
import { chargeStored } from '#control-plane/analytics/events/limiter.ts';
import { bucketsOf, type Load, tokensOf } from '#control-plane/analytics/events/limits.ts';
import { setQuota } from '#control-plane/platform/project-limits/quota-store.ts';
import { apiOf, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { createDatabase, useDatabase } from '#test/support/database.ts';
import { stopLimiterClock } from '#test/support/events.ts';
import { decideCharge, type Level } from '#test/support/limiter-oracle.ts';

const databaseOf = useDatabase(test);
const limits = {
  sustained_per_second: 200,
  burst_per_second: 1000,
  burst_seconds: 30,
  event_bytes_per_day: 1_000_000_000_000,
};
/** Everything that a request takes, for a page with its token before the body. */
const chargesOf = (projectId: string, source: Source, address: string, load: Load, project = limits) => {
  const buckets = bucketsOf({ projectId, source, address, nowMs: startMs }, load, project);
  if (source === 'server') return buckets;
  return buckets.map(bucket => (bucket.key.startsWith('address') ? { ...bucket, amount: bucket.amount + 1 } : bucket));
};
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
  const row = await withSql(
    database.url,
    sql => sql.row<{ count: number }>`select count(*) as count from events where project_id = ${projectId}`,
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
    bytes: fc.oneof(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 2_000_000 })),
    browser: fc.boolean(),
    address: fc.constantFrom('192.0.2.1', '192.0.2.2'),
  });
  const traces = fc.sample(fc.array(step, { minLength: 10, maxLength: 25 }), 12);
  await withSql(database.url, async sql => {
    for (const [place, trace] of traces.entries()) {
      let nowMs = startMs;
      let levels: ReadonlyMap<string, Level> = new Map();
      for (const { waitMs, count, bytes, browser, address } of trace) {
        nowMs += waitMs;
        const wanted = browser ? Math.min(count, 300) : count;
        const source = browser ? 'browser' : 'server';
        const project = { ...limits, event_bytes_per_day: 5_000_000 };
        const buckets = chargesOf(`proj_${place}`, source, `${address} ${place}`, { events: wanted, bytes }, project);
        const expected = decideCharge(buckets, levels, nowMs);
        await setClock(nowMs);
        const refusal = await chargeStored(sql, buckets);
        if (expected.granted) t.is(refusal, null);
        else t.like(refusal, { reason: expected.reason, retryAfter: expected.retryAfter });
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
      fc.integer({ min: 1, max: 5_000_000 }),
      (before, last, source, bytes) => {
        const charges = (one: number) => {
          const load = { events: source === 'browser' ? Math.min(one, 300) : one, bytes };
          return chargesOf('p', source, '192.0.2.1', load);
        };
        let levels: ReadonlyMap<string, Level> = new Map();
        for (const one of before) {
          const outcome = decideCharge(charges(one), levels, startMs);
          if (outcome.granted) levels = outcome.levels;
        }
        const refused = decideCharge(charges(last), levels, startMs);
        if (refused.granted) return;
        const waitMs = (refused.retryAfter ?? 0) * 1000;
        t.true(decideCharge(charges(last), levels, startMs + waitMs).granted);
        t.false(decideCharge(charges(last), levels, startMs + waitMs - 1000).granted);
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
      const buckets = chargesOf('p', 'browser', `192.0.2.${address}`, { events: 50, bytes: 50 });
      const outcome = decideCharge(buckets, levels, startMs + second * 1000);
      if (!outcome.granted) continue;
      levels = outcome.levels;
      taken += 50;
    }
    const server = decideCharge(
      chargesOf('p', 'server', '', { events: 90, bytes: 90 }),
      levels,
      startMs + second * 1000,
    );
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
  const left = await withSql(
    databaseOf(),
    sql =>
      sql.row<{ tokens: number }>`select tokens from ingest_buckets where key = ${`project ${projectId} sustained`}`,
  );
  t.is(left?.tokens, 24_499);
});

test('a request costs a token per event or per KiB, whichever is more, and never more than the largest batch', t => {
  const kib = 1024;
  const cases: [Source, Load, number][] = [
    ['server', { events: 1000, bytes: 1000 * kib }, 1000],
    ['server', { events: 1, bytes: 32 * kib }, 32],
    ['server', { events: 1, bytes: 1 }, 1],
    ['server', { events: 10, bytes: 10 * kib + 1 }, 11],
    ['server', { events: 1000, bytes: 5000 * kib }, 1000],
    ['browser', { events: 60, bytes: 240 * kib }, 240],
    ['browser', { events: 300, bytes: 1 }, 300],
    ['browser', { events: 300, bytes: 900 * kib }, 300],
  ];
  for (const [source, load, expected] of cases) t.is(tokensOf(load, source), expected);
});

test('bytes of the day are a quota: 409 beyond it, shown with the project, raised by the operator at once', async t => {
  const { projectId, token } = await createTenant(databaseOf());
  const api = await openReplica(t, databaseOf(), token);
  const set = (maximum: number) =>
    withSql(databaseOf(), sql => setQuota(sql, projectId, 'event_bytes_per_day', maximum));
  await set(10_000);
  const event = { name: 'a', props: { text: 'x'.repeat(2980) } };
  const statuses: number[] = [];
  for (let sent = 0; sent < 4; sent++) statuses.push((await api('POST', '/v0/events', event)).status);
  t.deepEqual(statuses, [202, 202, 202, 409]);
  const refused = await api('POST', '/v0/events', event);
  t.like(refused.body, { code: 'limit_reached', resource: 'event_bytes_per_day', maximum: 10_000 });
  t.true(refused.body.retry_after > 0 && refused.body.retry_after <= 86_400);
  const { quotas } = (await api('GET', '/v0/project')).body;
  t.deepEqual(
    quotas.find((quota: { resource: string }) => quota.resource === 'event_bytes_per_day'),
    { resource: 'event_bytes_per_day', maximum: 10_000, used: 3 * 2992 },
  );
  await set(20_000);
  t.is((await api('POST', '/v0/events', event)).status, 202);
});

test('pages use up at most half of the bytes of a day', async t => {
  const { projectId, token } = await createTenant(databaseOf());
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  await withSql(databaseOf(), sql => setQuota(sql, projectId, 'event_bytes_per_day', 8000));
  const event = { name: 'a', props: { text: 'x'.repeat(2980) } };
  const page = (body: object) => apiOf(replica.url, '')('POST', `/v0/events?project_id=${projectId}`, body);
  t.is((await page(event)).status, 202);
  t.is((await page(event)).body.code, 'limit_reached');
  t.is((await apiOf(replica.url, token)('POST', '/v0/events', event)).status, 202);
});

async function openReplica(t: ExecutionContext, databaseUrl: string, token: string) {
  const replica = await startReplica(databaseUrl);
  t.teardown(() => replica.stop());
  return apiOf(replica.url, token);
}
