import test from 'ava';
import fc from 'fast-check';
import { flowPostSchema } from '#control-plane/analytics/flows/flow.ts';
import {
  draftOfFlow,
  emptyFlow,
  flowBody,
  type Operator,
  stepErrors,
} from '#control-plane/web/dashboard/app/data/drafts/flow-draft.ts';
import {
  currentRate,
  describeRefusal,
  formatBytes,
  formatRate,
  mergeTail,
  type Tail,
  tailStart,
} from '#control-plane/web/dashboard/app/data/plots/event-tail.ts';
import { groupQuery, propertiesOf, readFlowView } from '#control-plane/web/dashboard/app/data/plots/flow-view.ts';
import {
  describeReport,
  formatShare,
  groupsOf,
  lostAfter,
} from '#control-plane/web/dashboard/app/data/plots/funnel.ts';
import { describeLanes, lanesOf, marksOf, rangeOf } from '#control-plane/web/dashboard/app/data/plots/user-lanes.ts';
import { ApiProblem } from '#control-plane/web/dashboard/app/data/server/api.ts';
import type {
  FunnelReport,
  StoredEvent,
  TimelineItem,
} from '#control-plane/web/dashboard/app/data/server/api-types.ts';
import { nowMs, sampleIncident } from '../samples.ts';

const at = (seconds: number) => new Date(nowMs + seconds * 1000).toISOString();

function event(id: string, seconds: number): StoredEvent {
  return { id, name: 'n', type: 'track', timestamp: at(seconds), ingested_at: at(seconds), external_user_id: null };
}

function list(events: StoredEvent[], has_more = false) {
  return { data: events, pagination: { has_more, next_cursor: has_more ? 'c' : null } };
}

test('the tail keeps each event once, the last to arrive first, and says when it could not follow', t => {
  const first = mergeTail(null, list([event('b', 2), event('a', 1)], true));
  t.false(first.hasGap);
  const second = mergeTail(first, list([event('d', 4), event('c', 3), event('b', 2)]));
  t.deepEqual(
    second.events.map(({ id }) => id),
    ['d', 'c', 'b', 'a'],
  );
  t.false(second.hasGap);
  t.is(tailStart(second, 0), at(-1));
  t.is(tailStart(null, nowMs), at(0));
  t.true(mergeTail(second, list([event('z', 60)], true)).hasGap);
  const many = Array.from({ length: 400 }, (_, index) => event(`e${index}`, index));
  t.is(mergeTail(second as Tail, list(many)).events.length, 300);
});

test('rates and bytes are short, and a refusal that is not known is shown by its code', t => {
  const minute = { at: at(0), stored: 0, known: 0, refused: 0 };
  t.is(currentRate({ minutes: [minute, { ...minute, stored: 90, known: 10, refused: 20 }, minute] }), 2);
  t.is(currentRate({ minutes: [] }), 0);
  t.deepEqual([0, 0.01, 0.42, 12.4, 1200].map(formatRate), ['0', '< 0.1', '0.4', '12', '1,200']);
  t.deepEqual([0, 999, 1234, 20e9, 250e9].map(formatBytes), ['0 bytes', '999 bytes', '1.2 kB', '20.0 GB', '250 GB']);
  t.is(describeRefusal('rate_limited'), 'sent faster than the limit');
  t.is(describeRefusal('brand_new'), 'brand new');
});

test('a timeline becomes a lane a session, the latest first, among the releases and incidents of its time', t => {
  const item = (id: string, seconds: number, session?: string, type: TimelineItem['type'] = 'track') => ({
    id,
    name: id,
    type,
    timestamp: at(seconds),
    ...(session === undefined ? {} : { session_id: session }),
  });
  const items = [item('d', 400), item('c', 300, 's2', 'error'), item('b', 100, 's1'), item('a', 0, 's1')];
  const lanes = lanesOf([...items, item('r', 50, undefined, 'release')]);
  t.deepEqual(
    lanes.map(({ session }) => session),
    ['s2', 's1', null],
  );
  t.deepEqual(describeLanes(lanes), { sessions: 2, events: 3, errors: 1 });
  const range = rangeOf(lanes);
  t.deepEqual(range, { fromMs: nowMs - 30_000, toMs: nowMs + 430_000 });
  const release = (id: string, seconds: number) => ({ id, version: id, released_at: at(seconds) }) as never;
  const open = sampleIncident({ started_at: at(200), resolved_at: null });
  const over = sampleIncident({ id: 'inc_2', started_at: at(-900), resolved_at: at(-600) });
  const marks = marksOf(range, [release('in', 200), release('out', 9000)], [open, over], nowMs + 10_000_000);
  t.deepEqual(
    marks.releases.map(({ at: place }) => place),
    [0.5],
  );
  t.like(marks.incidents, [{ from: 0.5, to: 1 }]);
  t.is(marks.incidents.length, 1);
});

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

test('the address says how a flow is grouped; a property without a name groups nothing', t => {
  const viewOf = (query: string) => readFlowView(new URLSearchParams(query));
  t.deepEqual(viewOf(''), { days: 7, group: 'release', property: '' });
  t.deepEqual(viewOf('days=90&by=hour'), { days: 90, group: 'release', property: '' }, 'too many hours');
  t.deepEqual(groupQuery(viewOf('by=property')), { group_by: 'none' });
  t.deepEqual(groupQuery(viewOf('by=property&property=plan')), { group_by: 'property', property: 'plan' });
  const flow = { steps: [{ event: 'a', where: [{ prop: 'plan', op: 'exists' as const }] }] } as never;
  t.deepEqual(propertiesOf(flow, [{ props: { total: 1 } }, { props: null }] as never), ['plan', 'total']);
});

test('a funnel says who was lost, and what limits its counts', t => {
  const step = (users: number) => ({ step: 1, name: 's', users, from_first: null, from_previous: null });
  t.is(lostAfter([step(5), step(2)], 0), 3);
  t.is(lostAfter([step(5)], 0), 0);
  t.deepEqual([null, 0, 0.0004, 0.125, 1].map(formatShare), ['–', '0%', '< 0.1%', '12.5%', '100%']);
  const report: FunnelReport = {
    flow_id: 'f',
    version: 1,
    range: { from: at(-86_400), to: at(0) },
    group_by: 'release',
    steps: [],
    releases: [
      { release_id: null, version: null, name: null, released_at: null, steps: [] },
      { release_id: 'r', version: '2', name: 'Two', released_at: at(-60), steps: [] },
    ],
    complete_from: at(-3600),
    complete_through: at(0),
    source: 'mixed',
    roll_up: { hours: 25, pending: 4 },
    estimated: true,
  };
  t.deepEqual(
    groupsOf(report).map(({ label }) => label),
    ['2 · Two', 'Before the first release'],
  );
  t.is(describeReport(report).length, 4);
  const values = (
    [
      ['value', 'pro'],
      ['value', '12'],
      ['value', 12],
      ['missing', null],
      ['other', null],
    ] as const
  ).map(([type, value]) => ({ type, value, steps: [] }));
  const { releases: _, ...ungrouped } = report;
  t.deepEqual(
    groupsOf({ ...ungrouped, group_by: 'property', property: 'plan', values }).map(({ label }) => label),
    ['pro', '"12"', '12', 'Without the property', 'Other values'],
  );
  t.is(
    describeReport({ ...report, estimated: false, complete_from: null, roll_up: { hours: 1, pending: 0 } }).length,
    1,
  );
});
