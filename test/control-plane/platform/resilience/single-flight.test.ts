import test from 'ava';
import { singleFlight } from '#control-plane/platform/resilience/single-flight.ts';

test('concurrent lookups are shared, and a result is never older than its call', async t => {
  const starts: number[] = [];
  const finish: (() => void)[] = [];
  const look = singleFlight(
    () =>
      new Promise<number>(resolve => {
        const number = starts.push(starts.length);
        finish.push(() => resolve(number));
      }),
  );
  const first = look('k');
  const second = look('k');
  const third = look('k');
  t.is(starts.length, 1);
  finish[0]?.();
  t.is(await first, 1);
  await new Promise(setImmediate);
  t.is(starts.length, 2, 'calls during the first share a lookup that starts later');
  const fourth = look('k');
  finish[1]?.();
  t.deepEqual([await second, await third], [2, 2]);
  await new Promise(setImmediate);
  finish[2]?.();
  t.is(await fourth, 3);
});

test('a lookup that fails fails for those who share it, and the next is tried again', async t => {
  let count = 0;
  const look = singleFlight(async key => {
    count += 1;
    await new Promise(setImmediate);
    if (count < 3) throw new Error(`${key} ${count}`);
    return count;
  });
  const [first, second, third] = await Promise.allSettled([look('k'), look('k'), look('k')]);
  t.deepEqual([first?.status, second?.status, third?.status], ['rejected', 'rejected', 'rejected']);
  t.is(await look('k'), 3);
});
