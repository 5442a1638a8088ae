import test from 'ava';
import fc from 'fast-check';
import { type MissedReason, Schedule } from '#agent/schedule.ts';
import { makeAssignment } from '../support/gateway.ts';

type Run = { id: string; kind: string; at: number; end: () => void };

/** A schedule on a clock that is set by hand. */
function makeSchedule(options: { hasCapacity?: () => boolean } = {}) {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const runs: Run[] = [];
  const missed: Partial<Record<MissedReason, number>> = {};
  const schedule = new Schedule(
    clock,
    (assignment, kind, at) => {
      if (options.hasCapacity?.() === false) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      runs.push({ id: assignment.monitor_id, kind, at, end: resolve });
      return promise;
    },
    (reason, count) => {
      missed[reason] = (missed[reason] ?? 0) + count;
    },
  );
  schedule.run();
  const at = (ms: number) => {
    clock.ms = ms;
    return schedule.tick();
  };
  const end = async () => {
    for (const run of runs) run.end();
    await new Promise(resolve => setImmediate(resolve));
  };
  return { schedule, clock, runs, missed, at, end, [Symbol.dispose]: () => schedule.stop() };
}

const everyTenSeconds = makeAssignment({ url: 'http://x/', monitor_id: 'm', interval_ms: 10_000, offset_ms: 3000 });

test('a monitor runs at its slots and at no other time', async t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  t.is(made.runs.length, 0);
  for (let ms = 1_000_000; ms <= 1_060_000; ms += 500) {
    made.at(ms);
    await made.end();
  }
  t.deepEqual(
    made.runs.map(run => run.at),
    [1_003_000, 1_013_000, 1_023_000, 1_033_000, 1_043_000, 1_053_000],
  );
  t.deepEqual(made.missed, {});
});

test('a slot whose previous run has not ended is missed as previous_running', async t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.at(1_003_000);
  made.at(1_013_000);
  t.deepEqual(made.missed, { previous_running: 1 });
  await made.end();
  made.at(1_023_000);
  t.deepEqual(
    made.runs.map(run => run.at),
    [1_003_000, 1_023_000],
  );
});

test('a slot without capacity is missed as overloaded', t => {
  using made = makeSchedule({ hasCapacity: () => false });
  made.schedule.put(everyTenSeconds);
  made.at(1_003_000);
  t.deepEqual(made.missed, { overloaded: 1 });
});

test('after an hour of sleep the slots are counted as missed, and each monitor runs at most once', async t => {
  using made = makeSchedule();
  for (let i = 0; i < 100; i++) made.schedule.put({ ...everyTenSeconds, monitor_id: `m${i}`, offset_ms: i * 100 });
  made.at(4_600_000);
  t.is(made.runs.length + (made.missed.suspended ?? 0), 100 * 360);
  t.true(made.runs.every(run => run.at > 4_597_999));
  t.is(new Set(made.runs.map(run => run.id)).size, made.runs.length);
});

test('a clock set back by seconds repeats no slot, and one set back by an hour does not stop the checks', async t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.at(1_003_000);
  await made.end();
  made.at(995_000);
  made.at(1_003_500);
  t.is(made.runs.length, 1);
  made.at(1_003_500 - 3_600_000 + 1_000_000_000);
  await made.end();
  made.runs.length = 0;
  made.at(1_003_500);
  made.at(1_013_000);
  t.deepEqual(
    made.runs.map(run => run.at),
    [1_013_000],
  );
});

test('no slot is run twice whatever steps the clock takes and however the interval changes', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: -9000, max: 15_000 }), fc.boolean()), { maxLength: 60 }),
      async steps => {
        using made = makeSchedule();
        made.schedule.put(everyTenSeconds);
        // Set back by more than a minute it begins anew.
        let earliest = 0;
        for (const [step, change] of steps) {
          made.at(Math.max(earliest, made.clock.ms + step));
          earliest = Math.max(earliest, made.clock.ms - 55_000);
          await made.end();
          if (change)
            made.schedule.put({ ...everyTenSeconds, config_version: 2, interval_ms: step % 2 === 0 ? 10_000 : 5000 });
        }
        const slots = made.runs.map(run => run.at);
        t.is(new Set(slots).size, slots.length);
      },
    ),
    { numRuns: 100 },
  );
});

test('check_now runs immediately, once per instant, and after a run in progress', async t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.schedule.checkNow('m', 1, 42);
  made.schedule.checkNow('m', 1, 42);
  t.deepEqual(
    made.runs.map(({ kind, at }) => [kind, at]),
    [['confirm', 42]],
  );
  made.schedule.checkNow('m', 1, 43);
  t.is(made.runs.length, 1);
  await made.end();
  t.is(made.runs[1]?.at, 43);
});

