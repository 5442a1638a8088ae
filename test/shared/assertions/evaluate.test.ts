import test from 'ava';
import { type Assertion, assertionSchema } from '#shared/assertions/assertion.ts';
import { evaluate, isUndecidedByAgent, type ProbedResponse } from '#shared/assertions/evaluate.ts';
import { QueryNotRun, type SelectNodes, selectValues } from '#shared/assertions/json-path.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const body = JSON.stringify({
  status: 'ok',
  count: 3,
  zero: 0,
  none: null,
  yes: true,
  tags: ['a', 'b'],
  empty: [],
  nested: { a: { b: [1, 2] } },
  rows: [
    { id: 1, name: 'one' },
    { id: 2, name: 'two' },
  ],
});
const response: ProbedResponse = {
  statusCode: 200,
  headers: new Map([
    ['content-type', ['application/json']],
    ['x-many', ['first', 'second']],
  ]),
  bodyText: body,
  truncated: false,
};

async function holds(fields: unknown, changes: Partial<ProbedResponse> = {}): Promise<boolean | null> {
  const assertion: Assertion = assertionSchema.parse(fields);
  const outcomes = await evaluate([assertion], { ...response, ...changes }, async (path, { value }) =>
    selectValues(path, value),
  );
  return outcomes[0]?.passed ?? null;
}

type Row = [operator: string, value: unknown, expected: boolean];

const statusRows: Row[] = [
  ['eq', 200, true],
  ['eq', 201, false],
  ['neq', 200, false],
  ['neq', 404, true],
  ['lt', 201, true],
  ['lt', 200, false],
  ['lte', 200, true],
  ['lte', 199, false],
  ['gt', 199, true],
  ['gt', 200, false],
  ['gte', 200, true],
  ['gte', 201, false],
  ['in', [200], true],
  ['in', ['200-299'], true],
  ['in', [404, '500-599'], false],
  ['not_in', ['500-599', 404], true],
  ['not_in', ['200-299'], false],
];
for (const [operator, value, expected] of statusRows)
  test(`status 200 ${operator} ${JSON.stringify(value)} is ${expected}`, async t => {
    t.is(await holds({ type: 'status', operator, value }), expected);
  });

const bodyRows: [fields: Record<string, unknown>, expected: boolean][] = [
  [{ value: '"status":"ok"' }, true],
  [{ value: 'STATUS' }, false],
  [{ value: 'STATUS', case_insensitive: true }, true],
  [{ value: 'missing' }, false],
  [{ value: 'missing', operator: 'not_contains' }, true],
  [{ value: 'ok', operator: 'not_contains' }, false],
];
for (const [fields, expected] of bodyRows)
  test(`body ${JSON.stringify(fields)} is ${expected}`, async t => {
    t.is(await holds({ type: 'body_contains', ...fields }), expected);
  });

const headerRows: [name: string, operator: string, value: unknown, expected: boolean][] = [
  ['Content-Type', 'eq', 'application/json', true],
  ['content-type', 'eq', 'text/html', false],
  ['content-type', 'neq', 'text/html', true],
  ['content-type', 'contains', 'json', true],
  ['content-type', 'not_contains', 'json', false],
  ['content-type', 'matches', '^application/', true],
  ['content-type', 'matches', '^text/', false],
  ['content-type', 'in', ['text/html', 'application/json'], true],
  ['content-type', 'not_in', ['application/json'], false],
  ['content-type', 'exists', undefined, true],
  ['content-type', 'not_exists', undefined, false],
  ['x-many', 'eq', 'second', true],
  ['x-many', 'neq', 'second', false],
  ['x-many', 'neq', 'third', true],
  ['x-many', 'not_contains', 'fir', false],
  ['x-many', 'matches', '^sec', true],
  ['x-none', 'exists', undefined, false],
  ['x-none', 'not_exists', undefined, true],
  ['x-none', 'eq', 'x', false],
  ['x-none', 'neq', 'x', true],
  ['x-none', 'not_in', ['x'], true],
];
for (const [name, operator, value, expected] of headerRows)
  test(`header ${name} ${operator} ${JSON.stringify(value)} is ${expected}`, async t => {
    t.is(await holds({ type: 'header', name, operator, value }), expected);
  });

