import test from 'ava';
import fc from 'fast-check';
import { ClockOffset } from '#agent/clock-offset.ts';

/** A monotonic clock that is set by hand. */
function makeClock(firstGuessMs = 0) {
  const monotonic = { ms: 5000 };
  return { monotonic, clock: new ClockOffset(() => monotonic.ms, firstGuessMs) };
}

test('the first guess gives way to the welcome, and the welcome to measurements', t => {
  const { clock } = makeClock(1_000_000);
  t.is(clock.now(), 1_005_000);
  clock.guess(2_000_000, 5000);
  t.is(clock.now(), 2_000_000);
  clock.measure(2_000_000, 5000, 40);
  t.is(clock.now(), 2_000_020);
});

test('of the last eight samples, the one with the shortest round trip counts', t => {
  const { clock } = makeClock(1000);
  clock.measure(10_000, 5000, 2);
  for (const roundTrip of [100, 80, 60]) clock.measure(10_000, 5000, roundTrip);
  t.is(clock.now(), 10_001);
  for (let i = 0; i < 8; i++) clock.measure(10_000, 5000, 50);
  t.is(clock.now(), 10_025);
});

test('the time follows the monotonic clock, not the host’s clock', t => {
  const { clock, monotonic } = makeClock(0);
  clock.measure(7_000_000, 5000, 0);
  monotonic.ms += 1000;
  t.is(clock.now(), 7_001_000);
});

test('a jump that no delay explains discards older samples, as after the host slept', t => {
  const { clock } = makeClock(0);
  clock.measure(10_000, 5000, 1);
  clock.measure(3_610_000, 5000, 300);
  t.is(clock.now(), 3_610_150);
});

test('a clock that drifts by 100 ppm stays within milliseconds of the control plane', t => {
  const { clock, monotonic } = makeClock(0);
  for (let i = 1; i < 1000; i++) {
    monotonic.ms = 5000 + i * 15_000;
    const server = 1_000_000 + i * 15_000 * 1.0001;
    clock.measure(server, monotonic.ms, 20 + (i % 7));
    if (i > 8) t.true(Math.abs(clock.now() - server) < 40);
  }
});

test('a welcome close to the measured time does not replace the measurement', t => {
  const { clock } = makeClock(0);
  clock.measure(10_000, 5000, 10);
  clock.guess(9900, 5000);
  t.is(clock.now(), 10_005);
});

test('the error is at most half the shortest round trip of the last eight, however asymmetric the network is', t => {
  const delay = fc.integer({ min: 0, max: 400 });
  fc.assert(
    fc.property(fc.array(fc.tuple(delay, delay), { minLength: 1, maxLength: 20 }), delays => {
      const { clock, monotonic } = makeClock(1_700_000_000_000);
      const trueOffset = 1_700_000_000_500;
      for (const [towards, back] of delays) {
        const receivedAtMs = monotonic.ms;
        clock.measure(receivedAtMs - towards + trueOffset, receivedAtMs, towards + back);
        monotonic.ms += 15_000;
      }
      const shortest = Math.min(...delays.slice(-8).map(([towards, back]) => towards + back));
      t.true(Math.abs(clock.now() - (monotonic.ms + trueOffset)) <= shortest / 2 + 0.5);
    }),
  );
});

test('a welcome that differs by more than a second replaces the measurements', t => {
  const { clock } = makeClock(0);
  clock.measure(10_000, 5000, 10);
  clock.guess(20_000, 5000);
  t.is(clock.now(), 20_000);
  clock.measure(20_000, 5000, 10);
  t.is(clock.now(), 20_005);
});

test('a message that was held up on its way does not set the clock back, two in a row do', t => {
  const { clock, monotonic } = makeClock(0);
  clock.measure(10_000, 5000, 10);
  monotonic.ms += 8000;
  clock.measure(15_000, 13_000, 10);
  t.is(clock.now(), 18_005, 'sent at 15,000, received three seconds later');
  clock.guess(15_000, 13_000);
  t.is(clock.now(), 18_005, 'nor does a welcome that was held up');
  monotonic.ms += 5000;
  clock.measure(23_000, 18_000, 10);
  t.is(clock.now(), 23_005);
  clock.measure(15_000, 18_000, 10);
  t.is(clock.now(), 23_005, 'the one before was in time');
  clock.measure(15_000, 18_000, 20);
  t.is(clock.now(), 15_010, 'the clock of the control plane was set back');
});

test('two late messages in a row that differ by more than a second do not set the clock back', t => {
  const { clock } = makeClock(0);
  clock.measure(50_000, 5000, 10);
  for (const lateMs of [9000, 4000, 2000]) {
    clock.measure(50_000 - lateMs, 5000, 10);
    t.is(clock.now(), 50_005);
  }
});

test('a short round trip corrects a first sample whose way back took seconds', t => {
  const { clock } = makeClock(0);
  clock.measure(50_000, 5000, 4000);
  t.is(clock.now(), 52_000);
  clock.measure(50_000, 5000, 10);
  t.is(clock.now(), 50_005);
});

test('whatever single messages are held up, the clock is never off by more than the usual delays', t => {
  const usual = fc.integer({ min: 0, max: 200 });
  // By more than a second, round trips of 400 ms and what both measurements may be off: less passes for a slow network.
  const heldUp = fc.integer({ min: 1801, max: 30_000 });
  const pairs = fc.array(fc.tuple(usual, usual, fc.option(heldUp)), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(pairs, delays => {
      const { clock, monotonic } = makeClock(1_700_000_000_000);
      const trueOffset = 1_700_000_000_500;
      let wasHeldUp = true;
      for (const [towards, back, extra] of delays) {
        const late: number = wasHeldUp ? 0 : (extra ?? 0);
        wasHeldUp = late > 0;
        const receivedAtMs = monotonic.ms;
        clock.measure(receivedAtMs - towards - late + trueOffset, receivedAtMs, towards + back);
        t.true(Math.abs(clock.now() - (monotonic.ms + trueOffset)) <= 200.5);
        monotonic.ms += 5000;
      }
    }),
  );
});

test('the offset of the host’s clock is what the control plane’s clock is ahead', t => {
  const startMs = Date.now();
  const clock = new ClockOffset(() => 0, startMs + 5000);
  const { hostOffsetMs } = clock;
  // The clock that is read here stands still, and the host's goes on.
  t.true(hostOffsetMs <= 5001 && hostOffsetMs >= 4999 - (Date.now() - startMs), `${hostOffsetMs}`);
  t.is(clock.monotonicNow(), 0);
});
