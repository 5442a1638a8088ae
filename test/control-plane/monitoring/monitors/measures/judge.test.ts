import test from 'ava';
import { judgeEvents } from '#control-plane/monitoring/alerts/backtest/judge-events.ts';
import { wholeEvents } from '#control-plane/monitoring/monitors/kinds/events.ts';
import { judgeMeasured, measuredOf } from '#control-plane/monitoring/monitors/measures/judge.ts';
import { wasAway } from '#control-plane/monitoring/monitors/measures/measure.ts';
import { failureText } from '#control-plane/publishing/incidents/promotion.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';

const counted = (value: number | null, sample: number = value ?? 0) => ({ value, sample, name: 'order paid' });
const window = { window_seconds: 900 };
const count = { ...window, measure: 'count', against: null } as const;
const users = { ...count, measure: 'users' } as const;
const conversion = { ...count, measure: 'conversion' } as const;
const week = { ...count, against: 'week_before' } as const;

const values: [string, Parameters<typeof measuredOf>, ReturnType<typeof measuredOf>][] = [
  [
    'a number of events',
    [count, counted(12), null],
    { facts: { value: 12, sample: 12, base: null }, none: null, text: "12 'order paid' events in 15 min" },
  ],
  [
    'one user',
    [users, counted(1, 7), null],
    { facts: { value: 1, sample: 7, base: null }, none: null, text: "1 user of 'order paid' in 15 min" },
  ],
  [
    'half of the week before',
    [week, counted(10), counted(20)],
    {
      facts: { value: 0.5, sample: 20, base: 20 },
      none: null,
      text: "10 'order paid' events in 15 min, 0.5 of the 20 a week before",
    },
  ],
  [
    'nothing the week before',
    [week, counted(10), counted(0)],
    {
      facts: { value: null, sample: 0, base: 0 },
      none: 'too_few',
      text: "10 'order paid' events in 15 min, none of the 0 a week before",
    },
  ],
  [
    'a share of a flow',
    [conversion, counted(1 / 3, 30), null],
    {
      facts: { value: 1 / 3, sample: 30, base: null },
      none: null,
      text: "0.3333 of 30 who began 'order paid' finished it in 15 min",
    },
  ],
  [
    'a flow that fewer began the week before',
    [{ ...conversion, against: 'week_before' }, counted(0.2, 30), counted(0.4, 25)],
    {
      facts: { value: 0.5, sample: 25, base: 0.4 },
      none: null,
      text: "0.2 of 30 who began 'order paid' finished it in 15 min, 0.5 of the 0.4 a week before",
    },
  ],
  [
    'a flow that nobody began',
    [conversion, counted(null, 0), null],
    {
      facts: { value: null, sample: 0, base: null },
      none: 'too_few',
      text: "none of 0 who began 'order paid' finished it in 15 min",
    },
  ],
  [
    'a week before that is not kept',
    [week, counted(10), 'not_kept'],
    { facts: { value: null, sample: null, base: null }, none: 'not_kept', text: '' },
  ],
];
for (const [name, asked, expected] of values)
  test(`what windows come to: ${name}`, t => {
    t.deepEqual(measuredOf(...asked), expected);
  });

const least = (value: number, more: object = {}): Assertion => ({
  type: 'measured',
  operator: 'gte',
  value,
  ...more,
});
const verdicts: [string, number | null, number, Assertion[], string, string | null][] = [
  ['as much as asked', 20, 0, [least(20)], 'ok', null],
  ['less', 19, 0, [least(20)], 'err', 'target'],
  ['nothing at all', 0, 0, [least(1)], 'err', 'target'],
  ['less, which only warns', 19, 0, [least(20, { on_fail: 'warn' })], 'warn', null],
  [
    'less than one bound, which only warns, and than the other',
    4,
    0,
    [least(20, { on_fail: 'warn' }), least(5)],
    'err',
    'target',
  ],
  ['within a band', 7, 0, [least(5), { type: 'measured', operator: 'lt', value: 8 }], 'ok', null],
  ['at the end of a band', 8, 0, [least(5), { type: 'measured', operator: 'lt', value: 8 }], 'err', 'target'],
  ['at most', 8, 0, [{ type: 'measured', operator: 'lte', value: 8 }], 'ok', null],
  ['more than', 8, 0, [{ type: 'measured', operator: 'gt', value: 8 }], 'err', 'target'],
  ['too few to judge', 9, 10, [least(20)], 'err', 'too_few'],
  ['just enough to judge', 10, 10, [least(20)], 'err', 'target'],
  ['nothing counted', null, 0, [least(20)], 'err', 'too_few'],
];
for (const [name, value, minSample, assertions, status, source] of verdicts)
  test(`a value is judged: ${name}`, t => {
    const facts = { value, sample: value, base: null };
    const judged = judgeMeasured({ facts, none: null, text: 'so much' }, minSample, assertions);
    t.like(judged, { status, source });
    // The back-test says the same of what is stored.
    const events = wholeEvents({
      event: { name: 'x', type: 'track', where: [] },
      flow_id: null,
      measure: null,
      within_seconds: null,
      against: null,
      min_sample: minSample,
      settle_seconds: 60,
      window_seconds: 60,
    });
    const stored = { status: 'ok', failure_source: null, detail: { facts: { measured: facts } } } as never;
    const [again] = judgeEvents([stored], { events, assertions: [] }, { assertions: assertions as never }) as object[];
    if (value !== null) t.like(again ?? {}, { status, failure_source: source });
  });

test('what is not known is no opinion, and a back-test leaves it so', t => {
  for (const none of ['too_large', 'not_kept'] as const) {
    const facts = { value: null, sample: null, base: null };
    t.like(judgeMeasured({ facts, none, text: '' }, 0, [least(1)]), { status: 'err', source: none, assertions: [] });
  }
});

test('a window in which nobody took events for more than a tenth says nothing', t => {
  const own = { window_seconds: 600, within_seconds: null, settle_seconds: 60 };
  const at = 10_000_000;
  const away = (from: number, until: number) => wasAway([{ from: at + from, until: at + until }], own, at);
  t.false(away(-300_000, -240_000), 'a tenth');
  t.true(away(-300_000, -239_999));
  t.false(away(-900_000, -540_000), 'before the window');
  t.true(away(-10_000, 60_000), 'late events could not come');
  t.true(wasAway([{ from: at - 1_000_000, until: at - 600_000 }], { ...own, within_seconds: 300 }, at));
});

test('no number of events becomes public', t => {
  const reason = { error_code: 'assertion:measured', status_code: null };
  t.is(failureText({ ...reason, expected: 'at least 20' }), 'fewer successful actions than usual');
  t.is(failureText({ ...reason, expected: 'more than 0.5' }), 'fewer successful actions than usual');
  t.is(failureText({ ...reason, expected: 'at most 5' }), 'more errors than usual');
  t.is(failureText({ ...reason, expected: 'less than 5' }), 'more errors than usual');
});
