import test from 'ava';
import { TextCache } from '#control-plane/monitoring/monitor-metrics/text-cache.ts';

test('a text is kept for ten seconds', t => {
  const cache = new TextCache();
  cache.set('a', 'one', 1000);
  t.deepEqual([cache.get('a', 1000), cache.get('a', 10_999), cache.get('a', 11_000)], ['one', 'one', null]);
  t.is(cache.get('a', 999), null, 'the clock was set back');
  cache.set('a', 'two', 2000);
  t.is(cache.get('a', 2000), 'two');
  t.is(cache.get('b', 2000), null);
});

test('together the texts have a bound, and the oldest go first', t => {
  const cache = new TextCache();
  const large = 'x'.repeat(30 * 1024 * 1024);
  for (const [key, atMs] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ] as const)
    cache.set(key, large, atMs);
  t.deepEqual(
    [cache.get('a', 4), cache.get('b', 4)?.length, cache.get('c', 4)?.length],
    [null, large.length, large.length],
  );
});
