import test from 'ava';
import type { RouteRules } from '#control-plane/on-call/routing/group-state.ts';
import { minuteMs } from '#shared/duration.ts';
import {
  acknowledge,
  type GroupEvent,
  groupStart,
  join,
  night,
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
const lunch = { ...night, from: '12:05', to: '13:00' };
const opened: Row = [5, 'chat', 'opened', 1];

type Case = [
  title: string,
  events: GroupEvent[],
  routes: Partial<RouteRules>[],
  minutes: number,
  rows: Row[],
  options?: Options,
];

const quiet: readonly Case[] = [
  [
    'a step that would come in quiet hours waits for as many minutes after them',
    [join(at(0), 'a')],
    [{ quiet: lunch }],
    120,
    [opened, [60 * 60 + 5 * 60 + 5, 'pager', 'escalated', 1]],
  ],
  [
    'reminders wait, too',
    [join(at(0), 'a')],
    [{ ...chatOnly, quiet: lunch, remindMs: 20 * minuteMs }],
    90,
    [opened, [75 * 60 + 5, 'chat', 'reminder', 1]],
  ],
  [
    'an acknowledgement is news for the digest, but for a paging service',
    [join(at(0), 'a'), acknowledge(at(30), 'a')],
    [{ steps: [{ afterMs: 0, channelIds: ['chat', 'page'] }], quiet: lunch }],
    59,
    [opened, [5, 'page', 'opened', 1], [1800, 'page', 'acknowledged', 1]],
    { paging: ['page'] },
  ],
  [
    'an excepted severity knows no quiet hours',
    [join(at(30), 'a', { severity: 'p1' })],
    [{ ...chatOnly, quiet: lunch }],
    50,
    [[1800, 'chat', 'opened', 1]],
  ],
  [
    'nor does one that is named',
    [join(at(30), 'a')],
    [{ ...chatOnly, quiet: lunch, exceptSeverities: ['p2'] }],
    50,
    [[1805, 'chat', 'opened', 1]],
  ],
  [
    'a route without quiet hours notifies a channel that another would leave in peace',
    [join(at(30), 'a', { routeIds: ['r', 's'] })],
    [
      { id: 's', ...chatOnly },
      { ...chatOnly, quiet: lunch },
    ],
    50,
    [[1805, 'chat', 'opened', 1]],
  ],
  [
    'what comes and goes in quiet hours is no message of its own',
    [join(at(30), 'a'), resolve(at(40), 'a')],
    [{ quiet: lunch }],
    120,
    [],
  ],
];

const failures: readonly Case[] = [
  [
    'a step that reached nobody makes the next one due',
    [join(at(0), 'a'), update(at(2), 'x')],
    [{}],
    3,
    [opened, [120, 'pager', 'escalated', 1]],
    { failed: ['r'] },
  ],
  ['but not of another route', [join(at(0), 'a'), update(at(2), 'x')], [{}], 3, [opened], { failed: ['s'] }],
  ['nor in quiet hours', [join(at(0), 'a'), update(at(6), 'x')], [{ quiet: lunch }], 50, [opened], { failed: ['r'] }],
  [
    'after which it comes at once',
    [join(at(0), 'a'), update(at(6), 'x')],
    [{ quiet: lunch }],
    61,
    [opened, [3600, 'pager', 'escalated', 1]],
    { failed: ['r'] },
  ],
  [
    'the last step has none after it',
    [join(at(0), 'a'), update(at(2), 'x')],
    [chatOnly],
    60,
    [opened],
    { failed: ['r'] },
  ],
];

for (const [title, events, routes, minutes, rows, options] of [...quiet, ...failures])
  test(title, t => {
    const { shown } = runGroup(events, routes.map(routeRules), at(minutes), options);
    t.deepEqual(shown, rows);
  });
