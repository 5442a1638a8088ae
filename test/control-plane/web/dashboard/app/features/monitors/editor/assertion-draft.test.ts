import test from 'ava';
import fc from 'fast-check';
import { monitorPostSchema } from '#control-plane/monitoring/monitors/monitor.ts';
import {
  type AssertionDraft,
  assertionBody,
  draftAssertion,
  newAssertion,
  operatorsOf,
} from '#control-plane/web/dashboard/app/features/monitors/editor/assertion-draft.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';

const code = fc.integer({ min: 100, max: 999 });

const text = fc.string({ minLength: 1, maxLength: 12 });

const json = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { minLength: 1 }));

/** Every shape of assertion that the API takes. */
const assertion = fc.oneof(
  fc.record({ type: fc.constant('status'), operator: fc.constantFrom('eq', 'neq', 'lt', 'gte'), value: code }),
  fc.record({
    type: fc.constant('status'),
    operator: fc.constantFrom('in', 'not_in'),
    value: fc.array(fc.oneof(code, fc.constant('200-299')), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('body_contains'),
    operator: fc.constantFrom('contains', 'not_contains'),
    value: text,
    case_insensitive: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('header'),
    name: fc.constant('x-a'),
    operator: fc.constantFrom('eq', 'neq', 'contains'),
    value: text,
  }),
  fc.record({ type: fc.constant('header'), name: fc.constant('x-a'), operator: fc.constantFrom('exists') }),
  fc.record({
    type: fc.constant('json_path'),
    path: fc.constant('$.a'),
    operator: fc.constantFrom('eq', 'neq'),
    value: json,
  }),
  fc.record({
    type: fc.constant('json_path'),
    path: fc.constant('$.a'),
    operator: fc.constantFrom('contains', 'not_contains'),
    value: text,
  }),
  fc.record({ type: fc.constant('json_path'), path: fc.constant('$.a'), operator: fc.constant('not_exists') }),
  fc.record({
    type: fc.constant('latency_p95'),
    operator: fc.constantFrom('lt', 'lte'),
    value_ms: fc.integer({ min: 1, max: 600_000 }),
    window_minutes: fc.integer({ min: 1, max: 1440 }),
  }),
  fc.record({ type: fc.constant('latency'), operator: fc.constantFrom('lt', 'lte'), value_ms: fc.nat(9000) }),
  fc.record({ type: fc.constant('dns_agree'), operator: fc.constant('eq') }),
  fc.record({
    type: fc.constant('dns_rcode'),
    operator: fc.constantFrom('in', 'not_in'),
    value: fc.array(fc.constantFrom('NOERROR', 'NXDOMAIN', 'SERVFAIL'), { minLength: 1, maxLength: 3 }),
    on_fail: fc.constant('warn'),
  }),
) as fc.Arbitrary<Assertion>;

test('an assertion is what its texts say', t => {
  const rows: readonly (readonly [type: AssertionDraft['type'], changes: Partial<AssertionDraft>, body: object])[] = [
    ['status', {}, { operator: 'eq', value: 200 }],
    ['status', { operand: ' 204 ' }, { operator: 'eq', value: 204 }],
    ['status', { operator: 'in', operand: '200, 204,, 300-399' }, { operator: 'in', value: [200, 204, '300-399'] }],
    ['status', { operand: 'ok' }, { value: 'ok' }],
    ['status', { operand: '' }, { value: '' }],
    ['body_contains', { operand: ' a ' }, { value: ' a ', case_insensitive: false }],
    ['body_contains', { operand: '1', caseInsensitive: true }, { value: '1', case_insensitive: true }],
    ['header', { subject: 'x-a', operand: '1' }, { name: 'x-a', operator: 'eq', value: '1' }],
    ['header', { subject: 'x-a', operator: 'exists', operand: 'left over' }, { name: 'x-a', operator: 'exists' }],
    ['header', { operator: 'in', operand: 'a, b' }, { value: ['a', 'b'] }],
    ['header', { operator: 'in', operand: '["a, b", "c"]' }, { value: ['a, b', 'c'] }],
    ['run_seconds', { operator: 'gte', operand: ' 30 ' }, { operator: 'gte', value: 30 }],
    ['json_path', { operand: '42' }, { path: '$.status', value: 42 }],
    ['json_path', { operand: '"42"' }, { value: '42' }],
    ['json_path', { operand: 'ok' }, { value: 'ok' }],
    ['json_path', { operand: 'true' }, { value: true }],
    ['json_path', { operator: 'contains', operand: '42' }, { value: '42' }],
    ['json_path', { operator: 'contains', operand: '"a"' }, { value: 'a' }],
    ['json_path', { operator: 'contains', operand: '{"a":1}' }, { value: { a: 1 } }],
    ['json_path', { operator: 'matches', operand: '^a.*$' }, { value: '^a.*$' }],
    ['latency_p95', { operand: '250', windowMinutes: '5' }, { operator: 'lt', value_ms: 250, window_minutes: 5 }],
    ['latency_p95', { operand: 'soon' }, { value_ms: 'soon' }],
    ['latency', { operand: '250', warns: true }, { operator: 'lt', value_ms: 250, on_fail: 'warn' }],
    ['body_contains', { operator: 'matches', operand: '^a' }, { operator: 'matches', value: '^a' }],
    ['tls_version', {}, { operator: 'gte', value: 'TLSv1.3' }],
    ['dns_rcode', { operator: 'in', operand: 'NOERROR, NXDOMAIN' }, { value: ['NOERROR', 'NXDOMAIN'] }],
    ['dns_record', { operand: ' 192.0.2.1 ' }, { operator: 'eq', value: '192.0.2.1' }],
    ['dns_agree', {}, { operator: 'eq' }],
    ['dns_changed', {}, { operator: 'eq', value: false, window_minutes: 60, on_fail: 'warn' }],
    ['dns_changed', { windowMinutes: '5', warns: false }, { window_minutes: 5, on_fail: 'err' }],
    ['grpc_status', {}, { operator: 'eq', value: 'SERVING' }],
    ['grpc_status', { operand: '12' }, { operator: 'eq', value: 12 }],
    ['grpc_status', { operator: 'in', operand: 'SERVING, 5' }, { operator: 'in', value: ['SERVING', 5] }],
    ['addresses', { operator: 'gte', operand: '2' }, { operator: 'gte', value: 2 }],
    ['packet_loss', { operand: '0.2' }, { operator: 'lt', value: 0.2 }],
    ['jitter', { operator: 'lte', operand: '5' }, { operator: 'lte', value_ms: 5 }],
  ];
  for (const [type, changes, body] of rows) t.like(assertionBody({ ...newAssertion(type), ...changes }), body);
});

test('whatever is typed into an assertion, its body has its type and an operator of the type', t => {
  const types = Object.keys(operatorsOf) as AssertionDraft['type'][];
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.string(), fc.string(), fc.nat(), (type, subject, operand, at) => {
      const operators = operatorsOf[type];
      const operator = operators[at % operators.length] ?? '';
      const body = assertionBody({ ...newAssertion(type), subject, operand, operator });
      t.is(body.type, type);
      t.is(body.operator, operator);
      const hasValue =
        !['latency_p95', 'latency', 'jitter', 'dns_agree'].includes(type) &&
        operator !== 'all' &&
        !operator.endsWith('exists');
      t.is('value' in body && body.value !== undefined, hasValue);
      t.notThrows(() => JSON.stringify(body));
    }),
    { numRuns: 80 },
  );
});

test('an assertion that is opened in the builder and saved untouched stays as it is', t => {
  fc.assert(
    fc.property(assertion, given => {
      t.deepEqual(assertionBody(draftAssertion(given)), { ...given });
    }),
    { numRuns: 400 },
  );
});

test('each kind of assertion starts as one that the API takes, once its subject is named', t => {
  for (const type of ['status', 'body_contains', 'header', 'json_path', 'latency_p95'] as const) {
    const { subject, operand, ...rest } = newAssertion(type);
    const body = assertionBody({ ...rest, subject: subject || 'x-a', operand: operand || 'ok' });
    const settings = { name: 'm', url: 'https://a.example/', interval_seconds: 60, regions: ['eu'] };
    t.true(monitorPostSchema.safeParse({ ...settings, assertions: [body] }).success, type);
  }
});
