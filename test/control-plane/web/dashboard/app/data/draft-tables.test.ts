import test from 'ava';
import fc from 'fast-check';
import { dayEnd, dayStart } from '#control-plane/web/dashboard/app/data/audit.ts';
import {
  type AssertionDraft,
  assertionBody,
  newAssertion,
  operatorsOf,
} from '#control-plane/web/dashboard/app/data/drafts/assertion-draft.ts';
import {
  flowBody,
  type Operator,
  operatorChoices,
  takesValue,
} from '#control-plane/web/dashboard/app/data/drafts/flow-draft.ts';
import { choicesOf, given } from '#control-plane/web/dashboard/app/data/drafts/given.ts';
import {
  changesOf,
  emptyDraft,
  parseLabels,
  settingsOf,
} from '#control-plane/web/dashboard/app/data/drafts/monitor-draft.ts';
import { noRules, rulesBody } from '#control-plane/web/dashboard/app/data/drafts/rules-draft.ts';
import { typedNumber, typedNumberOrNull } from '#control-plane/web/dashboard/app/data/drafts/typed-number.ts';
import { joinNames, templatesFor } from '#control-plane/web/dashboard/app/data/drafts/update-templates.ts';
import { queryOf, withQuery } from '#control-plane/web/dashboard/app/data/match-address.ts';

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
      t.is('value' in body && body.value !== undefined, type !== 'latency_p95' && !operator.endsWith('exists'));
      t.notThrows(() => JSON.stringify(body));
    }),
    { numRuns: 80 },
  );
});

test('labels are read as people write them', t => {
  const rows: readonly (readonly [text: string, labels: Record<string, string>])[] = [
    ['', {}],
    [' , ,\n', {}],
    ['team=web', { team: 'web' }],
    ['team = web , tier=1', { team: 'web', tier: '1' }],
    ['legacy', { legacy: '' }],
    ['query=a=b', { query: 'a=b' }],
    ['a=1\nb=2', { a: '1', b: '2' }],
    ['a=1, a=2', { a: '2' }],
  ];
  for (const [text, labels] of rows) t.deepEqual(parseLabels(text), labels);
});

test('numbers in fields are numbers, nothing, or what was typed', t => {
  for (const [text, number] of [
    ['5', 5],
    [' 5 ', 5],
    ['0.5', 0.5],
    ['', Number.NaN],
    ['x', Number.NaN],
  ] as const)
    t.is(typedNumber(text), number);
  t.is(typedNumberOrNull(' '), null);
  t.is(typedNumberOrNull('30'), 30);
  t.like(settingsOf({ ...emptyDraft, interval: 'often', timeout: '', quorum: '2' }), {
    interval_seconds: 'often',
    timeout_ms: null,
    quorum: 2,
  } as object);
});

test('only what differs of a monitor is sent, member by member', t => {
  const rows: readonly (readonly [changes: Partial<typeof emptyDraft>, names: string[]])[] = [
    [{}, []],
    [{ name: 'a' }, ['name']],
    [{ name: '  ' }, []],
    [{ interval: '30 ' }, []],
    [{ headers: [['', 'left over']] }, []],
    [{ headers: [['x-a', '1']] }, ['headers']],
    [{ severity: 'p1', slackChannel: '#ops' }, ['alert_policy']],
    [{ labels: ' ' }, []],
    [{ body: '{}', method: 'POST' }, ['method', 'body']],
    [{ rules: { ...noRules, hasFlap: true } }, ['alert_rules']],
    [{ regions: ['eu'], componentIds: ['cmp_1'] }, ['regions', 'component_ids']],
  ];
  for (const [changes, names] of rows)
    t.deepEqual(Object.keys(changesOf(emptyDraft, { ...emptyDraft, ...changes })).sort(), names.sort());
});

