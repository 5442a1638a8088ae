import test from 'ava';
import fc from 'fast-check';
import { isJsonPath, isSingular, type Json, selectValues } from '#shared/assertions/json-path.ts';

const document: Json = { a: [1, { b: 'x' }, null], 'odd name': true, n: { a: 2 } };

const queries: [path: string, singular: boolean, values: Json[]][] = [
  ['$', true, [document]],
  ['$.a[0]', true, [1]],
  ['$.a[-1]', true, [null]],
  ['$.a[9]', true, []],
  ['$.missing.deeper', true, []],
  ["$['odd name']", true, [true]],
  ['$.a[1].b', true, ['x']],
  ['$.a[*]', false, [1, { b: 'x' }, null]],
  ['$.a[0:2]', false, [1, { b: 'x' }]],
  ['$..a', false, [[1, { b: 'x' }, null], 2]],
  ["$['n','odd name']", false, [{ a: 2 }, true]],
  ['$.a[?@.b]', false, [{ b: 'x' }]],
];
for (const [path, singular, values] of queries)
  test(`${path} is ${singular ? '' : 'not '}singular and selects ${JSON.stringify(values)}`, t => {
    t.true(isJsonPath(path));
    t.is(isSingular(path), singular);
    t.deepEqual(selectValues(path, document), values);
  });

for (const path of ['', 'a', '$[', '$.', '$[?', '$ ', '$[01]', '$["a]', '$[?@.a==]', '$.a b'])
  test(`"${path}" is not a JSONPath query`, t => {
    t.false(isJsonPath(path));
    t.throws(() => selectValues(path, document));
  });

// The cases of RFC 9535 that the library decides otherwise; it passes the rest of the compliance test suite.
const dashed: Json = { 'a-b': 1, a: { 'b-c': 2 }, '\u0000': 3, '\u001f\u0000x': 4, '\\u0000': 5, '"-': 6 };
for (const path of [
  '$.a-b',
  '$..b-c',
  '$.a.b-c',
  '$[?@.a-b]',
  '$[?@.a == $.b-c]',
  '$.a-1',
  '$.é-b',
  '$.a\ud800',
  '$["\ud800"]',
  '$["\u0000"]',
])
  test(`${JSON.stringify(path)} is not a JSONPath query by RFC 9535`, t => {
    t.false(isJsonPath(path));
  });
for (const [path, values] of [
  ["$['a-b']", [1]],
  ['$["a-b"]', [1]],
  ['$.a["b-c"]', [2]],
  ['$["\\u0000"]', [3]],
  ["$['\\u0000']", [3]],
  ["$['\\u001F\\u0000x']", [4]],
  ["$['\\\\u0000']", [5]],
  ["$['\"-']", [6]],
  ['$["\\"-"]', [6]],
  ['$[?@ == -1.5e-3]', []],
  ['$[?@.a < -1]', []],
  ['$[-1:-2:-1]', []],
  ['$[?@["x.y-z"] == ".a-b"]', []],
] as [path: string, values: Json[]][])
  test(`${path} is a JSONPath query by RFC 9535 and selects ${JSON.stringify(values)}`, t => {
    t.true(isJsonPath(path));
    t.deepEqual(selectValues(path, dashed), values);
  });

test('a singular query selects at most one value of any document', t => {
  const step = fc.oneof(
    fc.integer({ min: -3, max: 3 }).map(index => `[${index}]`),
    fc.constantFrom('.a', '.b', "['a']"),
  );
  const path = fc.array(step, { maxLength: 5 }).map(steps => `$${steps.join('')}`);
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(path, json, (query, value) => {
      t.true(isSingular(query));
      t.true(selectValues(query, value).length <= 1);
    }),
  );
});
