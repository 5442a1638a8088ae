import test from 'ava';
import { failuresOf, parseGates } from '#deploy/cli/configuration/gates.ts';

const alert = {
  kind: 'down' as const,
  monitor_key: 'api',
  alert_id: 'alt_1',
  severity: 'p2' as const,
  started_at: '2026-11-01T00:00:00.000Z',
  opened_at: '2026-11-01T00:01:00.000Z',
  resolved_at: null,
};
const plan = {
  counts: { delete: 2 },
  actions: [
    { key: 'api', backtest: { skipped: 'time' } },
    { key: 'web', backtest: { not_replayable: [{ pointer: '/url', reason: 'other_target' }] } },
    { key: 'ops', backtest: null },
  ],
  backtest: {
    days: 1,
    monitors: 1,
    skipped: 1,
    new: [{ ...alert, alert_id: null }],
    gone: [alert],
    moved: [{ ...alert, opened_ms: 90_000, resolved_ms: 0 }],
    uptime: [],
  },
} as unknown as Parameters<typeof failuresOf>[0];

test('a gate fails for what it names, and for nothing less', t => {
  const cases: [gates: string, failures: number][] = [
    ['missed', 1],
    ['missed=p2', 1],
    ['missed=p1', 0],
    ['late=60', 1],
    ['late=90', 0],
    ['noise', 1],
    ['noise=1', 0],
    ['deletes', 1],
    ['unproven', 2],
    ['missed=p1,late=90,noise=1', 0],
    ['missed, deletes', 2],
  ];
  for (const [gates, failures] of cases) t.is(failuresOf(plan, parseGates(gates)).length, failures, gates);
  t.deepEqual(failuresOf(plan, parseGates('missed')), ['missed: api alt_1 at 2026-11-01T00:01:00.000Z would be gone']);
  t.deepEqual(
    failuresOf(
      { ...plan, backtest: null, actions: [], counts: { ...plan.counts, delete: 0 } },
      parseGates('missed,noise,deletes,unproven'),
    ),
    [],
  );
});

test('a gate that is not there, or lacks its value, is refused', t => {
  for (const wrong of ['', 'mised', 'missed=p4', 'late', 'late=x', 'noise=-1', 'deletes=1', 'missed,,noise'])
    t.throws(() => parseGates(wrong), { name: 'UsageError' }, wrong);
  t.throws(() => parseGates('mised'), { message: /--fail-on has no mised gate/ });
});
