import test from 'ava';
import {
  chartRowsOf,
  describeRows,
  marksOf,
  rangeOf,
} from '#control-plane/web/dashboard/app/features/events/user-rows.ts';
import type { TimelineItem } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { nowMs, sampleIncident } from '../../samples.ts';

const at = (seconds: number) => new Date(nowMs + seconds * 1000).toISOString();

test('a timeline becomes a row a session, the latest first, among the releases and incidents of its time', t => {
  const item = (id: string, seconds: number, session?: string, type: TimelineItem['type'] = 'track') => ({
    id,
    name: id,
    type,
    timestamp: at(seconds),
    ...(session === undefined ? {} : { session_id: session }),
  });
  const items = [item('d', 400), item('c', 300, 's2', 'error'), item('b', 100, 's1'), item('a', 0, 's1')];
  const chartRows = chartRowsOf([...items, item('r', 50, undefined, 'release')]);
  t.deepEqual(
    chartRows.map(({ session }) => session),
    ['s2', 's1', null],
  );
  t.deepEqual(describeRows(chartRows), { sessions: 2, events: 3, errors: 1 });
  const range = rangeOf(chartRows);
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
