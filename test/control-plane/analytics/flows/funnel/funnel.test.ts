import test from 'ava';
import fc from 'fast-check';
import type { FlowRule } from '#control-plane/analytics/flows/flow.ts';
import { countFunnel, eachUser } from '#control-plane/analytics/flows/funnel/funnel.ts';
import type { Condition } from '#control-plane/platform/conditions/condition.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { countByRule, holds, putEvents, putHistories, type UserEvent } from '#test/support/funnel.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const startMs = Date.UTC(2026, 10, 1, 10);
const unitMs = 20 * 60_000;
const step = (event: string, ...where: Condition[]) => ({ event, where });

const event = fc.record({
  user: fc.constantFrom('a', 'b', 'c'),
  name: fc.constantFrom('one', 'two', 'three', 'other'),
  at: fc.integer({ min: 0, max: 12 }),
  props: fc.option(fc.record({ n: fc.integer({ min: 0, max: 2 }) }), { nil: undefined }),
  type: fc.constantFrom(undefined, undefined, undefined, undefined, 'error' as const),
});
type DrawnEvent = typeof event extends fc.Arbitrary<infer Drawn> ? Drawn : never;
const rule = fc.record({
  steps: fc.oneof(
    fc.shuffledSubarray(['one', 'two', 'three'], { minLength: 2 }).map(names => names.map(name => step(name))),
    fc
      .array(
        fc.record({
          name: fc.constantFrom('one', 'two'),
          n: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
        }),
        { minLength: 2, maxLength: 4 },
      )
      .map(list =>
        list.map(({ name, n }) => (n === undefined ? step(name) : step(name, { prop: 'n', op: 'gte', value: n }))),
      ),
  ),
  windowSeconds: fc.integer({ min: 0, max: 6 }).map(units => (units * unitMs) / 1000),
  order: fc.constantFrom('ordered' as const, 'ordered' as const, 'strict' as const),
});

test('the database counts as the pure rule does: ties, repeats, shared events, window ends, strict order', async t => {
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const histories = fc.sample(
    fc.record({
      events: fc.array(event, { maxLength: 25 }),
      rule,
      from: fc.integer({ min: 0, max: 6 }),
      length: fc.integer({ min: 1, max: 8 }),
    }),
    400,
  );
  const stored = histories.map((history, index) => ({
    ...history,
    projectId: `proj_${index}`,
    events: history.events.map(toEvent),
  }));
  await putHistories(databaseOf(), stored, startMs + 20 * unitMs);
  for (const { projectId, events: history, rule: drawn, from, length } of stored) {
    const [fromMs, toMs] = [startMs + from * unitMs, startMs + (from + length) * unitMs];
    const query = { projectId, rule: drawn as FlowRule, rawFromMs: 0, actors: null };
    const what = JSON.stringify({ history, rule: drawn, from, length });
    const whole = await transaction(pools.background, sql => countFunnel(sql, { ...query, bounds: [fromMs, toMs] }));
    t.deepEqual(withoutEmpty(whole.get(1)), withoutEmpty(countByRule(history, query.rule, fromMs, toMs)), what);
    const bounds = Array.from({ length: length + 1 }, (_, index) => fromMs + index * unitMs);
    const apart = await transaction(pools.background, sql => countFunnel(sql, { ...query, bounds }));
    const listed = new Map<number, number>();
    await transaction(pools.background, sql =>
      eachUser(sql, { ...query, bounds }, ({ bucket }) => listed.set(bucket, (listed.get(bucket) ?? 0) + 1)),
    );
    for (let bucket = 1; bucket <= length; bucket++) {
      const expected = countByRule(history, query.rule, bounds[bucket - 1] as number, bounds[bucket] as number);
      t.deepEqual(withoutEmpty(apart.get(bucket)), withoutEmpty(expected), `${bucket} of ${what}`);
      t.is(listed.get(bucket) ?? 0, expected[0] ?? 0, what);
    }
  }
});