const jsonRows: [path: string, operator: string, value: unknown, expected: boolean][] = [
  ['$.status', 'eq', 'ok', true],
  ['$.status', 'neq', 'ok', false],
  ['$.count', 'eq', 3, true],
  ['$.count', 'eq', '3', false],
  ['$.count', 'neq', '3', true],
  ['$.zero', 'eq', false, false],
  ['$.none', 'eq', null, true],
  ['$.none', 'exists', undefined, true],
  ['$.yes', 'eq', true, true],
  ['$.count', 'lt', 4, true],
  ['$.count', 'lte', 3, true],
  ['$.count', 'gt', 3, false],
  ['$.count', 'gte', 3, true],
  ['$.count', 'lt', '4', false],
  ['$.status', 'lt', 'p', true],
  ['$.status', 'gt', 'p', false],
  ['$.status', 'contains', 'o', true],
  ['$.tags', 'contains', 'b', true],
  ['$.tags', 'contains', 'c', false],
  ['$.tags', 'not_contains', 'c', true],
  ['$.count', 'contains', 3, false],
  ['$.tags', 'eq', ['a', 'b'], true],
  ['$.tags', 'eq', ['b', 'a'], false],
  ['$.nested', 'eq', { a: { b: [1, 2] } }, true],
  ['$.empty', 'eq', [], true],
  ['$.empty', 'eq', {}, false],
  ['$.count', 'in', [1, 3], true],
  ['$.count', 'not_in', [1, 3], false],
  ['$.status', 'matches', '^o.$', true],
  ['$.count', 'matches', '3', false],
  ['$.missing', 'exists', undefined, false],
  ['$.missing', 'not_exists', undefined, true],
  ['$.missing', 'neq', 1, false],
  ['$.missing', 'not_contains', 'x', false],
  ['$.missing', 'not_in', [1], false],
  ['$.rows[*].id', 'eq', 2, true],
  ['$.rows[*].id', 'eq', 3, false],
  ['$.rows[*].id', 'neq', 2, true],
  ['$.rows[*].name', 'matches', '^tw', true],
  ['$.rows[?@.id > 1].name', 'eq', 'two', true],
  ['$..id', 'gt', 1, true],
  ['$.rows[-1].id', 'eq', 2, true],
];
for (const [path, operator, value, expected] of jsonRows)
  test(`json ${path} ${operator} ${JSON.stringify(value)} is ${expected}`, async t => {
    t.is(await holds({ type: 'json_path', path, operator, value }), expected);
  });

test('a body that is not JSON satisfies only not_exists', async t => {
  t.false(await holds({ type: 'json_path', path: '$.a', operator: 'neq', value: 1 }, { bodyText: '<html>' }));
  t.true(await holds({ type: 'json_path', path: '$.a', operator: 'not_exists' }, { bodyText: '<html>' }));
});

test('a text that reads like a number, a boolean or null is shown in quotes, others are not', async t => {
  const rows: [value: unknown, shown: string][] = [
    ['1', '"1"'],
    ['-1.5e3', '"-1.5e3"'],
    ['true', '"true"'],
    ['null', '"null"'],
    [1, '1'],
    [true, 'true'],
    ['1 ms', '1 ms'],
    ['ok', 'ok'],
  ];
  const assertion = assertionSchema.parse({ type: 'json_path', path: '$.a', operator: 'eq', value: 2 });
  for (const [value, shown] of rows) {
    const answer = { ...response, bodyText: JSON.stringify({ a: value }) };
    const [outcome] = await evaluate([assertion], answer, async (path, body) => selectValues(path, body.value));
    t.is(outcome?.actual, shown);
  }
});

test('without assertions the status must be 2xx', async t => {
  for (const [statusCode, expected] of [
    [199, false],
    [200, true],
    [299, true],
    [300, false],
  ] as const) {
    const [outcome] = await evaluate([], { ...response, statusCode }, async () => []);
    t.is(outcome?.passed, expected);
  }
});

test('latency_p95 is left to the control plane, and the others keep their index', async t => {
  const assertions = [
    assertionSchema.parse({ type: 'latency_p95', operator: 'lt', value_ms: 5 }),
    assertionSchema.parse({ type: 'status', operator: 'eq', value: 200 }),
  ];
  const outcomes = await evaluate(assertions, response, async () => []);
  t.deepEqual(
    outcomes.map(outcome => [outcome.index, outcome.type]),
    [[1, 'status']],
  );
});

