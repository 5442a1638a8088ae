import test from 'ava';
import fc from 'fast-check';
import {
  changedRules,
  changesAlerts,
  changesVerdicts,
  changesWarning,
  compareAlerts,
  findNotReplayable,
  leftOut,
  type NotReplayable,
} from '#control-plane/monitoring/alerts/backtest/backtest.ts';
import { BacktestReplay, type ReplayedAlert } from '#control-plane/monitoring/alerts/backtest/replay.ts';
import { advanceAlerts, followVerdict, type Transition } from '#control-plane/monitoring/alerts/transitions.ts';
import { heartbeatSchema } from '#control-plane/monitoring/monitors/kinds/heartbeat.ts';
import {
  type MonitorPatch,
  type MonitorSettings,
  monitorPostSchema,
} from '#control-plane/monitoring/monitors/monitor.ts';
import { verdicts } from '#shared/vocabulary.ts';
import { makeState } from '#test/support/monitor-state.ts';
import { alertRules, followHistory, freshStanding, type Judged } from '#test/support/verdict-history.ts';

const regions = ['eu-west', 'us-east', 'ap-south'];
const stored = monitorPostSchema.parse({
  name: 'Shop',
  url: 'https://shop.example/',
  interval_seconds: 60,
  timeout_ms: 10_000,
  regions,
  assertions: [{ type: 'status', operator: 'eq', value: 200 }],
}) as MonitorSettings;
const kept = { regions: new Set(regions), timedOut: true, beats: true };
const latency = { type: 'latency_p95', operator: 'lt', value_ms: 300, window_minutes: 10 } as const;
const body = { type: 'body_contains', operator: 'contains', value: 'ok', case_insensitive: false } as const;
const status = { type: 'status', operator: 'eq', value: 201 } as const;

const replayable: readonly [changes: MonitorPatch, faults: [pointer: string, reason: NotReplayable['reason']][]][] = [
  [{}, []],
  [{ quorum: 3 }, []],
  [{ regions: ['eu-west'] }, []],
  [{ regions: regions.toReversed() }, []],
  [
    { regions: ['eu-west', 'sa-east', 'us-west'] },
    [
      ['/regions/1', 'no_results'],
      ['/regions/2', 'no_results'],
    ],
  ],
  [{ timeout_ms: 5000 }, []],
  [{ timeout_ms: 20_000 }, [['/timeout_ms', 'cut_off']]],
  [{ timeout_ms: null }, [['/timeout_ms', 'cut_off']]],
  [{ interval_seconds: 60 }, []],
  [{ interval_seconds: 30 }, [['/interval_seconds', 'other_slots']]],
  [{ assertions: [] }, []],
  [{ assertions: [status, latency] }, []],
  [{ assertions: [status, body] }, [['/assertions/1', 'answer_not_kept']]],
  [{ url: 'https://shop.example/' }, []],
  [{ url: 'https://other.example/' }, [['/url', 'other_target']]],
  [
    { method: 'POST', body: 'x' },
    [
      ['/method', 'other_target'],
      ['/body', 'other_target'],
    ],
  ],
  [{ headers: { 'x-key': 'v' } }, [['/headers', 'other_target']]],
  [{ follow_redirects: false }, [['/follow_redirects', 'other_target']]],
  [{ tcp: { send: 'PING', read: true } }, [['/tcp', 'other_target']]],
  [{ auth: { type: 'bearer', token: 'x' } }, [['/auth', 'other_target']]],
  [{ http_version: '2' }, [['/http_version', 'other_target']]],
  [{ name: 'Other', labels: { env: 'prod' }, enabled: false, component_ids: ['comp_1'] }, []],
  [{ alert_rules: alertRules({ confirm_seconds: 60 }) }, []],
];
for (const [changes, faults] of replayable)
  test(`of ${JSON.stringify(changes)} stored results cannot answer ${JSON.stringify(faults)}`, t => {
    t.deepEqual(
      findNotReplayable(stored, changes, kept).map(({ pointer, reason }) => [pointer, reason]),
      faults,
    );
  });

test('a longer timeout can be replayed if no result ended by the shorter one', t => {
  t.deepEqual(findNotReplayable(stored, { timeout_ms: 20_000 }, { ...kept, timedOut: false }), []);
});