test('by value the database counts as if the first step asked for the value', async t => {
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const histories = fc.sample(fc.record({ events: fc.array(event, { maxLength: 25 }), rule }), 200);
  const stored = histories.map((history, index) => ({
    ...history,
    projectId: `proj_by_${index}`,
    events: history.events.map(toEvent),
  }));
  await putHistories(databaseOf(), stored, startMs + 20 * unitMs);
  const [fromMs, toMs] = [startMs + unitMs, startMs + 8 * unitMs];
  const byValue = { property: 'n', values: ['0', '1'] };
  for (const { projectId, events: history, rule: drawn } of stored) {
    const query = { projectId, rule: drawn as FlowRule, rawFromMs: 0, actors: null, bounds: [fromMs, toMs], byValue };
    const counts = await transaction(pools.background, sql => countFunnel(sql, query));
    const [first, ...later] = query.rule.steps;
    const conditions: Condition[] = [
      { prop: 'n', op: 'eq', value: 0 },
      { prop: 'n', op: 'eq', value: 1 },
      { prop: 'n', op: 'not_exists' },
      { prop: 'n', op: 'not_in', value: [0, 1] },
    ];
    for (const [index, condition] of conditions.entries()) {
      const steps = first === undefined ? [] : [{ ...first, where: [...first.where, condition] }, ...later];
      const expected = countByRule(history, { ...query.rule, steps }, fromMs, toMs);
      const what = `${JSON.stringify(condition)} of ${JSON.stringify({ history, rule: drawn })}`;
      t.deepEqual(withoutEmpty(counts.get(index + 1)), withoutEmpty(expected), what);
    }
  }
});

test('conditions mean in the database what they say, for every operator and kind of value', async t => {
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const { projectId } = await createTenant(databaseOf());
  const kinds = [
    undefined,
    null,
    true,
    false,
    0,
    1,
    1.5,
    -0.1,
    1e308,
    5e-324,
    2 ** 53,
    '',
    'a',
    'ab',
    '1',
    'true',
    'null',
    "'",
    [],
    [1],
    {},
    { a: 1 },
  ];
  const history = kinds.map(
    (value, index): UserEvent => ({
      user: `u${index}`,
      name: 'one',
      atMs: startMs,
      ...(value === undefined ? {} : { props: { p: value } }),
    }),
  );
  history.push({ user: 'none', name: 'one', atMs: startMs, props: { other: 1 } });
  await putEvents(databaseOf(), projectId, history, startMs);
  const values = [null, true, false, 0, 1, 1.5, -0.1, 1e308, 5e-324, 2 ** 53, '', 'a', '1', 'true', 'null', "'"];
  const conditions: Condition[] = [
    ...values.flatMap((value): Condition[] => [
      { prop: 'p', op: 'eq', value },
      { prop: 'p', op: 'neq', value },
    ]),
    { prop: 'p', op: 'in', value: ['a', 1, null] },
    { prop: 'p', op: 'not_in', value: ['a', 1, null] },
    { prop: 'p', op: 'exists' },
    { prop: 'p', op: 'not_exists' },
    { prop: '__proto__', op: 'not_exists' },
    ...(['contains', 'not_contains'] as const).flatMap((op): Condition[] =>
      ['a', '%', "'"].map(value => ({ prop: 'p', op, value })),
    ),
    ...(['lt', 'lte', 'gt', 'gte'] as const).flatMap((op): Condition[] =>
      [0, 1, 1.5, 5e-324].map(value => ({ prop: 'p', op, value })),
    ),
  ];
  for (const condition of conditions) {
    const wanted: FlowRule = { steps: [step('one', condition), step('never')], windowSeconds: 60, order: 'ordered' };
    const query = { projectId, rule: wanted, rawFromMs: 0, actors: null, bounds: [startMs, startMs + 1] };
    const counts = await transaction(pools.background, sql => countFunnel(sql, query));
    const expected = history.filter(event => holds(condition, event.props ?? {})).length;
    t.is(counts.get(1)?.[0] ?? 0, expected, JSON.stringify(condition));
  }
});

function toEvent({ at, type, props, ...rest }: DrawnEvent): UserEvent {
  const more = { ...(type === undefined ? {} : { type }), ...(props === undefined ? {} : { props }) };
  return { ...rest, ...more, atMs: startMs + at * unitMs };
}

function withoutEmpty(counts: readonly number[] = []): readonly number[] {
  return counts.every(count => count === 0) ? [] : counts;
}
