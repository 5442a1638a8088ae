import test from 'ava';
import fc from 'fast-check';
import type { FlowRule } from '#control-plane/analytics/flows/flow.ts';
import { meter } from '#control-plane/analytics/measures/meter.ts';
import type { Condition } from '#control-plane/platform/conditions/condition.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { apiOf, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { countByRule, holds, putEvents, type UserEvent } from '#test/support/funnel.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const nowMs = Math.floor(Date.now() / minuteMs) * minuteMs;
const untilMs = nowMs - 10 * minuteMs;

const drawn = fc.record({
  user: fc.constantFrom('a', 'b', 'c', 'd'),
  name: fc.constantFrom('one', 'two', 'other'),
  // Some fall on the ends of windows, and just before and after them.
  agoMs: fc.oneof(
    fc.integer({ min: -3, max: 12 }).map(minutes => minutes * minuteMs),
    fc.integer({ min: -3, max: 12 }).map(minutes => minutes * minuteMs + 1),
    fc.integer({ min: 0, max: 12 * minuteMs }),
  ),
  props: fc.option(fc.record({ n: fc.integer({ min: 0, max: 2 }) }), { nil: undefined }),
  type: fc.constantFrom(undefined, undefined, 'error' as const),
});
const toEvent = ({ agoMs, type, props, ...rest }: typeof drawn extends fc.Arbitrary<infer One> ? One : never) => ({
  ...rest,
  atMs: untilMs - agoMs,
  ...(type === undefined ? {} : { type }),
  ...(props === undefined ? {} : { props }),
});

test('events, users and conversions of a window are counted as by hand', async t => {
  const databaseUrl = databaseOf();
  const pools = patientPools(databaseUrl);
  t.teardown(() => pools.end());
  const replica = await startReplica(databaseUrl);
  t.teardown(() => replica.stop());
  const where: Condition[][] = [[], [{ prop: 'n', op: 'gte', value: 1 }], [{ prop: 'n', op: 'not_exists' }]];
  const steps = [
    { event: 'one', where: [] },
    { event: 'two', where: [{ prop: 'n', op: 'in' as const, value: [1, 2] }] },
  ];
  for (const sample of fc.sample(fc.array(drawn, { maxLength: 60 }), 12)) {
    const { projectId, token } = await createTenant(databaseUrl);
    const events: UserEvent[] = sample.map(toEvent);
    await putEvents(databaseUrl, projectId, events, nowMs - minuteMs);
    const flow = (await apiOf(replica.url, token)('POST', '/v0/flows', { name: 'f', steps })).body;
    const count = (own: object, seconds: number) =>
      transaction(pools.background, sql =>
        meter.count(sql, {
          projectId,
          untilMs,
          nowMs,
          own: {
            event: null,
            flow_id: null,
            measure: 'count',
            within_seconds: null,
            window_seconds: seconds,
            ...own,
          },
        }),
      );
    for (const seconds of [60, 300])
      for (const condition of where)
        for (const type of ['track', 'error'] as const) {
          const found = events.filter(
            ({ name, atMs, type: own = 'track', props = {} }) =>
              name === 'one' &&
              own === type &&
              atMs >= untilMs - seconds * 1000 &&
              atMs < untilMs &&
              condition.every(one => holds(one, props)),
          );
          const event = { name: 'one', type, where: condition };
          const what = JSON.stringify({ event, seconds, sample });
          t.like(await count({ event }, seconds), { value: found.length, sample: found.length, name: 'one' }, what);
          const users = new Set(found.map(({ user }) => user)).size;
          t.like(await count({ event, measure: 'users' }, seconds), { value: users, sample: found.length }, what);
        }
    const rule: FlowRule = { steps, windowSeconds: 120, order: 'ordered' };
    const seen = events.filter(({ atMs }) => atMs < untilMs);
    const [begun = 0, done = 0] = countByRule(seen, rule, untilMs - 420_000, untilMs - 120_000);
    t.deepEqual(
      await count({ flow_id: flow.id, measure: 'conversion', within_seconds: 120 }, 300),
      { value: begun === 0 ? null : done / begun, sample: begun, name: 'f' },
      JSON.stringify(sample),
    );
  }
  const { projectId } = await createTenant(databaseUrl);
  const window = { window_seconds: 60, within_seconds: null, flow_id: null };
  const own = { event: { name: 'one', type: 'track' as const, where: [] }, measure: 'count' as const, ...window };
  const old = { projectId, own, untilMs: nowMs - 400 * dayMs, nowMs };
  t.is(await transaction(pools.background, sql => meter.count(sql, old)), 'not_kept');
  const gone = { ...old, untilMs, own: { ...own, event: null, flow_id: 'flw_none', measure: 'conversion' as const } };
  t.is(await transaction(pools.background, sql => meter.count(sql, gone)), 'not_kept');
});
