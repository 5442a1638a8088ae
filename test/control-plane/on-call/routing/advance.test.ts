import test from 'ava';
import fc from 'fast-check';
import { advance } from '#control-plane/on-call/routing/advance.ts';
import { type GroupState, noProgress } from '#control-plane/on-call/routing/group-state.ts';
import { type QuietHours, quietEnd } from '#control-plane/on-call/routing/quiet-hours.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';
import {
  acknowledge,
  change,
  groupStart,
  join,
  groupMember as member,
  night,
  resolve,
  routeRules as route,
  runGroup as run,
} from '#test/support/group-run.ts';

const start = groupStart;

test('the first message waits for more alerts, the next step for somebody to acknowledge', t => {
  const { shown, state } = run([join(start, 'a'), join(start + 2000, 'b')], [route()], start + 20 * minuteMs);
  t.deepEqual(shown, [
    [5, 'chat', 'opened', 2],
    [605, 'pager', 'escalated', 2],
  ]);
  t.is(state, 'open');
});

test('later steps count from the first message, also when it was late, and for who joined after it from then', t => {
  const only = (id: string) => ({ routeIds: [id] });
  const routes = [route(), route({ id: 's', steps: [{ afterMs: 0, channelIds: ['x'] }, ...route().steps.slice(1)] })];
  const joined = run(
    [join(start, 'a', only('r')), join(start + 5 * minuteMs, 'b', only('s'))],
    routes,
    start + 20 * minuteMs,
  );
  t.deepEqual(
    joined.shown.filter(([, , step]) => step !== 'changed'),
    [
      [5, 'chat', 'opened', 1],
      [300, 'x', 'opened', 1],
      [605, 'pager', 'escalated', 1],
      [900, 'pager', 'escalated', 2],
    ],
  );
  const group = { members: [member('a', start, 1)], progress: noProgress, notifiedAt: null, waitMs: 5000, number: 1 };
  const late = advance(group, [route()], {}, start + 60 * minuteMs);
  t.deepEqual(
    late.messages.map(({ step }) => step),
    ['opened'],
    'a worker that was away for an hour notifies one step, not two',
  );
  t.is(late.nextAt, start + 70 * minuteMs);
});

test('a p1 is sent at once, and all that are resolved before the first message are cancelled', t => {
  t.deepEqual(run([join(start, 'a', { severity: 'p1' })], [route()], start + minuteMs).shown, [
    [0, 'chat', 'opened', 1],
  ]);
  const late = run([join(start, 'a'), join(start + 3000, 'b', { severity: 'p1' })], [route()], start + minuteMs);
  t.deepEqual(late.shown, [[3, 'chat', 'opened', 2]]);
  const gone = run([join(start, 'a'), resolve(start + 3000, 'a')], [route()], start + minuteMs);
  t.deepEqual([gone.shown, gone.state], [[], 'cancelled']);
});

test('joins and recoveries follow once a minute, and one message says that all is resolved', t => {
  const events = [
    join(start, 'a'),
    ...[10, 11, 30, 70, 71].map((s, index) => join(start + s * secondMs, `b${index}`)),
    resolve(start + 72 * secondMs, 'a'),
    ...[0, 1, 2, 3, 4].map(index => resolve(start + (200 + index) * secondMs, `b${index}`)),
  ];
  const { shown, state } = run(events, [route()], start + 20 * minuteMs);
  t.deepEqual(shown, [
    [5, 'chat', 'opened', 1],
    [65, 'chat', 'changed', 3],
    [125, 'chat', 'changed', 3],
    [200, 'chat', 'changed', 1],
    [204, 'chat', 'resolved', 6],
  ]);
  t.is(state, 'resolved');
});

test('acknowledging stops steps and reminders, and goes to all who got the alert', t => {
  const reminding = route({ remindMs: 5 * minuteMs });
  const { shown } = run([join(start, 'a'), acknowledge(start + 7 * minuteMs, 'a')], [reminding], start + 60 * minuteMs);
  t.deepEqual(shown, [
    [5, 'chat', 'opened', 1],
    [305, 'chat', 'reminder', 1],
    [420, 'chat', 'acknowledged', 1],
  ]);
});

test('a step that reached nobody makes the next one due at once', t => {
  const failing = run([join(start, 'a'), change(start + minuteMs, 'a', () => ({}))], [route()], start + 2 * minuteMs, {
    failed: ['r'],
  });
  t.deepEqual(failing.shown.at(-1), [60, 'pager', 'escalated', 1]);
});

test('quiet hours end in a digest; paging services hear of the end, and a rise in severity waits no more', t => {
  const quiet = route({ quiet: night });
  const evening = Date.UTC(2026, 10, 22, 23);
  const morning = Date.UTC(2026, 10, 23, 7);
  const held = run([join(evening, 'a')], [quiet], evening + 60 * minuteMs);
  t.deepEqual([held.shown, held.digests], [[], [{ channelId: 'chat', at: morning }]]);
  const urgent = run([join(evening, 'a', { severity: 'p1' })], [quiet], evening + minuteMs);
  t.deepEqual(
    urgent.sent.map(({ step }) => step),
    ['opened'],
  );
  const risen = run(
    [join(evening, 'a'), change(evening + minuteMs, 'a', number => ({ severity: 'p1', updatedNumber: number }))],
    [quiet],
    evening + 2 * minuteMs,
  );
  t.deepEqual(
    risen.sent.map(({ at, step }) => [at - evening, step]),
    [[minuteMs, 'opened']],
  );
  const before = Date.UTC(2026, 10, 22, 21);
  const paged = route({ quiet: night, steps: [{ afterMs: 0, channelIds: ['chat', 'pager'] }] });
  const ended = run([join(before, 'a'), resolve(evening, 'a')], [paged], evening, { paging: ['pager'] });
  t.deepEqual(
    ended.sent.filter(({ at }) => at === evening).map(({ channelId, step }) => [channelId, step]),
    [['pager', 'resolved']],
  );
  t.deepEqual(ended.digests, [{ channelId: 'chat', at: morning }]);
});

