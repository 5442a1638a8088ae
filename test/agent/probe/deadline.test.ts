import test from 'ava';
import { Deadline, DeadlineError } from '#agent/probe/deadline.ts';

/** Resolves with what the deadline cancels the phase with. */
const expiryOf = (deadline: Deadline) => new Promise<DeadlineError>(resolve => deadline.onExpiry(resolve));

test('the current phase is cancelled when the time is up, and not before', async t => {
  const startedMs = performance.now();
  using deadline = new Deadline(30);
  t.true((await expiryOf(deadline)) instanceof DeadlineError);
  // Timers round to milliseconds, at both ends.
  t.true(performance.now() - startedMs >= 25);
});

test('only the phase that registered last is cancelled', async t => {
  using deadline = new Deadline(1);
  deadline.onExpiry(() => t.fail('the first phase has ended'));
  await t.notThrowsAsync(expiryOf(deadline));
});

test('a phase that registers after the time is up is cancelled immediately', async t => {
  using deadline = new Deadline(1);
  await expiryOf(deadline);
  let cancelled = 0;
  deadline.onExpiry(() => cancelled++);
  t.is(cancelled, 1);
});

test('a disposed deadline cancels nothing', async t => {
  const disposed = new Deadline(1);
  disposed.onExpiry(() => t.fail('disposed'));
  disposed[Symbol.dispose]();
  using later = new Deadline(10);
  await t.notThrowsAsync(expiryOf(later));
});

test('the time left falls from the limit to below zero', async t => {
  using long = new Deadline(600_000);
  t.true(long.leftMs > 0 && long.leftMs <= 600_000);
  using deadline = new Deadline(20);
  await expiryOf(deadline);
  t.true(deadline.leftMs <= 5);
});
