import test from 'ava';
import fc from 'fast-check';
import { assertionSchema, parseStatusRange } from '#shared/assertions/assertion.ts';
import { evaluate } from '#shared/assertions/evaluate.ts';
import { assertionsSchema } from '#shared/assertions/expressions.ts';
import { assignmentSchema } from '#shared/protocol/messages.ts';
import { assertionCases as httpCases } from '#test/support/assertion-cases.ts';
import { kindAssertionCases } from '#test/support/kind-assertion-cases.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const assertionCases = [...httpCases, ...kindAssertionCases];

test('the schema accepts exactly the cases without errors, and finds each error where it is', t => {
  t.true(assertionCases.length > 150);
  for (const [assertion, ...errors] of assertionCases) {
    const parsed = assertionsSchema.safeParse([assertion]);
    const pointers = (parsed.error?.issues ?? []).map(issue => issue.path.map(part => `/${String(part)}`).join(''));
    const expected = errors.map(error => `/0${error.slice(0, error.lastIndexOf(' '))}`);
    t.deepEqual(pointers.toSorted(), expected.toSorted(), JSON.stringify(assertion)?.slice(0, 200));
  }
});

test('an accepted assertion is accepted again unchanged, so that a stored one stays valid', t => {
  for (const [assertion, ...errors] of assertionCases) {
    if (errors.length > 0) continue;
    const parsed = assertionSchema.parse(assertion);
    t.deepEqual(assertionSchema.parse(JSON.parse(JSON.stringify(parsed))), parsed);
  }
});

test('an agent evaluates stored status codes above 599, which are refused in new assertions', async t => {
  for (const [operator, value, passes] of [
    ['eq', 700, false],
    ['in', [600, '600-999'], false],
    ['in', ['400-999'], true],
    ['not_in', ['599-999'], true],
  ] as const) {
    const assertion = { type: 'status', operator, value };
    t.false(assertionsSchema.safeParse([assertion]).success);
    const assigned = assignmentSchema.shape.assertions.parse([assertion]);
    const response = { statusCode: 404, headers: new Map(), bodyText: '', truncated: false };
    t.is((await evaluate(assigned, response, async () => []))[0]?.passed, passes, JSON.stringify(assertion));
  }
});

const ranges: [text: string, range: { first: number; last: number } | null][] = [
  ['200-299', { first: 200, last: 299 }],
  ['100-999', { first: 100, last: 999 }],
  ['200-200', { first: 200, last: 200 }],
  ['300-200', null],
  ['099-200', null],
  ['200-1000', null],
  ['200', null],
  ['200-', null],
  ['200 - 299', null],
  ['200-299\n', null],
  ['', null],
];
for (const [text, range] of ranges)
  test(`"${text}" is ${range === null ? 'not a range' : 'a range'} of status codes`, t => {
    t.deepEqual(parseStatusRange(text), range);
  });

test('every pair of status codes in order is a range', t => {
  const code = fc.integer({ min: 100, max: 999 });
  fc.assert(
    fc.property(code, code, (first, last) => {
      t.deepEqual(parseStatusRange(`${first}-${last}`), first <= last ? { first, last } : null);
    }),
  );
});

const pointersOf = (assertions: unknown) =>
  (assertionsSchema.safeParse(assertions).error?.issues ?? []).map(issue => `/${issue.path.join('/')}`);
const match = (value: string) => ({ type: 'header', name: 'x', operator: 'matches', value });
const search = (path: string) => ({ type: 'json_path', path, operator: 'exists' });

test('all errors of a list are found at once, in form and in patterns', t => {
  t.deepEqual(pointersOf([match('('), { type: 'status', operator: 'eq', value: 'x' }, search('$[')]).toSorted(), [
    '/0/value',
    '/1/value',
    '/2/path',
  ]);
  t.deepEqual(pointersOf('no list'), ['/']);
  t.deepEqual(pointersOf([null, 3]).toSorted(), ['/0', '/1']);
});

test('the patterns of a monitor have 4,000 parts together, whatever their number', t => {
  t.deepEqual(pointersOf([match('a{1000}b{990}'), match('a{1000}b{990}')]), []);
  t.deepEqual(pointersOf([match('a{1000}b{990}'), match('a{1000}b{990}'), match('c{50}')]), ['/2/value']);
  t.deepEqual(pointersOf(Array.from({ length: 50 }, (_, index) => match(`^[0-9a-f]{32}-${index}$`))), []);
});

test('three assertions of a monitor may be about percentiles', t => {
  const p95 = { type: 'latency_p95', operator: 'lt', value_ms: 100 };
  t.deepEqual(pointersOf([p95, p95, p95]), []);
  t.deepEqual(pointersOf([p95, p95, p95, p95]), ['/3/type']);
});

test('five queries of a monitor may search, and any number may name what they want', t => {
  const searches = ['$..a', '$.a[*]', '$.a[0:2]', '$.a[?@.b]', "$['a','b']"].map(search);
  t.deepEqual(pointersOf([...searches, search('$.a[0].b'), search("$['x']")]), []);
  t.deepEqual(pointersOf([...searches, search('$..b')]), ['/5/path']);
});

test('fifty expensive patterns are refused at little cost', async t => {
  const assertions = Array.from({ length: 50 }, (_, index) => match(`a{1000}b{${900 + index}}`));
  const ms = await leastThreadMs(600, () => {
    for (let round = 0; round < 10; round++) t.false(assertionsSchema.safeParse(assertions).success);
  });
  t.true(ms < 600, `${ms} ms`);
});
