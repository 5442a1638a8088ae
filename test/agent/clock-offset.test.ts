import test from 'ava';
import { ClockOffset } from '#agent/clock-offset.ts';

/** A monotonic clock that is set by hand. */
function makeClock(firstGuessMs = 0) {
  const monotonic = { ms: 5000 };
  return { monotonic, clock: new ClockOffset(() => monotonic.ms, firstGuessMs) };
}

test('before a measurement the first guess counts, then the welcome, then the measurements', t => {
  const { clock } = makeClock(1_000_000);
  t.is(clock.now(), 1_005_000);
  clock.guess(2_000_000, 5000);
  t.is(clock.now(), 2_000_000);
  clock.measure(2_000_000, 5000, 40);
  t.is(clock.now(), 2_000_020);
});

test('of the last eight samples the one of least round trip counts', t => {
  const { clock } = makeClock(1000);
  clock.measure(10_000, 5000, 2);
  for (const roundTrip of [100, 80, 60]) clock.measure(10_000, 5000, roundTrip);
  t.is(clock.now(), 10_001);
  for (let i = 0; i < 8; i++) clock.measure(10_000, 5000, 50);
  t.is(clock.now(), 10_025);
});

test('setting the host’s clock changes nothing', t => {
  const { clock, monotonic } = makeClock(0);
  clock.measure(7_000_000, 5000, 0);
  monotonic.ms += 1000;
  t.is(clock.now(), 7_001_000);
});

test('a jump no delay explains drops the older samples, as after a sleep of the host', t => {
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

test('a new welcome near what is known does not spoil a measurement', t => {
  const { clock } = makeClock(0);
  clock.measure(10_000, 5000, 10);
  clock.guess(9900, 5000);
  t.is(clock.now(), 10_005);
});
