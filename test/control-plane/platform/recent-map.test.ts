import test from 'ava';
import fc from 'fast-check';
import { RecentMap } from '#control-plane/platform/recent-map.ts';

test('the newest entries are there, and none with another value than was put last', t => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 20 }).map(String), read: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 8 }), (steps, entries) => {
      const map = new RecentMap<number>({ entries, characters: Number.POSITIVE_INFINITY });
      const values = new Map<string, number>();
      let newest: string[] = [];
      for (const [value, { key, read }] of steps.entries()) {
        if (read) t.true([undefined, values.get(key)].includes(map.get(key)));
        else {
          map.set(key, value);
          values.set(key, value);
        }
        // What is read may become newer than what was put.
        newest = read ? [] : [...newest.filter(other => other !== key), key].slice(-entries);
      }
      for (const key of newest.toReversed()) t.is(map.get(key), values.get(key));
    }),
  );
});

test('what was put or asked for among the newest stays, what was not goes', t => {
  const map = new RecentMap<string>({ entries: 2, characters: 100 });
  for (const key of ['a', 'b', 'c']) map.set(key, key);
  t.is(map.get('a'), 'a');
  for (const key of ['d', 'e']) map.set(key, key);
  t.is(map.get('b'), undefined);
  t.is(map.get('a'), 'a');
});

test('long keys are fewer', t => {
  const map = new RecentMap<number>({ entries: 100, characters: 100 });
  const keyOf = (number: number) => `${number} ${'x'.repeat(60)}`;
  for (let number = 10; number < 20; number++) map.set(keyOf(number), number);
  t.is(map.get(keyOf(15)), undefined);
  t.is(map.get(keyOf(19)), 19);
  t.is(map.get(keyOf(16)), 16);
});
