import test from 'ava';
import { newId } from '#shared/ids.ts';

test('ids grow within a millisecond and when a clock is set back', t => {
  const made = Array.from({ length: 5000 }, (_, index) => newId('mon', 1_800_000_000_000 - index));
  t.deepEqual(made, made.toSorted());
  t.is(new Set(made).size, made.length);
});
