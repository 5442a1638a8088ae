import test from 'ava';
import fc from 'fast-check';
import { type Assertion, assertionSchema } from '#shared/assertions/assertion.ts';
import type { AttemptFacts } from '#shared/assertions/attempt-facts.ts';
import { evaluate, type ProbedResponse } from '#shared/assertions/evaluate.ts';
import type { DnsFacts, PingFacts } from '#shared/checks/facts.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const attempt: AttemptFacts = { latencyMs: 50, isDelayed: false, tlsProtocol: 'TLSv1.2' };
const dns: DnsFacts = {
  server: 'ns.test:53',
  rcode: 'NOERROR',
  answers: [],
  truncated: false,
  servers: [
    { server: 'a.test:53', rcode: 'NOERROR', agrees: true },
    { server: 'b.test:53', rcode: null, agrees: true },
  ],
};
const ping: PingFacts = { sent: 4, received: 3, min_ms: 1, avg_ms: 2, max_ms: 4, jitter_ms: 1.5 };
const records = ['10 mail-a.example', '20 mail-b.example'];
const response: ProbedResponse = {
  statusCode: null,
  headers: new Map(),
  bodyText: '',
  truncated: false,
  facts: { dns, ping, grpc: { status: 'NOT_SERVING', code: 0 }, http_version: '2' },
  records,
};

async function decide(fields: unknown, changes: Partial<ProbedResponse> = {}, attempted: Partial<AttemptFacts> = {}) {
  const assertion: Assertion = assertionSchema.parse(fields);
  const known = { ...attempt, ...attempted };
  const [outcome] = await evaluate([assertion], { ...response, ...changes }, async () => [], null, undefined, known);
  return outcome;
}

const rows: [fields: object, passed: boolean, actual: string][] = [
  [{ type: 'latency', operator: 'lt', value_ms: 50 }, false, '50 ms'],
  [{ type: 'latency', operator: 'lte', value_ms: 50 }, true, '50 ms'],
  [{ type: 'http_version', operator: 'eq', value: '2' }, true, 'HTTP/2'],
  [{ type: 'http_version', operator: 'neq', value: '2' }, false, 'HTTP/2'],
  [{ type: 'http_version', operator: 'in', value: ['1.0', '1.1'] }, false, 'HTTP/2'],
  [{ type: 'tls_version', operator: 'eq', value: 'TLSv1.2' }, true, 'TLSv1.2'],
  [{ type: 'tls_version', operator: 'gte', value: 'TLSv1.3' }, false, 'TLSv1.2'],
  [{ type: 'tls_version', operator: 'in', value: ['TLSv1.2', 'TLSv1.3'] }, true, 'TLSv1.2'],
  [{ type: 'dns_rcode', operator: 'eq', value: 'NXDOMAIN' }, false, 'NOERROR'],
  [{ type: 'dns_rcode', operator: 'not_in', value: ['NXDOMAIN', 'REFUSED'] }, true, 'NOERROR'],
  [{ type: 'dns_record', operator: 'eq', value: '20 mail-b.example' }, true, records.join(', ')],
  [{ type: 'dns_record', operator: 'neq', value: '20 mail-b.example' }, false, records.join(', ')],
  [{ type: 'dns_record', operator: 'contains', value: 'mail-c' }, false, records.join(', ')],
  [{ type: 'dns_record', operator: 'not_contains', value: 'mail-c' }, true, records.join(', ')],
  [{ type: 'dns_record', operator: 'in', value: ['10 mail-a.example', 'x'] }, true, records.join(', ')],
  [{ type: 'dns_record', operator: 'not_in', value: ['10 mail-a.example'] }, false, records.join(', ')],
  [{ type: 'dns_record', operator: 'matches', value: '^20 ' }, true, records.join(', ')],
  [{ type: 'dns_record', operator: 'not_matches', value: '^20 ' }, false, records.join(', ')],
  [{ type: 'dns_agree' }, true, 'all agree'],
  [{ type: 'packet_loss', operator: 'lt', value: 0.25 }, false, '0.25'],
  [{ type: 'packet_loss', operator: 'lte', value: 0.25 }, true, '0.25'],
  [{ type: 'jitter', operator: 'lt', value_ms: 2 }, true, '1.5 ms'],
  [{ type: 'grpc_status', operator: 'eq', value: 'NOT_SERVING' }, true, 'NOT_SERVING'],
  [{ type: 'grpc_status', operator: 'neq', value: 'SERVING' }, true, 'NOT_SERVING'],
  [{ type: 'grpc_status', operator: 'eq', value: 0 }, true, 'NOT_SERVING'],
  [{ type: 'grpc_status', operator: 'in', value: ['SERVING', 5] }, false, 'NOT_SERVING'],
  [{ type: 'grpc_status', operator: 'not_in', value: ['SERVING', 5] }, true, 'NOT_SERVING'],
];
for (const [fields, passed, actual] of rows)
  test(`${JSON.stringify(fields)} is ${passed}`, async t => t.like(await decide(fields), { passed, actual }));