test('the actual value is cut at 256 characters', async t => {
  const assertion = assertionSchema.parse({ type: 'json_path', path: '$.long', operator: 'eq', value: 'x' });
  const long = { ...response, bodyText: JSON.stringify({ long: 'y'.repeat(5000) }) };
  const [outcome] = await evaluate([assertion], long, async (path, { value }) => selectValues(path, value));
  t.is(outcome?.actual?.length, 256);
});

test('a query that cannot be answered in time fails its assertion with that reason', async t => {
  const assertion = assertionSchema.parse({ type: 'json_path', path: '$..a', operator: 'exists' });
  const [outcome] = await evaluate([assertion], response, () => Promise.reject(new Error('slow')));
  t.like(outcome, { passed: false, actual: 'the query took too long' });
});

test('a query that was not run leaves its assertion undecided, and the next ones do not wait either', async t => {
  const search = assertionSchema.parse({ type: 'json_path', path: '$..a', operator: 'exists' });
  let asked = 0;
  const outcomes = await evaluate([search, search], response, () => {
    asked++;
    return Promise.reject(new QueryNotRun('busy'));
  });
  for (const outcome of outcomes) t.like(outcome, { passed: null, actual: null, skipped: 'agent_busy' });
  t.true(outcomes.every(isUndecidedByAgent));
  t.is(asked, 1);
});

test('a body that is nested deeply is examined like any other', async t => {
  for (const operator of ['exists', 'neq', 'contains'] as const) {
    const value = operator === 'exists' ? undefined : JSON.parse(`${'['.repeat(4000)}1${']'.repeat(4000)}`);
    const assertion = assertionSchema.parse({ type: 'json_path', path: '$[0]', operator, value });
    const bodyText = '['.repeat(20_000) + ']'.repeat(20_000);
    const [outcome] = await evaluate([assertion], { ...response, bodyText }, async (path, { value }) =>
      selectValues(path, value),
    );
    t.like(outcome, { passed: operator !== 'contains', actual: `${'['.repeat(255)}…` });
  }
});

test('an assertion that throws is undecided, and the others of the check are decided', async t => {
  const headers = {
    get: () => {
      throw new RangeError('Maximum call stack size exceeded: secret');
    },
  };
  const assertions = [
    assertionSchema.parse({ type: 'header', name: 'x-a', operator: 'exists' }),
    assertionSchema.parse({ type: 'status', operator: 'eq', value: 200 }),
  ];
  const broken = { ...response, headers: headers as unknown as ProbedResponse['headers'] };
  const outcomes = await evaluate(assertions, broken, async () => []);
  t.like(outcomes[0], { passed: null, actual: 'the agent failed: RangeError', skipped: 'not_supported' });
  t.like(outcomes[1], { passed: true });
});

test('a pattern that this agent cannot compile leaves its assertion undecided', async t => {
  const assertion = assertionSchema.parse({ type: 'header', name: 'x-many', operator: 'matches', value: '(?=a)' });
  const [outcome] = await evaluate([assertion], response, async () => []);
  t.like(outcome, { passed: null, skipped: 'not_supported' });
});

test.serial('fifty expensive patterns cost one check less than a second, and those not run say so', async t => {
  const long = 'a'.repeat(16_384);
  const assertions = Array.from({ length: 50 }, (_, index) =>
    assertionSchema.parse({ type: 'header', name: 'x-long', operator: 'matches', value: `(?:a?){600}[b-z]${index}` }),
  );
  const headers = new Map([['x-long', [long]]]);
  const ms = await leastThreadMs(1000, async () => {
    const outcomes = await evaluate(assertions, { ...response, headers }, async () => []);
    t.true(outcomes.every(({ passed }) => passed === false));
    t.like(outcomes.at(-1), { actual: 'not_examined: the patterns take too long', skipped: 'not_examined' });
  });
  t.true(ms < 1000, `${ms} ms`);
});

const letters = 'a'.repeat(1_048_576);
const almostLetters = `ab${'a'.repeat(8180)}`;
const spellings = { case_insensitive: true, value: almostLetters.toUpperCase() };