test('rules that are off send nothing of what stands in their fields', t => {
  t.like(rulesBody({ ...noRules, flapChanges: '9', degradedAfter: '9' }), { flap: null, degraded: null });
  t.deepEqual(rulesBody({ ...noRules, hasFlap: true, flapChanges: '4' }).flap, { changes: 4, window_seconds: 1800 });
  t.deepEqual(rulesBody({ ...noRules, hasDegraded: true }).degraded, { after_seconds: 300, severity: 'p3' });
  const thresholds = [{ daysLeft: '0.5', severity: 'p1' as const }];
  t.deepEqual(rulesBody({ ...noRules, certificate: { enabled: true, inVerdict: true, thresholds } }).certificate, {
    enabled: true,
    thresholds: [{ days_left: 0.5, severity: 'p1' }],
    in_verdict: true,
  });
});

test('a condition of a flow compares with what its text means', t => {
  const rows: readonly (readonly [op: Operator, text: string, value: unknown])[] = [
    ['eq', 'pro', 'pro'],
    ['eq', ' pro ', 'pro'],
    ['eq', '42', 42],
    ['eq', '"42"', '42'],
    ['eq', '-1.5', -1.5],
    ['eq', '1e3', '1e3'],
    ['eq', 'true', true],
    ['eq', 'null', null],
    ['eq', '"', '"'],
    ['contains', '42', '42'],
    ['contains', '"a b"', 'a b'],
    ['in', 'a, b, 3', ['a', 'b', 3]],
    ['in', '"a, b", c,', ['a, b', 'c']],
    ['in', '', []],
    ['gt', '10', 10],
  ];
  for (const [op, text, value] of rows) {
    const where = [{ prop: ' plan ', op, value: text }];
    const { steps } = flowBody({
      ...{ name: '', windowCount: '1', windowUnit: '60', order: 'ordered' },
      steps: [{ name: '', event: ' e ', where }],
    });
    t.deepEqual(steps, [{ event: 'e', where: [{ prop: 'plan', op, value }] }] as object as typeof steps, text);
  }
  t.deepEqual(
    operatorChoices.map(([op]) => op).filter(op => !takesValue(op)),
    ['exists', 'not_exists'],
  );
});

test('what asks for nothing is left out of a query, and a choice may be several', t => {
  t.deepEqual(given({ a: '', b: null, c: undefined, d: 0, e: false, f: 'x' }), { d: 0, e: false, f: 'x' } as object);
  t.is(choicesOf(''), undefined);
  t.deepEqual(choicesOf('open,acknowledged'), ['open', 'acknowledged']);
});

test('an address keeps its other parameters when some are set or removed', t => {
  const rows = [
    ['#/monitors', { q: 'a b' }, '#/monitors?q=a+b'],
    ['#/monitors?q=a&status=down', { q: '' }, '#/monitors?status=down'],
    ['#/monitors?q=a', { q: '' }, '#/monitors'],
    ['#/audit?from=1', { to: '&=#?' }, '#/audit?from=1&to=%26%3D%23%3F'],
  ] as const;
  for (const [address, changes, next] of rows) t.is(withQuery(address, changes), next);
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ minLength: 1 })), changes => {
      t.deepEqual(Object.fromEntries(queryOf(withQuery('#/x', changes))), { ...changes });
    }),
    { numRuns: 60 },
  );
});

test('a day of a filter lasts to the start of the next, and what is no day goes to the API as it is', t => {
  t.is(dayStart('2026-02-28'), '2026-02-28T00:00:00Z');
  t.is(dayEnd('2026-02-28'), '2026-03-01T00:00:00.000Z');
  t.is(dayStart(''), undefined);
  t.is(dayEnd(''), undefined);
  t.is(dayEnd('soon'), dayStart('soon'));
});

test('names stand in templates as they are, whatever their characters', t => {
  for (const name of ['Payments', 'A $& B', 'Cash $$ desk', "it's $1 $' $`", '*starred*']) {
    const escaped = joinNames([name]);
    for (const { text } of templatesFor([name])) {
      t.true(text.includes(escaped), text);
      t.false(text.includes('{what}'), text);
    }
  }
});