const own = (changes: object = {}) => heartbeatSchema.parse({ cron: '0 3 * * *', grace_seconds: 600, ...changes });
const job = { ...stored, kind: 'heartbeat', url: '', heartbeat: own(), interval_seconds: 86_400 } as MonitorSettings;
const ofJobs: readonly [changes: MonitorPatch, beats: boolean, faults: [pointer: string, reason: string][]][] = [
  [{ heartbeat: own({ cron: '0 4 * * *', timezone: 'Europe/Berlin', max_run_seconds: 60 }) }, true, []],
  [{ heartbeat: null, interval_seconds: 3600 }, true, []],
  [{ heartbeat: own({ grace_seconds: 60 }) }, false, [['/heartbeat', 'no_results']]],
  [{ heartbeat: own({ slug: 'other', keep_output: false }) }, false, []],
  [{ interval_seconds: 86_400 }, false, []],
  [{ heartbeat: own({ grace_seconds: 60, post_only: true }) }, true, [['/heartbeat/post_only', 'other_target']]],
];
for (const [changes, beats, faults] of ofJobs)
  test(`of a heartbeat’s ${JSON.stringify(changes)} signals that ${beats ? 'are' : 'are not'} stored answer`, t => {
    const found = findNotReplayable(job, changes, { ...kept, beats });
    t.deepEqual(
      found.map(({ pointer, reason }) => [pointer, reason]),
      faults,
    );
    t.false(leftOut(found).has('heartbeat') && beats, 'the rest of the change is replayed');
  });

const rules = { ...makeState().rules, regions, quorum: 2, timeoutMs: 10_000 };
const changed: readonly [title: string, settings: Partial<MonitorSettings>, changes: MonitorPatch, expected: object][] =
  [
    ['nothing', {}, {}, { regions, quorum: 2, timeoutMs: 10_000 }],
    ['a quorum', {}, { quorum: 3 }, { quorum: 3 }],
    ['a quorum of null: the majority', { quorum: 3 }, { quorum: null }, { quorum: 2 }],
    ['one region: a quorum of one', {}, { regions: ['eu-west'] }, { regions: ['eu-west'], quorum: 1 }],
    ['fewer regions than the quorum that was set', { quorum: 3 }, { regions: ['eu-west', 'us-east'] }, { quorum: 2 }],
    ['a timeout', {}, { timeout_ms: 2000 }, { timeoutMs: 2000, quorum: 2 }],
    ['a timeout of null: the default', {}, { timeout_ms: null }, { timeoutMs: 30_000 }],
  ];
for (const [title, settings, changes, expected] of changed)
  test(`rules changed by ${title}`, t => {
    t.like(changedRules(rules, { ...stored, ...settings }, changes), expected);
  });

test('only what has a part in verdicts is judged again, and only what has one in alerts is replayed', t => {
  t.false(changesAlerts(stored, { name: 'x', labels: {}, url: 'https://x.example/', interval_seconds: 90 }));
  for (const one of [{ quorum: 1 }, { regions }, { timeout_ms: 1000 }, { assertions: [] }])
    t.deepEqual([changesVerdicts(one), changesAlerts(stored, one)], [true, true], JSON.stringify(one));
  const rulesAlone = { alert_rules: alertRules({ confirm_seconds: 1 }) };
  t.deepEqual(
    [changesVerdicts(rulesAlone), changesAlerts(stored, rulesAlone), changesWarning(stored, rulesAlone)],
    [false, true, false],
  );
  const warning = { alert_rules: alertRules({ certificate: { in_verdict: true } }) };
  t.true(changesWarning(stored, warning), 'other certificates make checks warn');
});

const alertList = fc
  .array(fc.record({ gap: fc.integer({ min: 0, max: 5 }), ms: fc.integer({ min: 0, max: 5 }) }), { maxLength: 6 })
  .map(list => {
    let at = 0;
    return list.map(({ gap, ms }, index): ReplayedAlert => {
      const started_at = at + gap + 1;
      at = started_at + ms;
      const isOpen = index === list.length - 1 && ms === 5;
      return { kind: 'down', started_at, opened_at: started_at, resolved_at: isOpen ? null : at };
    });
  });

