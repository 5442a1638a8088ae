import test from 'ava';
import {
  backtestRows,
  describeBacktest,
  describeNotReplayable,
} from '#control-plane/web/dashboard/app/features/monitors/editor/backtest-words.ts';
import { sampleBacktest } from '../../../samples.ts';

test('a back-test is told in a sentence', t => {
  const alert = sampleBacktest().before.alerts[0];
  if (alert === undefined) return t.fail();
  const none = { new: [], gone: [], moved: [] };
  const outcome = (count: number) => ({ ...sampleBacktest().before, alerts: new Array(count).fill(alert) });
  const told = (before: number, after: number, diff = { ...none, gone: [alert] }) =>
    describeBacktest(sampleBacktest({ before: outcome(before), after: outcome(after), diff }));
  t.is(told(9, 2), 'With these settings the last 7 days would have had 2 alerts instead of 9.');
  t.is(told(2, 2, { ...none, gone: [] }), 'With these settings the last 7 days would have had the same 2 alerts.');
  t.is(told(2, 2), 'With these settings the last 7 days would also have had 2 alerts, but at other times.');
  t.is(describeBacktest(sampleBacktest({ results: 0 })), 'There are no results to evaluate yet.');
  t.is(
    describeBacktest(sampleBacktest({ after: null, diff: null })),
    'There is not enough stored data to replay the last 7 days.',
  );
  const moves = [{ before: alert, after: alert, opened_ms: 60_000, resolved_ms: -30_000 }];
  t.deepEqual(
    backtestRows({ diff: { new: [{ ...alert, resolved_at: null }], gone: [alert], moved: moves } }).map(
      ({ change, detail }) => `${change}: ${detail}`,
    ),
    ['new: down, still open', 'gone: down for 10 min', 'moved: opens 1 min later, resolves 30 s earlier'],
  );
  t.deepEqual(backtestRows({ diff: null }), []);
  t.is(
    describeNotReplayable({ pointer: '/assertions/1', reason: 'answer_not_kept' }),
    'Assertion 2: the answers it needs are not stored',
  );
  t.is(
    describeNotReplayable({ pointer: '/interval_seconds', reason: 'other_slots' }),
    'Interval seconds: another interval would have checked at other times',
  );
  t.is(
    describeNotReplayable({ pointer: '/heartbeat', reason: 'no_results' }),
    'Schedule: the signals it begins with are not stored any more',
  );
});
