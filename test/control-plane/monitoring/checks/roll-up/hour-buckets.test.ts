import test from 'ava';
import fc from 'fast-check';
import { type CountedResult, hourBuckets, isCounted } from '#control-plane/monitoring/checks/roll-up/hour-buckets.ts';
import { hourMs } from '#shared/duration.ts';

const result: fc.Arbitrary<CountedResult> = fc.record({
  monitor_id: fc.constantFrom('mon_a', 'mon_b'),
  region: fc.constantFrom('a', 'b'),
  kind: fc.constantFrom('scheduled', 'confirm'),
  attempt: fc.constantFrom(1, 2),
  scheduled_at: fc.integer({ min: 0, max: 3 * hourMs }),
  status: fc.constantFrom('ok', 'warn', 'err'),
  failure_source: fc.constantFrom(null, 'target', 'resolver', 'probe'),
  latency_ms: fc.integer({ min: 0, max: 1000 }),
  bin: fc.option(fc.integer({ min: 0, max: 47 })),
});

test('each result is counted once, in the row of its monitor, region and hour', t => {
  fc.assert(
    fc.property(fc.array(result, { maxLength: 30 }), results => {
      const counted = results.filter(
        ({ kind, attempt, failure_source: source }) =>
          kind === 'scheduled' && attempt === 1 && (source === null || source === 'target'),
      );
      const key = (monitor: string, region: string, at: number) => `${monitor} ${region} ${Math.floor(at / hourMs)}`;
      const expected = Map.groupBy(counted, item => key(item.monitor_id, item.region, item.scheduled_at));
      const buckets = hourBuckets(results.filter(isCounted));
      t.is(buckets.length, expected.size);
      for (const bucket of buckets) {
        const mine = expected.get(key(bucket.monitorId, bucket.region, bucket.hour)) ?? [];
        const timed = mine.filter(({ bin }) => bin !== null);
        for (const status of ['ok', 'warn', 'err'] as const)
          t.is(bucket[status], mine.filter(item => item.status === status).length);
        const latencies = timed.map(({ latency_ms }) => latency_ms ?? 0);
        t.is(
          bucket.latencySum,
          latencies.reduce((sum, ms) => sum + ms, 0),
        );
        t.is(bucket.latencyMax, Math.max(0, ...latencies));
        t.is(bucket.bins === null, mine.length === 1, 'bins are needed only for more than one');
        const bins = bucket.bins?.flatMap((count, bin) => Array.from({ length: count }, () => bin)) ?? [bucket.bin];
        t.deepEqual(
          bins,
          timed.length === 0 && bucket.bins === null ? [null] : timed.map(({ bin }) => bin).toSorted(byNumber),
        );
      }
    }),
    { numRuns: 300 },
  );
});

function byNumber(left: number | null, right: number | null): number {
  return (left ?? 0) - (right ?? 0);
}