test('alerts of two replays that overlap are one alert, in their order; the others are new or gone', t => {
  fc.assert(
    fc.property(alertList, alertList, (before, after) => {
      const { new: added, gone, moved } = compareAlerts(before, after);
      const end = (alert: ReplayedAlert) => alert.resolved_at ?? Number.POSITIVE_INFINITY;
      const overlap = (a: ReplayedAlert, b: ReplayedAlert) => a.started_at <= end(b) && b.started_at <= end(a);
      for (const one of gone.filter(one => !after.some(other => overlap(one, other)))) t.true(before.includes(one));
      for (const one of before.filter(one => !after.some(other => overlap(one, other)))) t.true(gone.includes(one));
      for (const one of after.filter(one => !before.some(other => overlap(one, other)))) t.true(added.includes(one));
      for (const { before: left, after: right, opened_ms, resolved_ms } of moved) {
        t.true(overlap(left, right));
        t.is(right.opened_at - left.opened_at, opened_ms);
        t.is(resolved_ms === null, left.resolved_at === null || right.resolved_at === null);
      }
      const same = before.length - gone.length;
      t.is(same, after.length - added.length, 'each is the same as at most one other');
      t.true(moved.length <= same);
    }),
    { numRuns: 200 },
  );
  const alone = compareAlerts([{ kind: 'down', started_at: 1, opened_at: 1, resolved_at: 9 }], []);
  t.deepEqual([alone.new.length, alone.gone.length, alone.moved.length], [0, 1, 0]);
});

/** The alerts that transitions make. */
function alertsOf(transitions: readonly Transition[]): ReplayedAlert[] {
  const alerts: ReplayedAlert[] = [];
  for (const one of transitions) {
    const last = alerts.findLast(({ kind }) => kind === (one.type === 'resolve' ? one.kind : 'down'));
    if (one.type === 'open') {
      alerts.push({ kind: one.kind, started_at: one.startedAt, opened_at: one.at, resolved_at: null });
    } else if (last !== undefined && one.type !== 'flap')
      last.resolved_at = one.type === 'reopen' ? null : one.resolvedAt;
  }
  return alerts;
}

const histories = fc
  .array(fc.record({ verdict: fc.constantFrom(...verdicts.filter(one => one !== 'deleted')), gap: fc.nat(200) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map(steps => {
    let at = 1000;
    return steps
      .filter(({ verdict }, index) => verdict !== steps[index - 1]?.verdict)
      .map(({ verdict, gap }): Judged => {
        at += (gap + 1) * 1000;
        return { verdict, since: at, decidedAt: at };
      });
  });
const ruleSets = fc.record({
  confirm_seconds: fc.constantFrom(0, 30, 120),
  recover_seconds: fc.constantFrom(0, 60, 400),
  flap: fc.option(fc.constant({ changes: 3, window_seconds: 600 }), { nil: null }),
  degraded: fc.option(fc.constant({ after_seconds: 90 }), { nil: null }),
});

test('a back-test of any history has the alerts that were live, from wherever it begins', t => {
  fc.assert(
    fc.property(histories, ruleSets, fc.nat(39), (history, changes, cut) => {
      const rules = alertRules(changes);
      const live = alertsOf(followHistory(history, rules, 20_000_000));
      const known = history.slice(0, Math.min(cut, history.length - 1));
      const rest = history.slice(known.length);
      const from = (known.at(-1)?.since ?? 1000) + 500;
      let followed = { standing: freshStanding, transitions: [] as readonly Transition[] };
      for (const take of [
        ...known.map(row => () => followVerdict(followed.standing, rules, row)),
        () => advanceAlerts(followed.standing, rules, from),
      ]) {
        const { standing, transitions } = take();
        followed = { standing, transitions: [...followed.transitions, ...transitions] };
      }
      const begun = alertsOf(followed.transitions);
      const standing = { ...makeState(), verdict: known.at(-1)?.verdict ?? ('pending' as const), since: from };
      const rowOf = ({ verdict, since }: Judged) => ({ verdict, since, votes: {}, configVersion: 1 });
      const inForce = rowOf(known.at(-1) ?? { verdict: 'pending', since: 0, decidedAt: 0 });
      const replay = new BacktestReplay({
        ...{ standing, quarantined: new Set<string>(), alerts: followed.standing, inForce, fromMs: from },
        open: begun,
        rules: [{ at: 0, rules }],
      });
      t.deepEqual(replay.finishRows(rest.map(rowOf), 20_000_000).alerts, live);
    }),
    { numRuns: 150 },
  );
});
