import test from 'ava';
import { boundedCache } from '#shared/bounded-cache.ts';

test('a cache keeps the entries used last, up to their number', t => {
  const cache = boundedCache<{ id: number }>(3);
  for (const id of [1, 2, 3]) cache.set(String(id), { id });
  cache.get('1');
  cache.set('4', { id: 4 });
  cache.set('4', { id: 5 });
  t.deepEqual([...cache.keys()].sort(), ['1', '3', '4']);
  t.deepEqual(cache.get('4'), { id: 5 });
  cache.delete('3');
  for (const id of [6, 7]) cache.set(String(id), { id });
  t.deepEqual([...cache.keys()].sort(), ['4', '6', '7']);
  t.is(cache.size, 3);
});
