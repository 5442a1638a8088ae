import test from 'ava';
import fc from 'fast-check';
import { noHistory } from '#control-plane/monitoring/alerts/clocks.ts';
import {
  type AlertStanding,
  advanceAlerts,
  type Followed,
  followRules,
  followVerdict,
  type Transition,
} from '#control-plane/monitoring/alerts/transitions.ts';
import { type AlertRules, defaultAlertRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { type Decision, type OracleAlert, oracleAlerts, type RuleVersion } from '#test/oracles/alerts.ts';

const gridMs = 500;
const numRuns = Number(process.env.ALERT_HISTORIES ?? 100);
const fresh: AlertStanding = { history: noHistory, memory: { down: null, degraded: null, lastDown: null } };

type Event = { at: number; decision?: Decision; rules?: AlertRules; sweep?: true };

/** The alerts that transitions make. */
function alertsOf(transitions: readonly Transition[]): OracleAlert[] {
  const alerts: OracleAlert[] = [];
  const last = (kind: string) => alerts.findLast(alert => alert.kind === kind);
  for (const transition of transitions) {
    const alert = last(transition.type === 'resolve' ? transition.kind : 'down');
    if (transition.type === 'open') {
      const { kind, startedAt, at: openedAt } = transition;
      const rest = { resolvedAt: null, flappingSince: null, superseded: false, reopened: 0 };
      alerts.push({ kind, startedAt, openedAt, ...rest });
    } else if (alert === undefined) throw new Error(`${transition.type} of nothing`);
    else if (transition.type === 'flap') alert.flappingSince = transition.since;
    else if (transition.type === 'reopen') {
      alert.resolvedAt = null;
      alert.reopened++;
    } else {
      alert.resolvedAt = transition.resolvedAt;
      alert.superseded = transition.superseded;
    }
  }
  return alerts;
}

/** Follows the events; what is kept between them passes through JSON, as in the database. */
function follow(first: AlertRules, events: readonly Event[], untilMs: number): OracleAlert[] {
  let rules = first;
  let followed: Followed = { standing: fresh, transitions: [] };
  const step = (next: Followed) => {
    followed = {
      standing: JSON.parse(JSON.stringify(next.standing)) as AlertStanding,
      transitions: [...followed.transitions, ...next.transitions],
    };
  };
  for (const { at, decision, rules: changed } of events) {
    if (decision !== undefined) step(followVerdict(followed.standing, rules, decision));
    else if (changed !== undefined) {
      step(followRules(followed.standing, rules, changed, at));
      rules = changed;
    } else step(advanceAlerts(followed.standing, rules, at));
  }
  step(advanceAlerts(followed.standing, rules, untilMs));
  return alertsOf(followed.transitions);
}

const seconds = (max: number) => fc.integer({ min: 0, max });
const rulesArbitrary: fc.Arbitrary<AlertRules> = fc.record({
  confirm_seconds: fc.oneof(fc.constant(0), seconds(60)),
  recover_seconds: fc.oneof(fc.constant(0), seconds(200)),
  flap: fc.option(fc.record({ changes: fc.integer({ min: 3, max: 4 }), window_seconds: fc.constant(300) })),
  degraded: fc.option(fc.record({ after_seconds: seconds(100), severity: fc.constant('p3' as const) })),
  certificate: fc.constant(defaultAlertRules.certificate),
  domain: fc.constant(defaultAlertRules.domain),
});
const verdict = fc.constantFrom('up', 'up', 'down', 'down', 'degraded', 'undetermined', 'pending', 'paused');
/** Distances on the grid, and how far a down row goes back. */
const stepArbitrary = fc.record({
  gap: fc.integer({ min: 1, max: 100 }),
  back: fc.integer({ min: 0, max: 60 }),
  verdict: verdict as fc.Arbitrary<Decision['verdict']>,
  rules: fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: rulesArbitrary }),
  sweep: fc.boolean(),
});
const historyArbitrary = fc.record({
  first: rulesArbitrary,
  steps: fc.array(stepArbitrary, { minLength: 10, maxLength: 30, size: 'max' }),
  deleted: fc.boolean(),
});

type History = typeof historyArbitrary extends fc.Arbitrary<infer T> ? T : never;

function eventsOf({ steps, deleted }: History): { live: Event[]; until: number } {
  const live: Event[] = [];
  let at = 0;
  let floor = 0;
  for (const step of steps) {
    if (step.sweep) live.push({ at: at + Math.floor(step.gap / 2) * gridMs, sweep: true });
    at += step.gap * gridMs;
    if (step.rules !== null) {
      live.push({ at, rules: step.rules });
      continue;
    }
    const isReset = step.verdict === 'pending' || step.verdict === 'paused';
    // A check of the new version ends after the version began.
    if (isReset) floor = at + gridMs;
    const since = step.verdict === 'down' ? Math.max(floor, at - step.back * gridMs) : at;
    live.push({ at, decision: { verdict: step.verdict, since, decidedAt: at } });
  }
  if (deleted)
    live.push({ at: at + gridMs, decision: { verdict: 'deleted', since: at + gridMs, decidedAt: at + gridMs } });
  return { live, until: at + 400_000 };
}

const seen = new Set<string>();

test('alerts of any history by any rules are those of the contract, live and replayed', t => {
  fc.assert(
    fc.property(historyArbitrary, history => {
      const { live, until } = eventsOf(history);
      const decisions = live.flatMap(({ decision }) => decision ?? []);
      const versions: RuleVersion[] = [
        { at: 0, rules: history.first },
        ...live.flatMap(({ at, rules }) => (rules === undefined ? [] : [{ at, rules }])),
      ];
      const expected = oracleAlerts(decisions, versions, until, gridMs);
      for (const alert of expected)
        for (const [name, value] of Object.entries({ ...alert, [alert.kind]: true })) if (value) seen.add(name);
      t.deepEqual(follow(history.first, live, until), expected);
      const replayed = live.filter(({ sweep }) => sweep !== true);
      t.deepEqual(follow(history.first, replayed, until), expected);
    }),
    { numRuns },
  );
  for (const name of ['down', 'degraded', 'resolvedAt', 'flappingSince', 'superseded', 'reopened'])
    t.true(seen.has(name), name);
});

test('without rules of its own a monitor has the alerts of 0.4.0: down opens, good resolves', t => {
  fc.assert(
    fc.property(historyArbitrary, ({ steps }) => {
      const plain = { first: defaultAlertRules, steps: steps.map(step => ({ ...step, rules: null })), deleted: false };
      const { live } = eventsOf(plain);
      let open = false;
      const expected: string[] = [];
      for (const { decision } of live) {
        if (decision?.verdict === 'down' && !open) expected.push(`opened at ${decision.decidedAt}`);
        if ((decision?.verdict === 'up' || decision?.verdict === 'degraded') && open)
          expected.push(`resolved at ${decision.decidedAt}`);
        open = decision?.verdict === 'down' || (open && !['up', 'degraded'].includes(decision?.verdict ?? ''));
      }
      let standing = fresh;
      const taken: string[] = [];
      for (const { decision } of live) {
        if (decision === undefined) continue;
        const followed = followVerdict(standing, defaultAlertRules, decision);
        standing = followed.standing;
        taken.push(
          ...followed.transitions.map(({ type, at }) => `${type === 'open' ? 'opened' : 'resolved'} at ${at}`),
        );
      }
      t.deepEqual(taken, expected);
    }),
    { numRuns },
  );
});
