import test from 'ava';
import { alertRules, followHistory, historyFrom, transitionText } from '#test/support/verdict-history.ts';

// A history, the seconds at which each verdict began, and what alerts do by it at which second.

type Case = [title: string, rules: object, history: string, done: string[]];
const flap = { flap: { changes: 3, window_seconds: 300 } };
const slow = { degraded: { after_seconds: 60 } };

const down: readonly Case[] = [
  [
    'without rules down opens and up resolves at once',
    {},
    'up 0, down 10, up 30',
    ['10 down opens of 10', '30 down ends 30'],
  ],
  ['degraded resolves as well', {}, 'up 0, down 10, degraded 30', ['10 down opens of 10', '30 down ends 30']],
  ['undetermined resolves nothing', {}, 'up 0, down 10, undetermined 30', ['10 down opens of 10']],
  ['nor does a pause', {}, 'down 10, paused 30', ['10 down opens of 10']],
  ['a deletion resolves at its instant', {}, 'down 10, deleted 30', ['10 down opens of 10', '30 down ends 30']],
  ['what was decided later opens then, of its start', {}, 'up 0, down 10<12', ['12 down opens of 10']],
  ['and resolves then, of its start', {}, 'down 0, up 10<14', ['0 down opens of 0', '14 down ends 10']],
  ['an outage goes on through what cannot be told', {}, 'down 10, undetermined 20, down 30', ['10 down opens of 10']],
  [
    'each outage has its alert',
    {},
    'down 0, up 10, down 20',
    ['0 down opens of 0', '10 down ends 10', '20 down opens of 20'],
  ],
];

const confirm: readonly Case[] = [
  ['an outage is confirmed by its time', { confirm_seconds: 60 }, 'up 0, down 10', ['70 down opens of 10']],
  ['a shorter one is none', { confirm_seconds: 60 }, 'down 10, up 70', []],
  [
    'to the millisecond',
    { confirm_seconds: 60 },
    'down 10, up 70.001',
    ['70 down opens of 10', '70.001 down ends 70.001'],
  ],
  ['good time begins it anew', { confirm_seconds: 60 }, 'down 0, up 40, down 50', ['110 down opens of 50']],
  [
    'time that cannot be told stands still',
    { confirm_seconds: 60 },
    'down 0, undetermined 40, down 100',
    ['120 down opens of 0'],
  ],
  [
    'a pause begins it anew',
    { confirm_seconds: 60 },
    'down 0, paused 40, pending 50, down 60',
    ['120 down opens of 60'],
  ],
  ['what was decided after its time opens then', { confirm_seconds: 60 }, 'down 0<90', ['90 down opens of 0']],
];

const recover: readonly Case[] = [
  [
    'an alert waits until all has been well',
    { recover_seconds: 60 },
    'down 0, up 10',
    ['0 down opens of 0', '70 down ends 10'],
  ],
  [
    'a relapse begins that anew',
    { recover_seconds: 60 },
    'down 0, up 10, down 60, up 80',
    ['0 down opens of 0', '140 down ends 80'],
  ],
  [
    'degraded time is good time',
    { recover_seconds: 60 },
    'down 0, degraded 10, up 40',
    ['0 down opens of 0', '70 down ends 10'],
  ],
  [
    'time that cannot be told stands still',
    { recover_seconds: 60 },
    'down 0, up 10, undetermined 40, up 100',
    ['0 down opens of 0', '130 down ends 10'],
  ],
];

const degraded: readonly Case[] = [
  ['slow time opens after its minutes', slow, 'up 0, degraded 10', ['70 degraded opens of 10']],
  ['never without a rule', {}, 'degraded 10', []],
  ['good time begins it anew', slow, 'degraded 0, up 50, degraded 55', ['115 degraded opens of 55']],
  ['up resolves it', slow, 'degraded 0, up 90', ['60 degraded opens of 0', '90 degraded ends 90']],
  [
    'up for as long as recovery takes',
    { ...slow, recover_seconds: 30 },
    'degraded 0, up 90',
    ['60 degraded opens of 0', '120 degraded ends 90'],
  ],
  [
    'an outage supersedes it',
    slow,
    'degraded 0, down 90',
    ['60 degraded opens of 0', '90 down opens of 90', '90 degraded is superseded'],
  ],
  [
    'one that waits to be confirmed does not yet',
    { ...slow, confirm_seconds: 20 },
    'degraded 0, down 90',
    ['60 degraded opens of 0', '110 down opens of 90', '110 degraded is superseded'],
  ],
  [
    'it does not open beside an outage',
    { ...slow, recover_seconds: 300 },
    'down 0, degraded 10',
    ['0 down opens of 0', '310 down ends 10', '310 degraded opens of 10'],
  ],
  [
    'after an outage its time is counted anew',
    slow,
    'degraded 0, down 50, degraded 60',
    ['50 down opens of 50', '60 down ends 60', '120 degraded opens of 60'],
  ],
  ['a deletion resolves it', slow, 'degraded 0, deleted 90', ['60 degraded opens of 0', '90 degraded ends 90']],
  ['at once if the rule says so', { degraded: { after_seconds: 0 } }, 'degraded 5', ['5 degraded opens of 5']],
];

const flapping: readonly Case[] = [
  [
    'two outages are no flapping',
    flap,
    'down 0, up 10, down 20, up 30',
    ['0 down opens of 0', '10 down ends 10', '20 reopens', '30 down ends 30'],
  ],
  [
    'the third within the window is, and it lasts until the window is quiet',
    flap,
    'down 0, up 10, down 20, up 30, down 40, up 50',
    [
      '0 down opens of 0',
      '10 down ends 10',
      '20 reopens',
      '30 down ends 30',
      '40 reopens',
      '40 flaps since 40',
      '350 down ends 50',
    ],
  ],
  [
    'an outage after the window is another alert',
    flap,
    'down 0, up 10, down 311',
    ['0 down opens of 0', '10 down ends 10', '311 down opens of 311'],
  ],
  [
    'one at its end is the same',
    flap,
    'down 0, up 10, down 310',
    ['0 down opens of 0', '10 down ends 10', '310 reopens'],
  ],
  [
    'those before the window do not count',
    flap,
    'down 0, up 10, down 200, up 210, down 301',
    ['0 down opens of 0', '10 down ends 10', '200 reopens', '210 down ends 210', '301 reopens'],
  ],
  [
    'recovery may take longer than the window',
    { ...flap, recover_seconds: 400 },
    'down 0, up 10, down 20, up 30, down 40, up 50',
    ['0 down opens of 0', '40 flaps since 40', '450 down ends 50'],
  ],
  [
    'what cannot be told is no change',
    flap,
    'down 0, undetermined 10, down 20, undetermined 30, down 40, up 50',
    ['0 down opens of 0', '40 flaps since 40', '350 down ends 50'],
  ],
];

for (const [kind, cases] of Object.entries({ down, confirm, recover, degraded, flapping }))
  for (const [title, rules, history, done] of cases)
    test(`${kind}: ${title}`, t => {
      t.deepEqual(followHistory(historyFrom(history), alertRules(rules), 3_600_000).map(transitionText), done);
    });
