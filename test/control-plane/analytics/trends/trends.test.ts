import test from 'ava';
import fc from 'fast-check';
import { eraseUser } from '#control-plane/analytics/erasures/erase-now.ts';
import { toTimestamp } from '#shared/clock.ts';
import { deliver, labels, sentBetween } from '#test/support/event-streams.ts';
import type { SentEvent } from '#test/support/funnel.ts';
import { openTrendWorld } from '#test/support/trend-world.ts';

const dayMs = 24 * 3_600_000;
/** Berlin puts its clocks back on the 25th of October, New York on the 1st of November. */
const startMs = Date.UTC(2026, 9, 23, 12);
const endMs = startMs + 14 * dayMs;
const nowMs = endMs + 4 * dayMs;

/** What a trend must say: by brute force over the events. */
function countedBy(events: readonly SentEvent[], labelOf: (atMs: number) => string): Map<string, [number, number]> {
  const groups = Map.groupBy(events, event => labelOf(event.atMs));
  return new Map(
    [...groups]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([label, own]) => [label, [own.length, new Set(own.flatMap(each => each.user ?? [])).size]]),
  );
}

test('trends equal brute force in any order of arrival, and stay when the events are gone', async t => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata'];
  for (const stream of fc.sample(fc.array(sentBetween(startMs, endMs), { minLength: 30, maxLength: 120 }), 4)) {
    const world = await openTrendWorld(t);
    const events = await deliver(world, stream, nowMs);
    const check = async (timezone: string, granularity: string) => {
      const range = { from: toTimestamp(startMs), to: toTimestamp(endMs) };
      const query = { event: '["buy","view","[odd]"]', granularity, timezone, ...range };
      for (const type of ['track', 'error']) {
        const trends = await world.trends({ ...query, type }, nowMs);
        for (const { event, data, total } of trends.series) {
          const own = events.filter(each => each.name === event && (each.type ?? 'track') === type);
          const expected = countedBy(own, labels(granularity, timezone));
          const found = data.filter(bucket => bucket.events > 0);
          t.deepEqual(new Map(found.map(({ bucket, events, users }) => [bucket, [events, users]])), expected);
          t.deepEqual([total.events, total.users], countedBy(own, () => 'all').get('all') ?? [0, 0]);
        }
        t.deepEqual([trends.users_estimated, trends.names_truncated, trends.aligned], [false, false, 'exact']);
      }
    };
    for (const zone of zones) for (const granularity of ['hour', 'day', 'week']) await check(zone, granularity);
    const before = await world.sql.rows`select * from event_cells order by type, name, span, start, arrived_on`;
    await world.sql.run`
      insert into event_cell_days
      select distinct project_id, ingested_at::date, ${toTimestamp(nowMs)}::timestamptz from events`;
    await world.count(nowMs);
    t.deepEqual(await world.sql.rows`select * from event_cells order by type, name, span, start, arrived_on`, before);
    await world.sql.run`delete from events`;
    for (const zone of zones.slice(0, 4)) await check(zone, 'day');
  }
});

test('a breakdown begins where the events are kept', async t => {
  const world = await openTrendWorld(t);
  const event = { name: 'buy', user: 'a', atMs: startMs, props: { plan: 'pro' } };
  await world.store([event, { ...event, type: 'error' }], startMs);
  const range = { from: toTimestamp(startMs - 100 * dayMs), to: toTimestamp(endMs) };
  const trends = await world.trends({ event: 'buy', breakdown: 'plan', ...range }, nowMs);
  t.deepEqual(
    trends.series.map(each => each.total),
    [{ events: 1, users: 1 }],
  );
  t.is(trends.source, 'raw');
  t.true(Date.parse(trends.range.from) >= nowMs - 90 * dayMs, 'from where the events are kept');
});

test('where days do not begin with an hour of UTC, gone events are counted by the nearest hour', async t => {
  const world = await openTrendWorld(t);
  const oldMs = Date.UTC(2026, 6, 1, 18, 10);
  await world.store([{ name: 'buy', user: 'a', atMs: oldMs }], oldMs);
  await world.store([{ name: 'buy', user: 'a', atMs: startMs }], startMs);
  await world.count(startMs);
  await world.sql.run`delete from events where ingested_at < '2026-08-01'`;
  const range = { from: toTimestamp(oldMs - dayMs), to: toTimestamp(endMs) };
  const trends = await world.trends({ event: 'buy', timezone: 'Asia/Kolkata', ...range }, nowMs);
  t.deepEqual([trends.source, trends.aligned], ['mixed', 'hour']);
  t.deepEqual(trends.series[0]?.total, { events: 2, users: 1 });
  t.is(trends.series[0]?.data.find(({ bucket }) => bucket === '2026-10-23')?.events, 1);
});

test('an erased user is in no count whose events are kept; names beyond 2,000 are counted together', async t => {
  const world = await openTrendWorld(t);
  const names = Array.from({ length: 2005 }, (_, index) => `name ${index}`);
  await world.store([{ name: 'buy', user: 'a', atMs: startMs }], startMs);
  await world.store([{ name: 'buy', user: 'b', atMs: startMs }], startMs + 1);
  await world.store(
    names.map(name => ({ name, user: 'a', atMs: startMs })),
    startMs + 2,
  );
  await world.count(nowMs);
  const range = { from: toTimestamp(startMs), to: toTimestamp(endMs) };
  const query = { event: '["buy","name 0","(other)"]', ...range };
  const before = await world.trends(query, nowMs);
  t.deepEqual(
    before.series.map(each => each.total),
    [
      { events: 2, users: 2 },
      { events: 1, users: 1 },
      { events: 6, users: 1 },
    ],
  );
  t.true(before.names_truncated);
  await eraseUser(world.pools.background, async () => 'hash', { projectId: world.projectId, externalId: 'a' }, nowMs);
  await world.count(nowMs);
  const after = await world.trends(query, nowMs);
  t.deepEqual(
    after.series.map(each => each.total.events),
    [1, 0, 0],
  );
});
