import test from 'ava';
import fc from 'fast-check';
import { maxMinShare } from '#shared/fairness/max-min-share.ts';

const shares: [used: number[], total: number, share: number][] = [
  [[], 10, Number.POSITIVE_INFINITY],
  [[4, 6], 10, Number.POSITIVE_INFINITY],
  [[12], 10, 10],
  [[1, 20, 30], 10, 4.5],
  [[8, 8, 8, 8], 10, 2.5],
];
for (const [used, total, share] of shares)
  test(`who uses ${used.join(', ')} of ${total} may use ${share}`, t => {
    t.is(maxMinShare(used, total), share);
  });

test('all together use no more than there is at the share, and exactly that if they want more', t => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { maxLength: 20 }), fc.integer({ min: 1, max: 5000 }), (used, total) => {
      const share = maxMinShare(used, total);
      const sum = used.reduce((before, amount) => before + Math.min(amount, share), 0);
      const wanted = used.reduce((before, amount) => before + amount, 0);
      t.true(Math.abs(sum - Math.min(wanted, total)) < 1e-6);
    }),
  );
});
