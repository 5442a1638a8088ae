import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { StandStillWatch } from '#agent/probe/stand-still.ts';

function standStill(ms: number): void {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; );
}

/** Lets the loop turn for some time, so that timers run when they are due. */
async function turn(ms: number): Promise<void> {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs; ) await setImmediate();
}

test('a stand-still of the event loop is seen at its end, before any timer', t => {
  const watch = new StandStillWatch();
  const fromMs = watch.begin();
  standStill(60);
  const delayedMs = watch.end(fromMs, performance.now());
  t.true(delayedMs !== null && delayedMs >= 54, `${delayedMs}`);
});

test('one in the middle of a check is remembered to its end, with others that are watched', async t => {
  const watch = new StandStillWatch();
  const fromMs = watch.begin();
  const otherMs = watch.begin();
  await turn(20);
  standStill(60);
  await turn(20);
  t.not(watch.end(otherMs, performance.now()), null);
  await turn(20);
  const delayedMs = watch.end(fromMs, performance.now());
  t.true(delayedMs !== null && delayedMs >= 54, `${delayedMs}`);
});

test('only what overlaps the time of the check counts', async t => {
  const watch = new StandStillWatch();
  const startMs = watch.begin();
  standStill(100);
  const endMs = performance.now();
  await turn(10);
  const cases: [string, number, number, boolean][] = [
    ['before it', startMs - 1000, startMs, false],
    ['a little of it', startMs, startMs + 15, false],
    ['its first half', startMs, startMs + 50, true],
    ['its second half', startMs + 50, endMs, true],
    ['its end', endMs - 10, endMs, false],
  ];
  for (const [title, from, until, delayed] of cases) {
    watch.begin();
    t.is(watch.end(from, until) !== null, delayed, title);
  }
  t.true((watch.end(startMs, endMs) ?? 0) >= 94);
});

test('nothing is remembered once nothing is watched, and watching starts anew', async t => {
  const watch = new StandStillWatch();
  const beforeMs = watch.begin();
  standStill(60);
  const endMs = performance.now();
  watch.end(beforeMs, endMs);
  watch.begin();
  t.is(watch.end(beforeMs, endMs), null);
  const fromMs = watch.begin();
  standStill(60);
  await turn(10);
  t.not(watch.end(fromMs, performance.now()), null);
});

test('all events of one turn have one time, at its beginning, and the next turn has its own', async t => {
  const watch = new StandStillWatch();
  const firstMs = watch.eventMs();
  standStill(5);
  t.is(watch.eventMs(), firstMs);
  await setImmediate();
  t.true(watch.eventMs() >= firstMs + 5);
});
