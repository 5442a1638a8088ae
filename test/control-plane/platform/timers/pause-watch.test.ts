import test from 'ava';
import { PauseWatch, pauseMs } from '#control-plane/platform/timers/pause-watch.ts';

test('turns that come in time are no pause', t => {
  let wallMs = 0;
  using watch = new PauseWatch(() => wallMs);
  for (let turn = 0; turn < 5; turn++) {
    t.is(watch.endedAt(turn), Number.NEGATIVE_INFINITY);
    wallMs += pauseMs;
  }
});

test('the first turn after a pause notices it, and it is remembered', t => {
  let wallMs = 0;
  using watch = new PauseWatch(() => wallMs);
  wallMs = 40_000;
  t.is(watch.endedAt(10), 10);
  wallMs = 41_000;
  t.is(watch.endedAt(1010), 10);
  wallMs = 60_000;
  t.is(watch.endedAt(1020), 1020);
});
