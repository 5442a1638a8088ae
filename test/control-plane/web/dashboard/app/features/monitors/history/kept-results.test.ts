import test from 'ava';
import { describeSince, rangeQuery } from '#control-plane/web/dashboard/app/features/monitors/history/kept-results.ts';

const nowMs = Date.parse('2026-11-21T10:00:00.000Z');
const hoursBefore = (hours: number) => new Date(nowMs - hours * 3_600_000).toISOString();

test('what is not shown of a range is said', t => {
  t.is(describeSince(hoursBefore(24), nowMs, 24), '');
  t.is(describeSince(hoursBefore(720), nowMs, 2160), 'The last 30 days. ');
  t.is(describeSince(hoursBefore(90), nowMs, 720), 'The newest results alone: 3 days. ');
  t.is(describeSince(hoursBefore(20), nowMs, 168), 'The newest results alone: 20.0 hours. ');
});

test('no more is asked for than is stored', t => {
  t.deepEqual(rangeQuery(nowMs, 2160), { from: hoursBefore(720) });
  t.deepEqual(rangeQuery(nowMs, 24), { from: hoursBefore(24) });
});