test('in maintenance steps and reminders of an alert stand still, its end is sent at once', t => {
  const hour = 60 * minuteMs;
  const suppress = (at: number, suppressed: boolean) =>
    change(at, 'a', () => ({
      suppressed,
      notifiedAt: suppressed ? start : start + hour,
      suppressedMs: suppressed ? 0 : hour,
    }));
  const events = [join(start, 'a'), suppress(start + minuteMs, true), suppress(start + minuteMs + hour, false)];
  const reminding = [route({ remindMs: 5 * minuteMs })];
  const inside = run(events.slice(0, 2), reminding, start + hour);
  t.deepEqual(inside.shown, [[5, 'chat', 'opened', 1]]);
  t.deepEqual(run(events, [route()], start + 2 * hour).shown.at(-1), [4205, 'pager', 'escalated', 1]);
  const ended = run([...events.slice(0, 2), resolve(start + 2 * minuteMs, 'a')], reminding, start + hour);
  t.deepEqual(ended.shown.at(-1), [120, 'chat', 'resolved', 1]);
});

test('an alert that opens again is sent as a new one, and its second end as well', t => {
  const reopened = change(start + 2 * minuteMs, 'a', number => ({
    resolvedAt: null,
    resolvedNumber: null,
    updatedNumber: number,
  }));
  const events = [join(start, 'a'), resolve(start + minuteMs, 'a'), reopened, resolve(start + 3 * minuteMs, 'a')];
  t.deepEqual(run(events, [route()], start + 60 * minuteMs).shown, [
    [5, 'chat', 'opened', 1],
    [60, 'chat', 'resolved', 1],
    [120, 'chat', 'opened', 1],
    [180, 'chat', 'resolved', 1],
  ]);
});

test('a route that is disabled or deleted tells nothing more, but that alerts are resolved', t => {
  const state: GroupState = {
    members: [member('a', start, 1)],
    progress: noProgress,
    notifiedAt: null,
    waitMs: 0,
    number: 1,
  };
  const { progress } = advance(state, [route()], {}, start);
  const later = start + 30 * minuteMs;
  const off = advance({ ...state, progress }, [route({ enabled: false })], {}, later);
  t.deepEqual(off.messages, []);
  const resolved = { ...member('a', start, 1), resolvedAt: later, resolvedNumber: 2 };
  const end = advance({ ...state, members: [resolved], progress, number: 2 }, [], {}, later);
  t.deepEqual(
    end.messages.map(({ channelId, step }) => [channelId, step]),
    [['chat', 'resolved']],
  );
});

const minutes = fc.integer({ min: 0, max: 90 }).map(value => start + value * minuteMs);
const histories = fc.array(
  fc.record({
    join: minutes,
    acknowledge: fc.option(minutes),
    resolve: fc.option(minutes),
    severity: fc.constantFrom('p1' as const, 'p2' as const),
  }),
  { minLength: 1, maxLength: 6 },
);
const rules = fc.record({
  afters: fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 3 }),
  remind: fc.option(fc.integer({ min: 5, max: 30 })),
  quiet: fc.boolean(),
});

test('each step is made once, nothing is sent in quiet hours, and the end goes once to all who got the alert', t => {
  fc.assert(
    fc.property(histories, rules, (alerts, { afters, remind, quiet }) => {
      const steps = [0, ...afters.toSorted((a, b) => a - b)].map((after, index) => ({
        afterMs: after * minuteMs,
        channelIds: [`c${index}`, 'chat'],
      }));
      const hours: QuietHours = { ...night, from: '12:30', to: '13:10' };
      const one = route({ steps, remindMs: remind === null ? null : remind * minuteMs, quiet: quiet ? hours : null });
      const events = alerts.flatMap(({ join: at, acknowledge: taken, resolve: ended, severity }, index) => {
        const id = `a${index}`;
        const after = (ms: number | null) => ms !== null && ms > at;
        return [
          join(at, id, { severity }),
          ...(after(taken) && taken !== null && !(ended !== null && ended > at && ended <= taken)
            ? [acknowledge(taken, id)]
            : []),
          ...(after(ended) && ended !== null ? [resolve(ended, id)] : []),
        ];
      });
      const { sent, digests } = run(events, [one], start + 300 * minuteMs);
      const keys = sent
        .filter(({ stepIndex }) => stepIndex !== null)
        .map(({ stepIndex, channelId }) => `${stepIndex} ${channelId}`);
      const isOnce = new Set(keys).size === keys.length;
      const onlyP2 = alerts.every(({ severity }) => severity === 'p2');
      const isQuiet = !quiet || !onlyP2 || sent.every(({ at }) => quietEnd(hours, at) === null);
      const told = new Set<string>(digests.map(({ channelId }) => channelId));
      const isToldFirst = sent.every(({ channelId, step }) => {
        if (step === 'opened' || step === 'escalated') told.add(channelId);
        return told.has(channelId);
      });
      // What a digest says of a group that goes on has an end of its own.
      const heard = [...digests.map(digest => ({ ...digest, step: 'digest' })), ...sent].toSorted(
        (a, b) => a.at - b.at,
      );
      const last = new Map<string, string>();
      const endsOnce = heard.every(({ channelId, step }) => {
        const before = last.get(channelId);
        last.set(channelId, step);
        return step !== 'resolved' || before !== 'resolved';
      });
      return isOnce && isQuiet && isToldFirst && endsOnce;
    }),
    { numRuns: 300 },
  );
  t.pass();
});