test('without a record a positive operator fails and a negative one holds', async t => {
  for (const [operator, passed] of [
    ['eq', false],
    ['matches', false],
    ['neq', true],
    ['not_contains', true],
    ['not_matches', true],
  ] as const)
    t.like(await decide({ type: 'dns_record', operator, value: 'x' }, { records: [] }), {
      passed,
      actual: 'no record',
    });
});

test('servers that do not agree are named, with their code or their silence', async t => {
  const servers = [
    { server: 'a.test:53', rcode: 'SERVFAIL', agrees: false },
    { server: 'b.test:53', rcode: null, agrees: false },
  ];
  const outcome = await decide({ type: 'dns_agree' }, { facts: { dns: { ...dns, servers } } });
  t.like(outcome, { passed: false, actual: 'a.test:53 SERVFAIL, b.test:53 silent' });
});

test('a time that is not the target’s, and a jitter of fewer than two replies, are not decided', async t => {
  const latency = { type: 'latency', operator: 'lt', value_ms: 1 };
  t.like(await decide(latency, {}, { isDelayed: true }), { passed: null, skipped: 'agent_delayed' });
  const one = { ping: { ...ping, received: 1, jitter_ms: null } };
  const jitter = { type: 'jitter', operator: 'lt', value_ms: 1 };
  t.like(await decide(jitter, { facts: one }), { passed: null, skipped: 'too_few_replies' });
});

test('addresses that do not answer are named, and before the first round nothing is decided', async t => {
  const reached = (address: string, error_code: string | null) => ({
    address,
    ok: error_code === null,
    error_code,
    ms: 1,
  });
  const list = [reached('192.0.2.1', null), reached('192.0.2.2', 'timeout')];
  const addresses = { at: '2026-11-27T08:00:00.000Z', total: 2, answering: 1, list };
  const actual = '1 of 2 answer; 192.0.2.2: no answer came in time';
  const all = { type: 'addresses', operator: 'all' };
  t.like(await decide(all, {}, { addresses }), { passed: false, actual, expected: 'all addresses answer' });
  t.like(await decide({ ...all, operator: 'gte', value: 1 }, {}, { addresses }), { passed: true, actual });
  t.like(await decide({ ...all, operator: 'gte', value: 2 }, {}, { addresses }), { passed: false, actual });
  t.like(await decide(all), { passed: null, skipped: 'no_round' });
});

test('what a kind does not have, no assertion claims to have seen', async t => {
  for (const fields of [
    { type: 'dns_rcode', operator: 'eq', value: 'NOERROR' },
    { type: 'dns_agree' },
    { type: 'http_version', operator: 'eq', value: '1.1' },
    { type: 'packet_loss', operator: 'lt', value: 1 },
    { type: 'status', operator: 'eq', value: 200 },
  ])
    t.like(await decide(fields, { facts: null }), { passed: null, skipped: 'not_supported' });
  const version = { type: 'tls_version', operator: 'gte', value: 'TLSv1.2' };
  t.like(await decide(version, {}, { tlsProtocol: null }), { passed: false, actual: 'no TLS' });
});

test('a negative operator is always the opposite of its positive one', async t => {
  const record = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', '.') });
  const pairs = fc.constantFrom(['eq', 'neq'], ['contains', 'not_contains'], ['matches', 'not_matches']);
  const value = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', '.') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 5 }),
      pairs,
      value,
      async (given, [positive, negative], expected) => {
        const of = (operator: string | undefined) =>
          decide({ type: 'dns_record', operator, value: expected }, { records: given });
        t.not((await of(positive))?.passed, (await of(negative))?.passed);
      },
    ),
  );
});

test('thousands of records cost no more than an assertion may', async t => {
  const many = Array.from({ length: 6000 }, (_, index) => `${'ab'.repeat(120)}${index}`);
  const assertions = Array.from({ length: 50 }, (_, index) =>
    assertionSchema.parse({ type: 'dns_record', operator: 'contains', value: `${'ab'.repeat(60)}c${index}` }),
  );
  const ms = await leastThreadMs(2000, async () => {
    const outcomes = await evaluate(assertions, { ...response, records: many }, async () => []);
    t.true(outcomes.every(({ passed }) => passed === false));
    t.is(outcomes.at(-1)?.skipped, 'not_examined');
  });
  t.true(ms < 2000, `${ms} ms`);
});
