import test from 'ava';
import fc from 'fast-check';
import { mayTake } from '#control-plane/platform/http/bodies/body-budget.ts';

const bytesMax = 64;

test('however shares take and give back, the budget is not exceeded', t => {
  const step = fc.record({ share: fc.nat({ max: 5 }), bytes: fc.integer({ min: 1, max: 20 }), gives: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const held = new Map<number, number>();
      const total = () => [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
      for (const { share, bytes, gives } of steps) {
        const mine = held.get(share) ?? 0;
        if (gives) held.set(share, Math.max(0, mine - bytes));
        else if (mayTake(mine, bytes, { bytes: total(), bytesMax })) held.set(share, mine + bytes);
      }
      t.true(total() <= bytesMax);
    }),
  );
});

test('one share takes half, two a third each, and what comes after finds room', t => {
  const takeAll = (held: number, bytes: number) => {
    let mine = held;
    for (let taken = 0; taken < 600 && mayTake(mine, 1, { bytes: bytes + mine, bytesMax: 600 }); taken++) mine += 1;
    return mine;
  };
  t.is(takeAll(0, 0), 300);
  t.is(takeAll(0, 300), 150);
  t.is(takeAll(0, 450), 75);
  t.true(mayTake(0, 30, { bytes: 525, bytesMax: 600 }));
});
