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

const refused = [
  ...['$[?!1]', '$[?!true]', '$[?!!@.a]', '$[?!@.a==1]', '$[?@.a==!@.b]', '$[?!count(@.*)]', '$[?!length(@.a)]'],
  ...['$[?(@.a)==1]', '$[?1==(@.a)]', '$[?(1)==1]', '$[?(@.a==1)==true]', '$[?@.a==@.b==@.c]', '$[?1==1==1]'],
  ...['$[?count((@.a))>1]', '$[?length((@.a))>1]', '$[?match((@.a),"x")]', '$[?match(@.a,"x"=="x")]'],
  ...['$[?1]', '$[?(1)]', '$[?@.a&&1]', '$[?length(@.a)&&@.b]', '$[?@.a||value(@.b)]', '$[?(count(@.*))]'],
  ...['$[?@.*==1]', '$[?@..a==1]', '$[?@[0,1]==1]', '$[?@[?@.a]==1]', '$[?length(@.*)>1]', '$[?match(@.a,"x")==true]'],
  ...['$[?count(1)>1]', '$[?count(length(@.a))>1]', '$[?count(@.*,)>1]', '$[?count()>1]', '$[?size(@.*)>1]'],
  ...['$[?@.a[?!1]]', '$[?count(@[?!1])>1]', '$[?@.a==-01]', '$[1:2 3]', '$[?@.a==.5]', '$[?@.a==1.]', ' $', '$.a '],
];
for (const path of refused)
  test(`${path} has no meaning by RFC 9535`, t => {
    t.false(isJsonPath(path));
  });

const accepted = [
  ...['$[?@.a]', '$[?!@.a]', '$[? ! @.a ]', '$[?!(@.a==1)]', '$[?!(!@.a)]', '$[?!match(@.a,"x")]', '$[?((@.a))]'],
  ...['$[?(@.a==1)&&(@.b==2)]', '$[?@.a&&!@.b||(@.c)]', '$[?@.a==$.b]', '$[?1==1]', '$[?@["a"][0]!=$["b"]]'],
  ...['$[?length(@.a)>1]', '$[?count(@.*)>=1]', '$[?count(@[?!@.a])>1]', '$[?length(value(@..a))==$.b]'],
  ...["$[?search( @.a , 'x' )]", '$[?@.a==-0]', '$[?@.a<1.5E+3]', '$[?@.a==null]', '$ [ 0 , 1:2 ,\t"a",?@.a , * ]'],
  ...[
    '$..[?@.a]',
    '$..*',
    '$[::]',
    '$[ 1 : 2 : -1 ]',
    '$[:-1]',
    '$["\\ud83d\\ude00"]',
    '$["\u2028"]',
    "$['\\'\"']",
    '$.\u{1f600}',
  ],
];
for (const path of accepted)
  test(`${JSON.stringify(path)} has a meaning by RFC 9535`, t => {
    t.true(isJsonPath(path));
  });

test('a query that an earlier version accepted is evaluated as it was', t => {
  t.false(isJsonPath('$[?!@.a==true]'));
  t.deepEqual(selectValues('$[?!@.a==true]', [{ a: 1 }, {}]), [{}]);
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
