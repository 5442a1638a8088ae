import test from 'ava';
import { endInTime } from './end-in-time.ts';

test('what waits for ever fails, with nothing else in the event loop; what ends is itself', async t => {
  await t.throwsAsync(endInTime(new Promise(() => {}), 10), { message: 'did not end within 0.01 s' });
  await t.throwsAsync(endInTime(Promise.reject(new Error('its own')), 60_000), { message: 'its own' });
  await t.notThrowsAsync(endInTime(Promise.resolve(), 60_000));
});
