import test from 'ava';
import { NodeSelector } from '#agent/probe/json-path.ts';
import { type Assertion, assertionSchema } from '#shared/assertions/assertion.ts';
import { evaluate } from '#shared/assertions/evaluate.ts';
import { type Json, type JsonDocument, QueryNotRun } from '#shared/assertions/json-path.ts';
import { leastTurnMs, timesAsLong } from '#test/support/thread-time.ts';

const documentOf = (value: Json): JsonDocument => ({ text: JSON.stringify(value), value });
const document = documentOf({ a: [1, 2, { b: 'x' }], 'odd name': true });

test('singular and other queries select the values the standard defines', async t => {
  await using selector = new NodeSelector(() => 1, 60_000);
  t.deepEqual(await selector.selectFor('')('$.a[0]', document), [1]);
  t.deepEqual(await selector.selectFor('')("$['odd name']", document), [true]);
  t.deepEqual(await selector.selectFor('')('$.a[*]', document), [1, 2, { b: 'x' }]);
  t.deepEqual(await selector.selectFor('')('$..b', document), ['x']);
  t.deepEqual(await selector.selectFor('')('$.a[?@.b == "x"].b', document), ['x']);
  t.deepEqual(await selector.selectFor('')('$.a[5:]', document), []);
});

const large = documentOf(
  Array.from({ length: 20_000 }, (_, index) => ({ id: index, list: [1, 2, 3, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!'] })),
);
const expensive = [
  '$..*[?@..*]..*',
  '$[?count(@..*) > 1][?count(@..*) > 1]',
  '$..[?@..[?@..*]]',
  '$[?search(@.list[3], "(a+)+$")]',
  '$[?match(@.list[3], "(a|a)*b")]',
  '$..[*,*,*,*]..[*,*,*,*]..[*,*,*,*]',
];

test('expensive queries end in time, the event loop stays free, and the next query is answered', async t => {
  await using selector = new NodeSelector(() => 1, 60_000);
  await selector.selectFor('')('$..b', document);
  const longestMs = await leastTurnMs(250, async () => {
    for (const path of expensive) {
      // Without the nodes themselves, which a failure would print.
      const count = selector
        .selectFor('')(path, large)
        .then(nodes => nodes.length);
      await t.throwsAsync(count, undefined, path);
    }
  });
  t.true(longestMs < 250, `the event loop was blocked for ${Math.round(longestMs)} ms`);
  t.deepEqual(await selector.selectFor('')('$..b', document), ['x']);
});

test('a disposed selector rejects queued queries', async t => {
  const selector = new NodeSelector(() => 1, 60_000);
  const waiting = selector.selectFor('')('$..b', document);
  const rejected = t.throwsAsync(waiting, { instanceOf: QueryNotRun, message: 'stopped' });
  await selector[Symbol.asyncDispose]();
  await rejected;
});

test('beyond 200 queued queries the next one is rejected, and the queued ones are answered', async t => {
  await using selector = new NodeSelector(() => 1, 60_000);
  const queued = Array.from({ length: 200 }, () => selector.selectFor('')('$..b', document));
  await t.throwsAsync(selector.selectFor('')('$..b', document), { instanceOf: QueryNotRun });
  t.deepEqual(await selector.selectFor('')('$.a[0]', document), [1]);
  for (const nodes of await Promise.all(queued)) t.deepEqual(nodes, ['x']);
});

test('a query that selects more than 100,000 values fails, and the next is answered', async t => {
  await using selector = new NodeSelector(() => 1, 60_000);
  const many = documentOf(Array.from({ length: 100_001 }, () => 0));
  await t.throwsAsync(selector.selectFor('')('$[*]', many));
  t.deepEqual(await selector.selectFor('')('$..b', document), ['x']);
});

test('queries are answered in the order they were made', async t => {
  await using selector = new NodeSelector(() => 1, 60_000);
  const answered: number[] = [];
  const queries = Array.from({ length: 20 }, (_, index) =>
    selector
      .selectFor('')('$.*', documentOf({ only: index }))
      .then(([value]) => answered.push(Number(value))),
  );
  await Promise.all(queries);
  t.deepEqual(
    answered,
    answered.map((_, index) => index),
  );
});

test('seventy hostile queries of one lane delay another lane by a few of them at most', async t => {
  await using selector = new NodeSelector(() => 2, 60_000);
  const endings: string[] = [];
  const hostile = Array.from({ length: 70 }, () =>
    selector
      .selectFor('hostile')('$..*[?@..*]..*', large)
      .catch(() => endings.push('hostile')),
  );
  for (let index = 0; index < 5; index++) t.deepEqual(await selector.selectFor('other')('$..b', document), ['x']);
  t.true(endings.length <= 10, `${endings.length} ended before`);
  await selector[Symbol.asyncDispose]();
  await Promise.all(hostile);
});

test('the queue is full for a lane that filled its part, not for another', async t => {
  await using selector = new NodeSelector(() => 2, 60_000);
  const queued = Array.from({ length: 150 }, () => selector.selectFor('a')('$..b', document));
  const refused = await Promise.allSettled(queued);
  t.is(refused.filter(({ status }) => status === 'rejected').length, 75);
  t.deepEqual(await selector.selectFor('b')('$..b', document), ['x']);
});

test('a query that waits too long for its turn was not run, which is not its fault', async t => {
  await using selector = new NodeSelector(() => 1, 1);
  await t.throwsAsync(selector.selectFor('')('$..b', document), { instanceOf: QueryNotRun });
});

const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `row ${index}`, tags: ['a', 'b'] }));
const assertionsOf = (fields: readonly object[]): Assertion[] =>
  fields.map(each => assertionSchema.parse({ type: 'json_path', ...each }));

/** Evaluates assertions about a body as an agent does. */
async function evaluateBy(selector: NodeSelector, fields: readonly object[], bodyText: string, truncated = false) {
  const response = { statusCode: 200, headers: new Map(), bodyText, truncated };
  return await evaluate(assertionsOf(fields), response, selector.selectFor(''), selector.decideFor(''));
}

test.serial('assertions about large JSON have the outcomes they have about small JSON', async t => {
  await using selector = new NodeSelector(() => 1, 60_000);
  const fields = [
    { path: '$.status', operator: 'eq', value: 'ok' },
    { path: '$.status', operator: 'matches', value: '^o' },
    { path: '$.missing', operator: 'exists' },
    { path: '$.missing', operator: 'not_exists' },
    { path: '$..name', operator: 'contains', value: 'row 1' },
    { path: '$.rows[1]', operator: 'neq', value: 3 },
    { path: '$.rows[2].id', operator: 'gt', value: 7 },
  ];
  const small = await evaluateBy(selector, fields, JSON.stringify({ status: 'ok', rows: rows.slice(0, 10) }));
  const large = await evaluateBy(selector, fields, JSON.stringify({ status: 'ok', rows: rows.slice(0, 2000) }));
  t.deepEqual(
    large.map(({ actual, ...outcome }) => outcome),
    small.map(({ actual, ...outcome }) => outcome),
  );
  t.deepEqual(
    large.map(({ passed }) => passed),
    [true, true, false, true, true, true, false],
  );
});

test.serial(
  'a large text that is not JSON satisfies only not_exists, and nothing if more of it was not seen',
  async t => {
    await using selector = new NodeSelector(() => 1, 60_000);
    const fields = [
      { path: '$.a', operator: 'exists' },
      { path: '$.a', operator: 'not_exists' },
      { path: '$..a', operator: 'not_exists' },
    ];
    const passedOf = async (truncated: boolean) =>
      (await evaluateBy(selector, fields, '<'.repeat(100_000), truncated)).map(({ passed, actual }) => [
        passed,
        actual,
      ]);
    t.deepEqual(await passedOf(false), [
      [false, 'not JSON'],
      [true, 'not JSON'],
      [true, 'not JSON'],
    ]);
    const unseen = [false, 'not_examined: only the first MiB of the body is searched'];
    t.deepEqual(await passedOf(true), [unseen, unseen, unseen]);
  },
);

test.serial('large JSON is parsed in the worker: the event loop spends a fraction of the time on it', async t => {
  await using selector = new NodeSelector(() => 1, 60_000);
  await selector.selectFor('')('$..b', document);
  const text = JSON.stringify(Array.from({ length: 90_000 }, (_, index) => ({ [`n${index}`]: [] })));
  const tenTimes = async (act: () => unknown) => {
    for (let round = 0; round < 10; round++) await act();
  };
  const times = await timesAsLong(
    1 / 2,
    () => tenTimes(() => JSON.parse(text)),
    () => tenTimes(() => evaluateBy(selector, [{ path: '$', operator: 'neq', value: 1 }], text)),
  );
  t.true(times < 1 / 2, `${times} times as long`);
});

test.serial('when the queue is full, assertions about large JSON are undecided by the agent', async t => {
  await using selector = new NodeSelector(() => 1, 1);
  const fields = [
    { path: '$.a', operator: 'exists' },
    { path: '$..a', operator: 'exists' },
  ];
  const outcomes = await evaluateBy(selector, fields, JSON.stringify(rows));
  for (const outcome of outcomes) t.like(outcome, { passed: null, skipped: 'agent_busy' });
});
