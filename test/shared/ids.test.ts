import test from 'ava';
import fc from 'fast-check';
import { base32, isId, newId } from '#shared/ids.ts';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The instant in an identifier, in milliseconds since the epoch. */
const timeOf = (id: string) => [...id.slice(4, 14)].reduce((ms, digit) => ms * 32 + alphabet.indexOf(digit), 0);

test('ids grow within a millisecond and when the clock is set back', t => {
  const ids = Array.from({ length: 5000 }, (_, index) => newId('mon', 1_800_000_000_000 - index));
  t.deepEqual(ids, ids.toSorted());
  t.is(new Set(ids).size, ids.length);
});

test('ids follow a clock that is set back by more than ten seconds, each prefix its own', t => {
  const atMs = 2_100_000_000_000;
  const [ahead, other, back, next] = [
    newId('inc', atMs),
    newId('upd', atMs - 3_600_000),
    newId('inc', atMs - 10_001),
    newId('inc', atMs - 10_001),
  ];
  t.deepEqual([ahead, other, back].map(timeOf), [atMs, atMs - 3_600_000, atMs - 10_001]);
  t.true(next > back);
});

test('ids grow while the clock stays within ten seconds of the latest instant, whatever steps it takes', t => {
  const stepsOf = fc.array(fc.record({ aheadMs: fc.nat(5000), backMs: fc.nat(10_000) }), {
    minLength: 2,
    maxLength: 50,
  });
  let latestMs = 1_900_000_000_000;
  fc.assert(
    fc.property(stepsOf, steps => {
      latestMs += 20_000;
      const ids = steps.map(({ aheadMs, backMs }) => {
        latestMs += aheadMs;
        return newId('evt', latestMs - backMs);
      });
      t.deepEqual(ids, ids.toSorted());
      t.is(new Set(ids).size, ids.length);
    }),
  );
});

test('an id begins with its prefix and the time it was made at', t => {
  const ms = 2_000_000_000_123;
  const id = newId('inc', ms);
  t.regex(id, /^inc_[0-9a-hjkmnp-tv-z]{26}$/);
  t.is(timeOf(id), ms);
});

test('ids of one prefix are ids of that prefix only', t => {
  const id = newId('sp');
  t.true(isId('sp', id));
  t.false(isId('sub', id));
});

const valid = `mon_${'0'.repeat(26)}`;
for (const [text, expected] of [
  [valid, true],
  ['mon_01jd5x7q3v8k2m4n6p9r0s1t2v', true],
  ['', false],
  ['mon_', false],
  [valid.slice(0, -1), false],
  [`${valid}0`, false],
  [valid.toUpperCase(), false],
  [valid.replace('_', '-'), false],
  [`mon_${'0'.repeat(25)}i`, false],
  [`mon_${'0'.repeat(25)}u`, false],
  [`mon_${'0'.repeat(25)}\n`, false],
  [`xmon_${'0'.repeat(26)}`, false],
] as const)
  test(`"${text}" is ${expected ? 'an' : 'no'} id of a monitor`, t => {
    t.is(isId('mon', text), expected);
  });

for (const [bytes, text] of [
  [[], ''],
  [[0], '0'],
  [[255], 'z'],
  [[0, 0, 0, 0, 0], '00000000'],
  [[0, 0, 0, 0, 1], '00000001'],
  [[255, 255, 255, 255, 255], 'zzzzzzzz'],
  [[8, 66, 16, 132, 33], '11111111'],
] as const)
  test(`bytes ${bytes} are "${text}" in base 32`, t => {
    t.is(base32(Uint8Array.from(bytes)), text);
  });

test('base 32 of whole groups keeps every bit and the order', t => {
  const group = fc.uint8Array({ minLength: 10, maxLength: 10 });
  const value = (text: string) => [...text].reduce((sum, digit) => sum * 32n + BigInt(alphabet.indexOf(digit)), 0n);
  fc.assert(
    fc.property(group, group, (left, right) => {
      t.is(value(base32(left)), BigInt(`0x${Buffer.from(left).toString('hex')}`));
      t.is(
        Math.sign(Buffer.compare(left, right)),
        base32(left) < base32(right) ? -1 : Number(base32(left) > base32(right)),
      );
    }),
  );
});
