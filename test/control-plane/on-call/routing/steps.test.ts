import test from 'ava';
import type { RouteRules } from '#control-plane/on-call/routing/group-state.ts';
import { hourMs, minuteMs, secondMs } from '#shared/duration.ts';
import {
  acknowledge,
  change,
  type GroupEvent,
  groupStart,
  join,
  resolve,
  routeRules,
  runGroup,
  update,
} from '#test/support/group-run.ts';

// Rows of [seconds after the first alert, channel, step, alerts named].
type Row = [seconds: number, channel: string, step: string, about: number];
type Options = NonNullable<Parameters<typeof runGroup>[3]>;
const at = (minutes: number) => groupStart + minutes * minuteMs;
const chatOnly = { steps: [{ afterMs: 0, channelIds: ['chat'] }] };
const opened: Row = [5, 'chat', 'opened', 1];

type Case = [
  title: string,
  events: GroupEvent[],
  routes: Partial<RouteRules>[],
  minutes: number,
  rows: Row[],
  options?: Options,
];

const steps: readonly Case[] = [
  ['a step waits for its minutes after the first message', [join(at(0), 'a')], [{}], 10, [opened]],
  ['and comes then', [join(at(0), 'a')], [{}], 11, [opened, [605, 'pager', 'escalated', 1]]],
  [
    'all channels of a step are notified at once',
    [join(at(0), 'a')],
    [{ steps: [{ afterMs: 0, channelIds: ['chat', 'mail', 'pager'] }] }],
    60,
    [opened, [5, 'mail', 'opened', 1], [5, 'pager', 'opened', 1]],
  ],
  [
    'a channel of two steps is notified again',
    [join(at(0), 'a')],
    [{ steps: [...chatOnly.steps, { afterMs: minuteMs, channelIds: ['chat'] }] }],
    60,
    [opened, [65, 'chat', 'escalated', 1]],
  ],
  [
    'a channel of two routes is notified once',
    [join(at(0), 'a', { routeIds: ['r', 's'] })],
    [chatOnly, { id: 's', ...chatOnly }],
    60,
    [opened],
  ],
  [
    'each of two routes has its own steps',
    [join(at(0), 'a', { routeIds: ['r', 's'] })],
    [
      chatOnly,
      {
        id: 's',
        steps: [
          { afterMs: 0, channelIds: ['mail'] },
          { afterMs: minuteMs, channelIds: ['boss'] },
        ],
      },
    ],
    60,
    [opened, [5, 'mail', 'opened', 1], [65, 'boss', 'escalated', 1]],
  ],
  ['an alert of no route that is left notifies nobody', [join(at(0), 'a', { routeIds: ['gone'] })], [{}], 60, []],
  ['a route that is off notifies nobody', [join(at(0), 'a')], [{ enabled: false }], 60, []],
  [
    'what is acknowledged before the first message stays quiet',
    [join(at(0), 'a'), acknowledge(at(0) + 1, 'a')],
    [{}],
    60,
    [],
  ],
  [
    'one that joins an acknowledged group takes the step that is due',
    [join(at(0), 'a'), acknowledge(at(2), 'a'), join(at(20), 'b')],
    [{}],
    60,
    [opened, [120, 'chat', 'acknowledged', 1], [1200, 'chat', 'changed', 1], [1800, 'pager', 'escalated', 2]],
  ],
  [
    'acknowledging one of two stops nothing, and is said once both are',
    [join(at(0), 'a'), join(at(0) + 1, 'b'), acknowledge(at(1), 'a'), acknowledge(at(12), 'b')],
    [{}],
    60,
    [
      [5, 'chat', 'opened', 2],
      [605, 'pager', 'escalated', 2],
      [720, 'chat', 'acknowledged', 2],
      [720, 'pager', 'acknowledged', 1],
    ],
  ],
  [
    'acknowledging the one that is left counts for all',
    [join(at(0), 'a'), join(at(0) + 1, 'b'), resolve(at(1), 'b'), acknowledge(at(2), 'a')],
    [chatOnly],
    60,
    [
      [5, 'chat', 'opened', 2],
      [65, 'chat', 'changed', 1],
      [120, 'chat', 'acknowledged', 1],
    ],
  ],
  [
    'what resolves takes no further step',
    [join(at(0), 'a'), resolve(at(5), 'a')],
    [{ remindMs: 2 * minuteMs }],
    60,
    [opened, [125, 'chat', 'reminder', 1], [245, 'chat', 'reminder', 1], [300, 'chat', 'resolved', 1]],
  ],
  [
    'the rest of a group goes on without those that resolved',
    [join(at(0), 'a'), join(at(0) + 1, 'b'), resolve(at(5), 'b')],
    [{ remindMs: null }],
    11,
    [
      [5, 'chat', 'opened', 2],
      [300, 'chat', 'changed', 1],
      [605, 'pager', 'escalated', 2],
    ],
  ],
  ['a p1 waits for no other alert', [join(at(0), 'a', { severity: 'p1' })], [chatOnly], 60, [[0, 'chat', 'opened', 1]]],
  [
    'the wait is of the project',
    [join(at(0), 'a'), join(at(1), 'b')],
    [chatOnly],
    60,
    [[90, 'chat', 'opened', 2]],
    { waitMs: 90 * secondMs },
  ],
  ['and may be none', [join(at(0), 'a')], [chatOnly], 60, [[0, 'chat', 'opened', 1]], { waitMs: 0 }],
];

