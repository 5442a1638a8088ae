import test from 'ava';
import { describeReport, groupsOf, lostAfter } from '#control-plane/web/dashboard/app/features/flows/funnel-steps.ts';
import { formatShare } from '#control-plane/web/dashboard/app/kit/share.ts';
import type { FunnelReport } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { nowMs } from '../../samples.ts';

const at = (seconds: number) => new Date(nowMs + seconds * 1000).toISOString();

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
