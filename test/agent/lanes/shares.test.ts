import test from 'ava';
import fc from 'fast-check';
import { Shares } from '#agent/lanes/shares.ts';

/** Lets a lane take one at a time until it is refused. */
function takeAll(shares: Shares, lane: string): number {
  let taken = 0;
  for (; shares.fits(lane, 1); taken++) shares.add(lane, 1);
  return taken;
}

test('a single lane may use everything', t => {
  t.is(takeAll(new Shares(1000, () => 1), 'a'), 1000);
});

test('however many lanes take all they can, one that comes later finds something', t => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 30 }), fc.integer({ min: 0, max: 29 }), (lanes, greedy) => {
      const shares = new Shares(1000, () => lanes);
      for (let lane = 0; lane < Math.min(greedy, lanes - 1); lane++) takeAll(shares, `greedy ${lane}`);
      t.true(takeAll(shares, 'late') >= 16);
    }),
  );
});

test('no more than the total is ever used, and everything returned can be taken again', t => {
  const step = fc.record({ lane: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: 0, max: 60 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const shares = new Shares(100, () => 3);
      const holds = steps.map(({ lane, amount }) => {
        const hold = shares.hold(lane);
        hold.take(amount);
        t.true(shares.used <= 100);
        return hold;
      });
      for (const hold of holds) hold[Symbol.dispose]();
      t.is(shares.used, 0);
      t.true(shares.fits('a', 100 / 3));
    }),
  );
});

test('a lane uses at most what it leaves free beside what is guaranteed to idle lanes', t => {
  const shares = new Shares(100, () => 10);
  const taken = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map(lane => takeAll(shares, lane));
  t.deepEqual(taken, [28, 16, 11, 8, 6, 6, 5, 5, 5, 5]);
});

test('after its disposal a hold takes nothing', t => {
  const shares = new Shares(100, () => 1);
  const hold = shares.hold('a');
  t.true(hold.take(10));
  hold[Symbol.dispose]();
  t.false(hold.take(10));
  t.is(shares.used, 0);
});
