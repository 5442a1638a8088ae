import test from 'ava';
import fc from 'fast-check';
import { compare } from '#shared/assertions/compare.ts';
import type { Json } from '#shared/assertions/json-path.ts';

/** One value of each JSON type, and a second one that differs. */
const values: Record<string, readonly [Json, Json]> = {
  null: [null, 'null'],
  boolean: [true, false],
  number: [2, 3],
  string: ['2', '3'],
  array: [
    [1, 'a'],
    ['a', 1],
  ],
  object: [
    { a: 1, b: [2] },
    { a: 1, b: [3] },
  ],
};

for (const [type, [value, other]] of Object.entries(values))
  test(`a ${type} equals itself and nothing else`, t => {
    t.true(compare('eq', value, structuredClone(value)));
    t.false(compare('neq', value, structuredClone(value)));
    t.false(compare('eq', value, other));
    t.true(compare('neq', value, other));
    t.true(compare('in', value, [other, value]));
    t.false(compare('in', value, [other]));
    for (const [otherType, [different]] of Object.entries(values))
      if (otherType !== type) t.false(compare('eq', value, different), `${type} and ${otherType}`);
  });

const orders: [left: Json, right: Json, order: 'less' | 'same' | 'greater' | 'none'][] = [
  [1, 2, 'less'],
  [2, 2, 'same'],
  [2, 1, 'greater'],
  [-1.5, 0, 'less'],
  ['a', 'b', 'less'],
  ['b', 'b', 'same'],
  ['b', 'a', 'greater'],
  ['10', '9', 'less'],
  ['B', 'a', 'less'],
  ['', 'a', 'less'],
  [1, '2', 'none'],
  ['1', 2, 'none'],
  [null, 1, 'none'],
  [false, true, 'none'],
  [[1], [2], 'none'],
  [{}, {}, 'none'],
];
for (const [left, right, order] of orders)
  test(`${JSON.stringify(left)} and ${JSON.stringify(right)} are ordered: ${order}`, t => {
    t.is(compare('lt', left, right), order === 'less');
    t.is(compare('lte', left, right), order === 'less' || order === 'same');
    t.is(compare('gt', left, right), order === 'greater');
    t.is(compare('gte', left, right), order === 'greater' || order === 'same');
  });

const containments: [actual: Json, expected: Json, contained: boolean][] = [
  ['abc', 'b', true],
  ['abc', '', true],
  ['abc', 'B', false],
  ['a1', 1, false],
  [['a', 'b'], 'b', true],
  [['ab'], 'b', false],
  [[1, 2], '1', false],
  [[{ a: 1 }], { a: 1 }, true],
  [[[1]], [1], true],
  [[null], null, true],
  [{ a: 1 }, 'a', false],
  [5, 5, false],
  [null, null, false],
];
for (const [actual, expected, contained] of containments)
  test(`${JSON.stringify(actual)} ${contained ? 'contains' : 'does not contain'} ${JSON.stringify(expected)}`, t => {
    t.is(compare('contains', actual, expected), contained);
  });

const patterns: [actual: Json, expected: Json, matches: boolean][] = [
  ['abc', 'b', true],
  ['abc', '^b', false],
  ['abc', '(?i)ABC', true],
  [5, '5', false],
  ['5', 5, false],
  [null, '', false],
];
for (const [actual, expected, matches] of patterns)
  test(`${JSON.stringify(actual)} ${matches ? 'matches' : 'does not match'} ${JSON.stringify(expected)}`, t => {
    t.is(compare('matches', actual, expected), matches);
  });

test('in needs an array: no value is in anything else', t => {
  for (const expected of ['abc', 5, null, { a: 'a' }] satisfies Json[]) t.false(compare('in', 'a', expected));
});

test('an unknown operator is false', t => {
  for (const operator of ['', 'EQ', 'exists', 'toString', '__proto__']) t.false(compare(operator, 1, 1), operator);
});

const objects: [left: Json, right: Json, equal: boolean][] = [
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: null }, {}, false],
  [{ a: null }, { b: null }, false],
  [{ toString: 1 }, {}, false],
  [{}, [], false],
  [[], {}, false],
  [[1, 2], [1], false],
  [{ a: { b: [{ c: null }] } }, { a: { b: [{ c: null }] } }, true],
  [JSON.parse('{"__proto__": 1}'), {}, false],
];
for (const [left, right, equal] of objects)
  test(`${JSON.stringify(left)} ${equal ? 'equals' : 'differs from'} ${JSON.stringify(right)}`, t => {
    t.is(compare('eq', left, right), equal);
    t.is(compare('eq', right, left), equal);
  });

const json = fc.jsonValue() as fc.Arbitrary<Json>;

test('every value equals its copy, and equality is symmetric', t => {
  fc.assert(
    fc.property(json, json, (left, right) => {
      t.true(compare('eq', left, JSON.parse(JSON.stringify(left))));
      t.is(compare('eq', left, right), compare('eq', right, left));
      t.is(compare('neq', left, right), !compare('eq', left, right));
    }),
  );
});

test('two numbers or two strings have exactly one order, all other pairs none', t => {
  const scalar = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
  fc.assert(
    fc.property(scalar, scalar, (left, right) => {
      const comparable = typeof left === typeof right && (typeof left === 'number' || typeof left === 'string');
      const holding = ['lt', 'eq', 'gt'].filter(operator => compare(operator, left, right));
      if (comparable) t.is(holding.length, 1);
      else t.false(holding.includes('lt') || holding.includes('gt'));
      t.is(compare('lte', left, right), comparable && !compare('gt', left, right));
      t.is(compare('gte', left, right), comparable && !compare('lt', left, right));
    }),
  );
});
