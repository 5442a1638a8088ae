import test from 'ava';
import fc from 'fast-check';
import { flowPostSchema } from '#control-plane/analytics/flows/flow.ts';
import {
  draftOfFlow,
  emptyFlow,
  flowBody,
  type Operator,
  operatorChoices,
  stepErrors,
  takesValue,
} from '#control-plane/web/dashboard/app/features/flows/flow-draft.ts';
import { ApiProblem } from '#control-plane/web/dashboard/app/session/api.ts';

const value = fc.oneof(fc.string({ minLength: 1, maxLength: 9 }), fc.integer(), fc.boolean(), fc.constant(null));

const condition = fc.oneof(
  fc.record({ prop: fc.constant('p'), op: fc.constantFrom<Operator>('eq', 'neq'), value }),
  fc.record({
    prop: fc.constant('p'),
    op: fc.constantFrom<Operator>('in', 'not_in'),
    value: fc.array(value, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ prop: fc.constant('p'), op: fc.constantFrom<Operator>('lt', 'gte'), value: fc.integer() }),
  fc.record({
    prop: fc.constant('p'),
    op: fc.constantFrom<Operator>('contains'),
    value: fc.string({ minLength: 1, maxLength: 9 }),
  }),
  fc.record({ prop: fc.constant('p'), op: fc.constantFrom<Operator>('exists', 'not_exists') }),
);

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

test('a flow that is opened in the editor and saved untouched stays as it is', t => {
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 3 }), fc.integer({ min: 60, max: 2_592_000 }), (where, seconds) => {
      const steps = [
        { event: 'a', name: 'First', where },
        { event: 'b', name: 'b', where: [] },
      ];
      const flow = { name: 'f', steps, window_seconds: seconds, order: 'ordered' } as never;
      const [first, second] = flowBody(draftOfFlow(flow)).steps;
      t.deepEqual(first, steps[0] as never);
      t.deepEqual(second, { event: 'b', where: [] });
      t.is(flowBody(draftOfFlow(flow)).window_seconds, seconds);
    }),
    { numRuns: 500 },
  );
});

test('a new flow is what the API takes, once its events are named', t => {
  const step = { name: '', event: 'a', where: [{ prop: 'total', op: 'gt' as const, value: ' 3 ' }] };
  const draft = { ...emptyFlow, name: ' Buy ', steps: [step, { ...step, event: 'b', where: [] }] };
  t.like(flowPostSchema.parse(flowBody(draft)), { name: 'Buy', window_seconds: 604_800 });
  t.is(flowBody(draft).steps[0]?.where[0]?.value, 3);
});

test('what is wrong with a step is said at the step', t => {
  const problem = new ApiProblem(422, {
    errors: [
      { pointer: '/steps/0/event', code: 'too_short', detail: 'must not be empty' },
      { pointer: '/steps/1/where/0/value', code: 'type', detail: 'must be a number' },
      { pointer: '/name', code: 'too_short', detail: 'must not be empty' },
    ],
  });
  t.deepEqual(stepErrors(problem, 0), ['Event must not be empty.']);
  t.deepEqual(stepErrors(problem, 1), ['Value 1 must be a number.']);
  t.deepEqual(stepErrors(new Error('x'), 0), []);
});
