import { mock } from 'node:test';
import test from 'ava';
import { endInTime } from './end-in-time.ts';

test.serial('what waits for ever fails, with nothing else in the event loop; what ends is itself', async t => {
  await t.throwsAsync(endInTime(new Promise(() => {}), 10), { message: 'did not end within 0.01 s' });
  await t.throwsAsync(endInTime(Promise.reject(new Error('its own')), 60_000), { message: 'its own' });
  await t.notThrowsAsync(endInTime(Promise.resolve(), 60_000));
});

test.serial('a test that stands in for timers leaves none of another behind', async t => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
  const before = timers();
  const ended = endInTime(promise, 60_000);
  t.is(timers(), before + 1);
  mock.timers.enable({ apis: ['setTimeout'] });
  resolve();
  await ended;
  mock.timers.reset();
  t.is(timers(), before);
});