test('check_now runs the kind it is asked for, also after a run in progress', async t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.schedule.checkNow('m', 1, 42, 'scheduled');
  made.schedule.checkNow('m', 1, 43, 'scheduled');
  await made.end();
  t.deepEqual(
    made.runs.map(({ kind, at }) => [kind, at]),
    [
      ['scheduled', 42],
      ['scheduled', 43],
    ],
  );
});

test('check_now for another version or a dropped monitor is ignored', async t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.schedule.checkNow('m', 2, 42);
  made.schedule.checkNow('other', 1, 42);
  made.schedule.drop('m');
  made.schedule.checkNow('m', 1, 42);
  made.at(2_000_000);
  t.is(made.runs.length, 0);
});

test('ten thousand monitors run in the order of their slots', async t => {
  using made = makeSchedule();
  const ids = Array.from({ length: 10_000 }, (_, index) => index);
  for (const index of ids)
    made.schedule.put({ ...everyTenSeconds, monitor_id: `m${index}`, offset_ms: (index * 7919) % 10_000 });
  for (const index of ids) if (index % 3 === 0) made.schedule.drop(`m${index}`);
  for (let ms = 1_000_000; ms <= 1_010_000; ms += 10) made.at(ms);
  const slots = made.runs.map(run => run.at);
  t.is(slots.length, 6666);
  t.deepEqual(
    slots,
    slots.toSorted((left, right) => left - right),
  );
});

const lateness: [lateMs: number, runs: number[], suspended: number][] = [
  [0, [1_003_000], 0],
  [2000, [1_003_000], 0],
  [2001, [], 1],
  [9999, [], 1],
  [10_000, [1_013_000], 1],
  [12_001, [], 2],
  [100_500, [1_103_000], 10],
];
for (const [lateMs, runs, suspended] of lateness)
  test(`a slot found ${lateMs} ms late gives the runs [${runs}] and ${suspended} suspended slots`, t => {
    using made = makeSchedule();
    made.schedule.put(everyTenSeconds);
    made.at(1_003_000 + lateMs);
    t.deepEqual(
      made.runs.map(run => run.at),
      runs,
    );
    t.is(made.missed.suspended ?? 0, suspended);
  });

test('the next call is due at the next slot, after 20 ms at least, so that slots close together start together', t => {
  using made = makeSchedule();
  t.is(made.at(1_000_000), 1000);
  made.schedule.put(everyTenSeconds);
  t.is(made.at(1_000_000), 1000);
  t.is(made.at(1_002_400), 600);
  t.is(made.at(1_002_999.5), 20);
  for (const offset_ms of [3010, 3019, 3030])
    made.schedule.put({ ...everyTenSeconds, monitor_id: `m${offset_ms}`, offset_ms });
  t.is(made.at(1_003_000), 20);
  t.is(made.runs.length, 1);
  t.is(made.at(1_003_020), 20);
  t.is(made.runs.length, 3);
  t.is(made.at(1_003_040), 1000);
});

test('a changed configuration keeps its slots, and the next run uses it', t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.at(1_001_000);
  made.schedule.put({ ...everyTenSeconds, config_version: 2 });
  made.at(1_003_000);
  made.schedule.checkNow('m', 1, 50);
  t.deepEqual(
    made.runs.map(run => run.at),
    [1_003_000],
  );
});

test('a new offset moves the next slot, in either direction', t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.schedule.put({ ...everyTenSeconds, offset_ms: 1000 });
  made.at(1_001_000);
  t.deepEqual(
    made.runs.map(run => run.at),
    [1_001_000],
  );
});

test('a monitor that is dropped and added again starts afresh', async t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.at(1_003_000);
  made.schedule.checkNow('m', 1, 50);
  made.schedule.drop('m');
  made.schedule.drop('m');
  await made.end();
  t.is(made.runs.length, 1);
  made.schedule.put(everyTenSeconds);
  made.at(1_013_000);
  t.is(made.runs.length, 2);
});

test('a stopped schedule starts neither confirmations nor runs that waited for one to end', async t => {
  using made = makeSchedule();
  made.schedule.put(everyTenSeconds);
  made.schedule.checkNow('m', 1, 50);
  made.schedule.checkNow('m', 1, 60);
  made.schedule.stop();
  await made.end();
  made.schedule.checkNow('m', 1, 70);
  t.deepEqual(
    made.runs.map(run => run.at),
    [50],
  );
});

test('each slot is either run or counted as missed, whatever steps the clock takes forward', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 40 }), async steps => {
      using made = makeSchedule();
      made.schedule.put(everyTenSeconds);
      for (const [index, stepMs] of steps.entries()) {
        made.at(made.clock.ms + stepMs);
        if (index % 2 === 0) await made.end();
      }
      const slots = Math.floor((made.clock.ms - 3000) / 10_000) - Math.floor((1_000_000 - 3000) / 10_000);
      const missed = Object.values(made.missed).reduce((sum, count) => sum + count, 0);
      t.is(made.runs.length + missed, slots);
    }),
  );
});