for (const [what, fields, changes] of [
  ['a body', { type: 'body_contains', value: almostLetters }, { bodyText: letters }],
  ['a body, whatever the case', { type: 'body_contains', ...spellings }, { bodyText: letters }],
  [
    'a header',
    { type: 'header', name: 'x-long', operator: 'contains', value: almostLetters },
    { headers: new Map([['x-long', [letters]]]) },
  ],
  [
    'a JSON string',
    { type: 'json_path', path: '$', operator: 'contains', value: almostLetters },
    { bodyText: JSON.stringify(letters) },
  ],
  [
    'a JSON array',
    {
      type: 'json_path',
      path: '$',
      operator: 'contains',
      value: Object.fromEntries(Array.from({ length: 900 }, (_, index) => [index, 0])),
    },
    { bodyText: JSON.stringify(Array.from({ length: 300_000 }, () => ({}))) },
  ],
] as const)
  test.serial(`${what} that almost contains a long value costs less than a second`, async t => {
    const ms = await leastThreadMs(1000, async () => t.false(await holds(fields, changes)));
    t.true(ms < 1000, `${ms} ms`);
  });

test('values that cost too much to compare are not examined, whatever the operator', async t => {
  const costly = 'a'.repeat(100_000);
  for (const [operator, value] of [
    ['contains', 'b'.repeat(100)],
    ['not_contains', 'a'.repeat(100)],
  ] as const) {
    const assertion = assertionSchema.parse({ type: 'json_path', path: '$', operator, value });
    for (const [count, skipped] of [
      [100, undefined],
      [1000, 'not_examined'],
    ] as const) {
      const nodes = Array.from({ length: count }, () => costly);
      const [outcome] = await evaluate([assertion], response, async () => nodes);
      t.is(outcome?.passed, false, operator);
      t.is(outcome?.skipped, skipped, operator);
    }
  }
});

test('what may lie behind the first MiB is not examined, which fails without a claim about it', async t => {
  const cut = { ...response, bodyText: '{"status":"ok","items":[', truncated: true };
  for (const [fields, passed, skipped] of [
    [{ type: 'body_contains', value: 'needle' }, false, 'not_examined'],
    [{ type: 'body_contains', value: 'status' }, true, undefined],
    [{ type: 'body_contains', value: 'needle', operator: 'not_contains' }, false, 'not_examined'],
    [{ type: 'body_contains', value: 'status', operator: 'not_contains' }, false, undefined],
    [{ type: 'json_path', path: '$.status', operator: 'exists' }, false, 'not_examined'],
    [{ type: 'json_path', path: '$.status', operator: 'not_exists' }, false, 'not_examined'],
  ] as const) {
    const [outcome] = await evaluate([assertionSchema.parse(fields)], cut, async () => []);
    t.is(outcome?.passed, passed, JSON.stringify(fields));
    t.is(outcome?.skipped, skipped, JSON.stringify(fields));
    if (skipped !== undefined) t.regex(outcome?.actual ?? '', /^not_examined: only the first MiB/);
  }
});

/** Counts microseconds, and is short beyond a maximum. */
function countCpu(max: number) {
  const counted = { micros: 0 };
  const spend = (micros: number) => {
    counted.micros += micros;
  };
  return { counted, cpu: { isShort: () => counted.micros > max, spend } };
}

test('the CPU time of each assertion is counted, and when it is used up the others are undecided', async t => {
  const { counted, cpu } = countCpu(20_000);
  const assertions = Array.from({ length: 50 }, (_, index) =>
    assertionSchema.parse({ type: 'header', name: 'x-long', operator: 'matches', value: `(?i)\\pL{1,50}\\d${index}` }),
  );
  const headers = new Map([['x-long', ['a'.repeat(16_384)]]]);
  const outcomes = await evaluate(assertions, { ...response, headers }, async () => [], null, cpu);
  t.true(counted.micros > 20_000);
  t.is(outcomes[0]?.passed, false);
  t.like(outcomes.at(-1), { passed: null, skipped: 'agent_busy' });
});

test('long queries, which are read anew for each check, are counted as well', async t => {
  const { counted, cpu } = countCpu(1_000_000);
  const select: SelectNodes = async (path, { value }) => selectValues(path, value);
  const assertions = Array.from({ length: 50 }, (_, index) =>
    assertionSchema.parse({ type: 'json_path', path: `$${'.a'.repeat(500)}[${index}]`, operator: 'exists' }),
  );
  for (let round = 0; round < 20; round++)
    await evaluate(assertions, { ...response, bodyText: '{}' }, select, null, cpu);
  // They take about 100 ms.
  t.true(counted.micros > 10_000, `${counted.micros} µs counted`);
});
