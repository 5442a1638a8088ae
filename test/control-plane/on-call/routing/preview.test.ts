import test from 'ava';
import fc from 'fast-check';
import { previewRoute } from '#control-plane/on-call/routing/preview-routes.ts';
import { weekdays } from '#control-plane/on-call/routing/quiet-hours.ts';
import { rulesOf } from '#control-plane/on-call/routing/route.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { groupStart, join, runGroup } from '#test/support/group-run.ts';

const waitMs = 5000;
type Route = Parameters<typeof previewRoute>[0];
type Quiet = NonNullable<Route['quiet_hours']>;
const daily: Quiet = { timezone: 'UTC', days: [...weekdays], from: '22:00', to: '07:00', except_severities: ['p1'] };

function routeOf(afters: readonly number[], remind: number | null, quiet: Quiet | null = null): Route {
  const steps = afters.map((after_minutes, index) => ({ after_minutes, channel_ids: [`c${index}`] }));
  return { id: 'r', enabled: true, steps, remind_every_minutes: remind, quiet_hours: quiet };
}

/** Minutes after an alert at noon, less the wait for others. */
const minutesOf = (list: readonly { due_at: string | null }[]) =>
  list.map(({ due_at }) => (due_at === null ? null : (Date.parse(due_at) - groupStart) / minuteMs));

const reminders: readonly [afters: number[], remind: number | null, due: number[]][] = [
  [[0], null, []],
  [[0], 30, [30, 60, 90]],
  [[0, 15], 60, [75, 135, 195]],
  [[0, 15], 10, [10, 25, 35]],
  [[0, 60], 10, [10, 20, 30]],
  [[0, 10], 10, [20, 30, 40]],
  [[0, 10, 25], 10, [20, 35, 45]],
];
for (const [afters, remind, due] of reminders)
  test(`of steps after ${afters} minutes, reminders every ${remind} are foreseen after ${due}`, t => {
    const foreseen = previewRoute(routeOf(afters, remind), 'p2', groupStart);
    t.deepEqual(minutesOf(foreseen.steps), afters);
    t.deepEqual(minutesOf(foreseen.reminders), due);
    t.is(foreseen.held_until, null);
  });

test('a route whose every hour is quiet foresees nothing but its exceptions', t => {
  const route = routeOf([0, 10], 30, { ...daily, from: '00:00', to: '00:00' });
  const foreseen = previewRoute(route, 'p2', groupStart);
  t.deepEqual([minutesOf(foreseen.steps), foreseen.reminders], [[null, null], []]);
  t.deepEqual(minutesOf(previewRoute(route, 'p1', groupStart).steps), [0, 10]);
});

const quiets = fc.record({
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata'),
  days: fc.subarray([...weekdays], { minLength: 1 }),
  from: fc.constantFrom('00:00', '12:03', '13:30', '22:00'),
  to: fc.constantFrom('07:00', '12:30', '14:15', '23:00'),
  except_severities: fc.boolean().map((isExcepted): 'p1'[] => (isExcepted ? ['p1'] : [])),
});
const routes = fc
  .record({
    afters: fc.uniqueArray(fc.integer({ min: 1, max: 180 }), { maxLength: 4 }),
    remind: fc.option(fc.integer({ min: 5, max: 120 }), { nil: null }),
    quiet: fc.option(quiets, { nil: null }),
  })
  .map(({ afters, remind, quiet }) => routeOf([0, ...afters.toSorted((a, b) => a - b)], remind, quiet));

test('what is foreseen of an alert is what is done, if nobody acknowledges and no delivery fails', t => {
  const at = fc.integer({ min: 0, max: 2 * 24 * 60 }).map(minute => groupStart + minute * minuteMs);
  fc.assert(
    fc.property(routes, at, fc.constantFrom('p1', 'p2'), (route, start, severity) => {
      const firstAt = start + (severity === 'p1' ? 0 : waitMs);
      const foreseen = previewRoute(route, severity, firstAt);
      const { sent, digests } = runGroup([join(start, 'a', { severity })], [rulesOf(route)], start + 10 * dayMs);
      const timesOf = (step: string) => sent.filter(message => message.step === step).map(message => message.at);
      const opened = [...digests.map(digest => digest.at), ...timesOf('opened')];
      const done = [...opened, ...timesOf('escalated')];
      const reminded = [...new Set(timesOf('reminder'))].slice(0, foreseen.reminders.length);
      const expected = foreseen.steps.flatMap(({ due_at }) => (due_at === null ? [] : [Date.parse(due_at)]));
      t.deepEqual(done, expected);
      t.deepEqual(
        reminded,
        foreseen.reminders.map(({ due_at }) => Date.parse(due_at)),
      );
      t.is(foreseen.held_until === null ? undefined : Date.parse(foreseen.held_until), digests[0]?.at);
    }),
    { numRuns: 150 },
  );
});
