import test from 'ava';
import fc from 'fast-check';
import {
  bucketsOf,
  countInHours,
  readCurrentHour,
  sumRegions,
} from '#control-plane/monitoring/checks/roll-up/current-hours.ts';
import { type CountedResult, hourBuckets, isCounted } from '#control-plane/monitoring/checks/roll-up/hour-buckets.ts';
import { binMax, binOf } from '#control-plane/monitoring/checks/roll-up/latency-bins.ts';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import { hourMs } from '#shared/duration.ts';
import { makeState } from '#test/support/monitor-state.ts';

const start = 494_000 * hourMs;

const result: fc.Arbitrary<CountedResult> = fc
  .record({
    monitor_id: fc.constantFrom('mon_a', 'mon_b', 'mon_gone'),
    region: fc.constantFrom('a', 'ab', 'b-1'),
    kind: fc.constantFrom('scheduled' as const, 'scheduled' as const, 'confirm' as const),
    attempt: fc.constantFrom(1, 1, 2),
    scheduled_at: fc.integer({ min: start, max: start + 4 * hourMs }),
    status: fc.constantFrom('ok' as const, 'warn' as const, 'err' as const),
    failure_source: fc.constant(null),
    microseconds: fc.integer({ min: 0, max: 90_000_000 }),
  })
  .map(({ microseconds, ...rest }) => {
    const latency = rest.status === 'err' ? null : microseconds / 1000;
    return { ...rest, latency_ms: latency, bin: latency === null ? null : binOf(latency) };
  });

type Row = { ok: number; warn: number; err: number; latencySum: number; latencyMax: number; bins: number[] };

/** Rows of the roll-up by monitor, region and hour, as the database adds buckets. */
function addTo(rows: Map<string, Row>, buckets: ReturnType<typeof hourBuckets>): void {
  for (const bucket of buckets) {
    const key = `${bucket.monitorId} ${bucket.region} ${bucket.hour}`;
    const row = rows.get(key) ?? { ok: 0, warn: 0, err: 0, latencySum: 0, latencyMax: 0, bins: [] };
    const bins = bucket.bins ?? Array.from({ length: 48 }, (_, bin) => (bin === bucket.bin ? 1 : 0));
    rows.set(key, {
      ok: row.ok + bucket.ok,
      warn: row.warn + bucket.warn,
      err: row.err + bucket.err,
      latencySum: row.latencySum + bucket.latencySum,
      latencyMax: Math.max(row.latencyMax, bucket.latencyMax),
      bins: bins.map((count, bin) => count + (row.bins[bin] ?? 0)),
    });
  }
}

test('rows and current hours together are each result once, whatever order batches arrive in', t => {
  fc.assert(
    fc.property(fc.array(fc.array(result, { maxLength: 12 }), { maxLength: 12 }), batches => {
      const rows = new Map<string, Row>();
      let states: MonitorState[] = ['mon_a', 'mon_b'].map(monitorId => makeState({ monitorId }));
      for (const batch of batches) {
        const counted = countInHours(states, batch.filter(isCounted));
        const keys = counted.buckets.map(bucket => `${bucket.monitorId} ${bucket.region} ${bucket.hour}`);
        t.is(new Set(keys).size, keys.length, 'a statement can add to each row once');
        for (const [index, { currentHour }] of counted.states.entries()) {
          const before = states[index]?.currentHour ?? null;
          if (before !== null && currentHour !== null)
            t.true(readCurrentHour(currentHour).hour >= readCurrentHour(before).hour, 'a current hour never goes back');
        }
        addTo(rows, counted.buckets);
        states = counted.states;
      }
      for (const { monitorId, currentHour } of states)
        if (currentHour !== null) addTo(rows, bucketsOf(monitorId, currentHour));
      const expected = new Map<string, Row>();
      for (const item of batches.flat().filter(isCounted))
        if (item.monitor_id !== 'mon_gone') addTo(expected, hourBuckets([item]));
      t.deepEqual([...rows.keys()].toSorted(), [...expected.keys()].toSorted());
      for (const [key, row] of rows) {
        const { latencySum, latencyMax, ...counts } = expected.get(key) ?? row;
        t.like(row, counts);
        t.true(Math.abs(row.latencySum - latencySum) <= 1e-6 * (1 + latencySum) && near(row.latencyMax, latencyMax));
      }
    }),
    { numRuns: 300 },
  );
});

function near(left: number, right: number): boolean {
  return Math.abs(left - right) <= 1e-6 * (1 + right);
}

const good = (at: number, changes: Partial<CountedResult> = {}): CountedResult => ({
  monitor_id: 'mon_1',
  region: 'a',
  kind: 'scheduled',
  attempt: 1,
  scheduled_at: at,
  status: 'ok',
  failure_source: null,
  latency_ms: 81.23,
  bin: binOf(81.23),
  ...changes,
});

test('a current hour is a text that an operator can read', t => {
  const { states } = countInHours(
    [makeState()],
    [good(start), good(start + 1, { region: 'b', status: 'err', latency_ms: null, bin: null }), good(start + 2)],
  );
  t.is(states[0]?.currentHour, '494000;a,2,0,0,162460,81230,20:2;b,0,0,1,0,0');
});

test('states without results stay the same objects', t => {
  const state = makeState();
  const { states } = countInHours([state], [good(start, { monitor_id: 'mon_2' })]);
  t.is(states[0], state);
});

test('regions add up, and a full bin stays full', t => {
  const open = readCurrentHour(`494000;a,40000,1,2,3000,2000,3:40000,5:1;b,1,0,0,500,500,5:1`);
  t.is(open.hour, start);
  const sum = sumRegions(open);
  t.deepEqual([sum.ok, sum.warn, sum.err, sum.latencySum, sum.latencyMax], [40_001, 1, 2, 3.5, 2]);
  t.deepEqual([sum.bins[3], sum.bins[5], sum.bins.length], [binMax, 2, 48]);
});
