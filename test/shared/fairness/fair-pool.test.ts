import test from 'ava';
import fc from 'fast-check';
import { FairPool } from '#shared/fairness/fair-pool.ts';

/** Lets a key take one at a time until it is refused. */
function takeAll(pool: FairPool, key: string): number {
  let taken = 0;
  for (; pool.fits(key, 1); taken++) pool.add(key, 1);
  return taken;
}

test('a single key may use everything', t => {
  t.is(takeAll(new FairPool(1000, () => 1), 'a'), 1000);
});

test('however many keys take all they can, one that comes later finds something', t => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 0, max: 29 }), (keys, greedy) => {
      const pool = new FairPool(1000, () => keys);
      for (let key = 0; key < Math.min(greedy, keys - 1); key++) takeAll(pool, `greedy ${key}`);
      t.true(takeAll(pool, 'late') >= 16);
    }),
  );
});

test('no more than the total is ever used, and everything returned can be taken again', t => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: 0, max: 60 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const pool = new FairPool(100, () => 3);
      const reservations = steps.map(({ key, amount }) => {
        const reservation = pool.reserve(key);
        reservation.take(amount);
        t.true(pool.used <= 100);
        return reservation;
      });
      for (const reservation of reservations) reservation[Symbol.dispose]();
      t.is(pool.used, 0);
      t.true(pool.fits('a', 100 / 3));
    }),
  );
});

test('a key uses at most what it leaves free beside what is guaranteed to idle keys', t => {
  const pool = new FairPool(100, () => 10);
  const taken = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(key => takeAll(pool, key));
  t.deepEqual(taken, [28, 16, 11, 8, 6, 6, 5, 5, 5, 5]);
});

test('after its disposal a reservation takes nothing', t => {
  const pool = new FairPool(100, () => 1);
  const reservation = pool.reserve('a');
  t.true(reservation.take(10));
  reservation[Symbol.dispose]();
  t.false(reservation.take(10));
  t.is(pool.used, 0);
});

test('where nobody knows how many keys there are, the total is not exceeded, and another of its size still fits', t => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: 1, max: 20 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const pool = new FairPool(64, null);
      for (const { key, amount } of steps) {
        if (!pool.fits(key, amount)) continue;
        pool.add(key, amount);
        t.true(pool.used <= 64);
        t.true(pool.used + amount <= 64, 'the next one of this size');
      }
    }),
  );
});

test('then one key takes half, two a third each, and what comes after finds something', t => {
  const pool = new FairPool(600, null);
  t.is(takeAll(pool, 'a'), 300);
  t.is(takeAll(pool, 'b'), 150);
  t.is(takeAll(pool, 'c'), 75);
  t.true(pool.fits('d', 30));
  pool.remove('a', 100);
  t.is(takeAll(pool, 'b'), 12);
});
