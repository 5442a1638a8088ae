import test from 'ava';
import {
  type FlowRule,
  flowPatchSchema,
  flowPostSchema,
  isDisjoint,
  namesOf,
} from '#control-plane/analytics/flows/flow.ts';
import type { Condition } from '#control-plane/platform/conditions/condition.ts';

const steps = [{ event: 'a' }, { event: 'b' }];
const ruleOf = (order: FlowRule['order'], ...events: string[]): FlowRule => ({
  steps: events.map(event => ({ event, where: [] })),
  windowSeconds: 60,
  order,
});

test('a flow has defaults for window, order and conditions; a change has none', t => {
  t.deepEqual(flowPostSchema.parse({ name: ' Buy ', steps }), {
    name: 'Buy',
    steps: [
      { event: 'a', where: [] },
      { event: 'b', where: [] },
    ],
    window_seconds: 604_800,
    order: 'ordered',
  });
  t.deepEqual(flowPatchSchema.parse({ name: 'Buy' }), { name: 'Buy' });
});

const refused: [title: string, body: Record<string, unknown>, path: string][] = [
  ['one step', { steps: [{ event: 'a' }] }, 'steps'],
  ['too many steps', { steps: Array.from({ length: 21 }, () => ({ event: 'a' })) }, 'steps'],
  ['a blank event', { steps: [{ event: ' ' }, { event: 'b' }] }, 'steps/0/event'],
  ['a window below a minute', { window_seconds: 59 }, 'window_seconds'],
  ['a window above 30 days', { window_seconds: 2_592_001 }, 'window_seconds'],
  ['a window of half seconds', { window_seconds: 60.5 }, 'window_seconds'],
  ['an unknown order', { order: 'random' }, 'order'],
];
for (const [title, body, path] of refused)
  test(`refused: ${title}`, t => {
    const parsed = flowPostSchema.safeParse({ name: 'Buy', steps, ...body });
    t.deepEqual(
      parsed.error?.issues.map(issue => issue.path.join('/')),
      [path],
    );
  });

const valuesOf = (lists: number, values: number, text: string) => [
  {
    event: 'a',
    where: Array.from({ length: lists }, () => ({
      prop: 'p',
      op: 'in',
      value: Array.from({ length: values }, () => text),
    })),
  },
  { event: 'b' },
];
const sized: [title: string, steps: unknown, isValid: boolean][] = [
  ['1,000 values', valuesOf(10, 100, 'x'), true],
  ['1,001 values', [...valuesOf(10, 100, 'x'), { event: 'c', where: [{ prop: 'p', op: 'eq', value: 1 }] }], false],
  ['15 KiB', valuesOf(1, 15, 'x'.repeat(1000)), true],
  ['17 KiB', valuesOf(1, 17, 'x'.repeat(1000)), false],
  ['17 KiB of two-byte characters', valuesOf(1, 9, 'ä'.repeat(1000)), false],
];
for (const [title, steps, isValid] of sized)
  test(`${isValid ? 'accepted' : 'refused'}: steps with ${title}`, t => {
    for (const schema of [flowPostSchema, flowPatchSchema]) {
      const parsed = schema.safeParse({ name: 'Buy', steps });
      t.is(parsed.success, isValid);
      if (!parsed.success)
        t.deepEqual(
          parsed.error.issues.map(issue => issue.path.join('/')),
          ['steps'],
        );
    }
  });

type Draft = { op: Condition['op']; value?: unknown };
const conditions: [condition: Draft, isValid: boolean][] = [
  [{ op: 'exists' }, true],
  [{ op: 'not_exists' }, true],
  [{ op: 'eq', value: 'x' }, true],
  [{ op: 'eq', value: null }, true],
  [{ op: 'eq' }, false],
  [{ op: 'neq', value: false }, true],
  [{ op: 'neq', value: ['x'] }, false],
  [{ op: 'in', value: ['x', 1, null] }, true],
  [{ op: 'in', value: 'x' }, false],
  [{ op: 'in', value: [] }, false],
  [{ op: 'not_in', value: ['x'] }, true],
  [{ op: 'not_in' }, false],
  [{ op: 'contains', value: 'x' }, true],
  [{ op: 'contains', value: '' }, false],
  [{ op: 'contains', value: 1 }, false],
  [{ op: 'not_contains', value: 'x' }, true],
  [{ op: 'lt', value: 1.5 }, true],
  [{ op: 'lte', value: '1' }, false],
  [{ op: 'gt', value: null }, false],
  [{ op: 'gte', value: -1 }, true],
];
for (const [condition, isValid] of conditions)
  test(`${isValid ? 'accepted' : 'refused'}: ${JSON.stringify(condition)}`, t => {
    const first = { event: 'a', where: [{ prop: 'p', ...condition }] };
    const parsed = flowPostSchema.safeParse({ name: 'Buy', steps: [first, { event: 'b' }] });
    t.is(parsed.success, isValid);
    if (!parsed.success) t.is(parsed.error.issues[0]?.path.join('/'), 'steps/0/where/0/value');
  });

test('a rule is disjoint unless two steps have the same event', t => {
  t.true(isDisjoint(ruleOf('ordered', 'a', 'b', 'c')));
  t.false(isDisjoint(ruleOf('ordered', 'a', 'b', 'a')));
});

test('only the events of an ordered rule matter to it, each named once; to a strict one every event', t => {
  t.deepEqual(namesOf(ruleOf('ordered', 'a', 'b', 'a')), ['a', 'b']);
  t.is(namesOf(ruleOf('strict', 'a', 'b')), null);
});
