import test from 'ava';
import { wait } from '#shared/wait.ts';

test('a wait lasts for the given time', async t => {
  const startedMs = performance.now();
  await wait(20);
  // Timers round to milliseconds, at both ends.
  t.true(performance.now() - startedMs >= 15);
});

test('a wait ends with an AbortError when its signal aborts', async t => {
  const controller = new AbortController();
  const waiting = wait(60_000, { signal: controller.signal });
  controller.abort();
  await t.throwsAsync(waiting, { name: 'AbortError' });
  await t.throwsAsync(wait(60_000, { signal: controller.signal }), { name: 'AbortError' });
});