const news: readonly Case[] = [
  [
    'a higher severity is said at once',
    [join(at(0), 'a'), update(at(1), 'a', { severity: 'p1' })],
    [chatOnly],
    60,
    [opened, [60, 'chat', 'updated', 1]],
  ],
  [
    'what is new before the first message is part of it',
    [join(at(0), 'a'), update(at(0) + 1, 'a')],
    [chatOnly],
    60,
    [opened],
  ],
  [
    'nobody hears of what was never opened for them',
    [join(at(0), 'a'), update(at(1), 'a')],
    [{ enabled: false }],
    60,
    [],
  ],
  [
    'in maintenance nothing new is said',
    [join(at(0), 'a'), change(at(1), 'a', () => ({ suppressed: true })), update(at(2), 'a')],
    [chatOnly],
    60,
    [opened],
  ],
  [
    'joins are gathered for a minute after the first message',
    [join(at(0), 'a'), ...[6, 20, 64].map(s => join(at(0) + s * secondMs, `b${s}`))],
    [chatOnly],
    60,
    [opened, [65, 'chat', 'changed', 3]],
  ],
  [
    'after a quiet minute they are said at once',
    [join(at(0), 'a'), join(at(3), 'b'), resolve(at(3) + 1, 'b')],
    [chatOnly],
    60,
    [opened, [180, 'chat', 'changed', 1], [240, 'chat', 'changed', 1]],
  ],
  [
    'what joins and recovers within the minute is named once, as both',
    [join(at(0), 'a'), join(at(0) + 10 * secondMs, 'b'), resolve(at(0) + 20 * secondMs, 'b')],
    [chatOnly],
    60,
    [opened, [65, 'chat', 'changed', 2]],
  ],
  [
    'a channel of a later step hears of the end, one of a step not reached does not',
    [join(at(0), 'a'), resolve(at(15), 'a')],
    [{ steps: [...routeRules().steps, { afterMs: 20 * minuteMs, channelIds: ['boss'] }] }],
    60,
    [opened, [605, 'pager', 'escalated', 1], [900, 'chat', 'resolved', 1], [900, 'pager', 'resolved', 1]],
  ],
];

for (const [title, events, routes, minutes, rows, options] of [...steps, ...news])
  test(title, t => {
    const { shown } = runGroup(events, routes.map(routeRules), at(minutes), options);
    t.deepEqual(shown, rows);
  });

test('a hundred reminders are the last, and the next step is not one of them', t => {
  const { sent } = runGroup([join(at(0), 'a')], [routeRules({ remindMs: 5 * minuteMs })], at(0) + 48 * hourMs);
  const reminders = sent.filter(({ step, channelId }) => step === 'reminder' && channelId === 'chat');
  t.is(reminders.length, 100);
  t.is(reminders.at(-1)?.at, at(0) + 5 * secondMs + (10 + 99 * 5) * minuteMs);
  t.deepEqual(
    sent.filter(({ step }) => step === 'escalated').map(({ channelId }) => channelId),
    ['pager'],
  );
});

test('steps are read as the route is when they are due', t => {
  const before = routeRules();
  const after = routeRules({ steps: [...chatOnly.steps, { afterMs: 30 * minuteMs, channelIds: ['boss'] }] });
  const changed = runGroup([join(at(0), 'a'), update(at(5), 'x')], now => [now < at(5) ? before : after], at(60));
  t.deepEqual(changed.shown, [opened, [1805, 'boss', 'escalated', 1]]);
  const longer = routeRules({ steps: [...before.steps, { afterMs: 30 * minuteMs, channelIds: ['boss'] }] });
  const grown = runGroup([join(at(0), 'a'), update(at(20), 'x')], now => [now < at(20) ? before : longer], at(60));
  t.deepEqual(grown.shown.at(-1), [1805, 'boss', 'escalated', 1]);
  const gone = runGroup([join(at(0), 'a'), resolve(at(20), 'a')], now => (now < at(5) ? [before] : []), at(60));
  t.deepEqual(gone.shown, [opened, [1200, 'chat', 'resolved', 1]], 'a deleted route still ends what it began');
});
