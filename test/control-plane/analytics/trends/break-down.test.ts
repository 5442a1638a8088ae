import test from 'ava';
import fc from 'fast-check';
import { toTimestamp } from '#shared/clock.ts';
import { labels } from '#test/support/event-streams.ts';
import type { SentEvent } from '#test/support/funnel.ts';
import { openTrendWorld } from '#test/support/trend-world.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Berlin puts its clocks back on the 25th of October. */
const startMs = Date.UTC(2026, 9, 23, 12);
const endMs = startMs + 4 * dayMs;
const nowMs = endMs + 4 * dayMs;
const range = { from: toTimestamp(startMs), to: toTimestamp(endMs) };

const texts = Array.from({ length: 24 }, (_, n) => `value ${n}`);
const odd = [1, '1', 1.5, true, null, '', 'a,"b', '}', '🙂'.repeat(100), 'x'.repeat(101), { plan: 'pro' }, ['pro']];
const sent = fc.record({
  user: fc.constantFrom('a', 'b', 'c', null),
  atMs: fc.integer({ min: startMs, max: endMs - 1 }),
  lateMs: fc.integer({ min: -hourMs, max: 3 * dayMs }),
  props: fc.oneof(
    fc.record({ plan: fc.constantFrom<unknown>(...texts, ...odd), deep: fc.constant({ plan: 'deep' }) }),
    fc.constant({ other: 'plan' }),
  ),
});

function jsonOf({ props }: SentEvent): string | null {
  const { plan } = (props ?? {}) as { plan?: unknown };
  if (plan === undefined) return null;
  const isLong = typeof plan === 'string' && [...plan].length > 100;
  return isLong || (typeof plan === 'object' && plan !== null) ? '' : JSON.stringify(plan);
}

type Counts = [label: string, events: number, users: number][];

function countedBy(events: readonly SentEvent[], labelOf: (atMs: number) => string): Counts {
  return [...Map.groupBy(events, event => labelOf(event.atMs))]
    .map(([label, own]): Counts[number] => [label, own.length, new Set(own.flatMap(({ user }) => user ?? [])).size])
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Each value and its counts by bucket and of the range, by brute force. */
function expectedOf(events: readonly SentEvent[], labelOf: (atMs: number) => string): unknown[] {
  const byValue = Map.groupBy(events, jsonOf);
  const [missing = [], others = []] = [byValue.get(null), byValue.get('')];
  byValue.delete(null);
  byValue.delete('');
  const values = [...byValue].sort(([left, own], [right, other]) => {
    return other.length - own.length || (String(left) < String(right) ? -1 : 1);
  });
  const shown: [string | null, SentEvent[]][] = [
    ...values.slice(0, 20),
    [null, missing],
    ['', [...others, ...values.slice(20).flatMap(([, own]) => own)]],
  ];
  return shown
    .filter(([, own]) => own.length > 0)
    .map(([value, own]) => [value, countedBy(own, labelOf), countedBy(own, () => 'all')]);
}

test('a breakdown equals brute force, whatever the values, buckets and order of arrival', async t => {
  const world = await openTrendWorld(t);
  const [stream = []] = fc.sample(fc.array(sent, { minLength: 300, maxLength: 400 }), 1);
  const batches = Map.groupBy(stream, ({ atMs, lateMs }) => Math.floor((atMs + lateMs) / dayMs));
  const events = stream.map((event): SentEvent => ({ ...event, name: 'buy' }));
  for (const [day, batch] of batches)
    await world.store(
      batch.map(event => ({ ...event, name: 'buy' })),
      (day + 1) * dayMs,
    );
  for (const timezone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata'])
    for (const granularity of ['hour', 'day', 'week']) {
      const trends = await world.trends({ event: 'buy', breakdown: 'plan', granularity, timezone, ...range }, nowMs);
      const found = trends.series.map(({ group, data, total }) => [
        group?.type === 'value' ? JSON.stringify(group.value) : group?.type === 'missing' ? null : '',
        data.filter(each => each.events > 0).map(({ bucket, events, users }) => [bucket, events, users]),
        [['all', total.events, total.users]],
      ]);
      t.deepEqual(found, expectedOf(events, labels(granularity, timezone)), `${granularity} ${timezone}`);
      t.false(trends.users_estimated);
    }
});

test('sets above 2,048 users are sketches; more than 10,000 values are counted in two rounds', async t => {
  const world = await openTrendWorld(t);
  const event = (plan: string, user: string, atMs: number): SentEvent => ({ name: 'buy', user, atMs, props: { plan } });
  const users = (plan: string, count: number, atMs: number) =>
    Array.from({ length: count }, (_, n) => event(plan, `user ${n}`, atMs));
  const [first, second] = [startMs + hourMs, startMs + 2 * dayMs];
  await world.store([...users('large', 5000, first), ...users('small', 2048, first)], first);
  await world.store([...users('large', 5000, second), ...users('small', 1000, second)], second);
  const query = { event: 'buy', breakdown: 'plan', ...range };
  const check = async (shown: number) => {
    const trends = await world.trends(query, nowMs);
    const [large, small] = trends.series;
    t.is(trends.series.length, shown);
    t.is(large?.total.events, 10_000);
    const estimates = [large?.total.users ?? 0, large?.data[0]?.users ?? 0, large?.data[2]?.users ?? 0];
    t.true(
      estimates.every(count => Math.abs(count / 5000 - 1) < 5 * 0.0081),
      estimates.join(),
    );
    t.deepEqual(small?.total, { events: 3048, users: 2048 });
    t.deepEqual([small?.data[0]?.users, small?.data[2]?.users], [2048, 1000]);
    t.true(trends.users_estimated);
    return trends;
  };
  await check(2);
  await world.store(
    Array.from({ length: 10_001 }, (_, n) => event(`value ${n}`, `user ${n % 7}`, second)),
    second + 1,
  );
  const { series } = await check(21);
  t.deepEqual(series.at(-1)?.group, { type: 'other', value: null });
  t.deepEqual(series.at(-1)?.total, { events: 10_001 - 18, users: 7 });
  const lines: string[] = [];
  for await (const line of world.trendLines(query, nowMs)) lines.push(line);
  const steps = lines.slice(0, -1).map(line => Object.values(JSON.parse(line)).join('/'));
  t.deepEqual(steps, ['0/5', '1/5', '2/5', '3/8', '4/8', '5/8', '6/8', '7/8']);
  t.deepEqual(JSON.parse(lines.at(-1) ?? ''), await world.trends(query, nowMs));
});
