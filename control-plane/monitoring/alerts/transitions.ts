import type { Verdict } from '#shared/vocabulary.ts';
import type { AlertRules } from '../monitors/alert-rules.ts';
import { type ClockHistory, type ClockRow, putClockRow, readClocks } from './clocks.ts';

/** Alerts that are unresolved, and the last `down` one that was resolved. */
export type AlertMemory = {
  down: { startedAt: number; flappingSince: number | null } | null;
  degraded: { startedAt: number } | null;
  lastDown: { startedAt: number; resolvedAt: number; flappingSince: number | null } | null;
};

/** What a monitor's alerts depend on besides its rules. */
export type AlertStanding = { history: ClockHistory; memory: AlertMemory };

/** What happens to alerts, at an instant of the history. */
export type Transition =
  | { type: 'open'; kind: 'down' | 'degraded'; at: number; startedAt: number }
  /** The last `down` alert goes on. */
  | { type: 'reopen'; at: number }
  /** `since`: start of the row that made it flap. */
  | { type: 'flap'; at: number; since: number }
  | { type: 'resolve'; kind: 'down' | 'degraded'; at: number; resolvedAt: number; superseded: boolean };

export type Followed = { standing: AlertStanding; transitions: readonly Transition[] };

/** Pure: what a verdict does to the `down` alert of a monitor without rules of its own. */
export function plainEffectOf(verdict: Verdict): 'open' | 'resolve' | null {
  switch (verdict) {
    case 'down':
      return 'open';
    case 'up':
    case 'degraded':
    case 'deleted':
      return 'resolve';
    case 'undetermined':
    case 'pending':
    case 'paused':
      return null;
    default:
      return verdict satisfies never;
  }
}

/** Pure: applies a verdict row that was decided at an instant, after everything that was due before. */
export function followVerdict(
  start: AlertStanding,
  rules: AlertRules,
  row: ClockRow & { decidedAt: number },
): Followed {
  const until = Math.max(row.decidedAt, row.since);
  const advanced = advanceAlerts(start, rules, until - 1);
  const at = Math.max(until, advanced.standing.history.at);
  const history = { ...putClockRow(advanced.standing.history, { verdict: row.verdict, since: row.since }), at };
  return then(advanced, settle({ ...advanced.standing, history }, rules));
}

/** Pure: applies new rules at an instant, after everything that was due before by the old ones. */
export function followRules(start: AlertStanding, before: AlertRules, after: AlertRules, atMs: number): Followed {
  const advanced = advanceAlerts(start, before, atMs - 1);
  const { history } = advanced.standing;
  return then(
    advanced,
    settle({ ...advanced.standing, history: { ...history, at: Math.max(atMs, history.at) } }, after),
  );
}

/** Pure: applies what time alone brings about until an instant, inclusive. */
export function advanceAlerts(start: AlertStanding, rules: AlertRules, untilMs: number): Followed {
  let followed: Followed = { standing: start, transitions: [] };
  for (;;) {
    const next = nextStep(followed.standing, rules);
    if (next === null || next.due > untilMs) return followed;
    const { history } = followed.standing;
    followed = then(followed, settle({ ...followed.standing, history: { ...history, at: next.due } }, rules));
  }
}

/** When time alone changes an alert; null if it does not. */
export function nextAlertDue(standing: AlertStanding, rules: AlertRules): number | null {
  return nextStep(standing, rules)?.due ?? null;
}

/** Applies what is due at the instant of the standing. */
function settle(start: AlertStanding, rules: AlertRules): Followed {
  let followed: Followed = { standing: start, transitions: [] };
  for (;;) {
    const { standing } = followed;
    const flapping = flap(standing, rules);
    const next = nextStep(standing, rules);
    if (flapping !== null) followed = then(followed, flapping);
    else if (next !== null && next.due <= standing.history.at) followed = then(followed, next.take());
    else return followed;
  }
}

type Step = { due: number; take(): Followed };

/** The one change that time brings next. In each verdict at most one is possible. */
function nextStep(standing: AlertStanding, rules: AlertRules): Step | null {
  const { history, memory } = standing;
  const { at } = history;
  const verdict = history.rows.at(-1)?.verdict;
  const after = (ms: number, needed: number) => at + Math.max(0, needed - ms);
  if (verdict === 'deleted') {
    if (memory.down === null && memory.degraded === null) return null;
    return { due: at, take: () => resolve(standing, memory.down === null ? 'degraded' : 'down', at) };
  }
  if (memory.degraded !== null && rules.degraded === null)
    return { due: at, take: () => resolve(standing, 'degraded', at) };
  const { down, good, degraded, up } = readClocks(history, at);
  if (verdict === 'down' && memory.down === null)
    return {
      due: after(down.ms, rules.confirm_seconds * 1000),
      take: () => openDown(standing, rules, down.from ?? at),
    };
  if (verdict !== 'up' && verdict !== 'degraded') return null;
  if (memory.down !== null)
    return {
      due: after(good.ms, recoverSeconds(memory.down, rules) * 1000),
      take: () => resolve(standing, 'down', good.from ?? at),
    };
  if (verdict === 'up' && memory.degraded !== null)
    return {
      due: after(up.ms, rules.recover_seconds * 1000),
      take: () => resolve(standing, 'degraded', up.from ?? at),
    };
  if (verdict === 'degraded' && memory.degraded === null && rules.degraded !== null)
    return {
      due: after(degraded.ms, rules.degraded.after_seconds * 1000),
      take: () => openDegraded(standing, degraded.from ?? at),
    };
  return null;
}

function recoverSeconds({ flappingSince }: NonNullable<AlertMemory['down']>, rules: AlertRules): number {
  const quiet = flappingSince === null ? 0 : (rules.flap?.window_seconds ?? 0);
  return Math.max(rules.recover_seconds, quiet);
}

/** Opens `down`, or goes on with the last one if the outage began soon after it; supersedes `degraded`. */
function openDown({ history, memory }: AlertStanding, rules: AlertRules, startedAt: number): Followed {
  const { at } = history;
  const last = memory.lastDown;
  const reopens =
    last !== null && rules.flap !== null && startedAt - last.resolvedAt <= rules.flap.window_seconds * 1000;
  const down = reopens
    ? { startedAt: last.startedAt, flappingSince: last.flappingSince }
    : { startedAt, flappingSince: null };
  const transitions: Transition[] = [
    reopens ? { type: 'reopen', at } : { type: 'open', kind: 'down', at, startedAt },
    ...(memory.degraded === null
      ? []
      : [{ type: 'resolve' as const, kind: 'degraded' as const, at, resolvedAt: at, superseded: true }]),
  ];
  return {
    standing: { history: { ...history, degradedFrom: at }, memory: { down, degraded: null, lastDown: null } },
    transitions,
  };
}

function openDegraded({ history, memory }: AlertStanding, startedAt: number): Followed {
  const standing = { history, memory: { ...memory, degraded: { startedAt } } };
  return { standing, transitions: [{ type: 'open', kind: 'degraded', at: history.at, startedAt }] };
}

/** An alert ends no earlier than it started. */
function resolve({ history, memory }: AlertStanding, kind: 'down' | 'degraded', goodFrom: number): Followed {
  const resolvedAt = Math.max(goodFrom, memory[kind]?.startedAt ?? goodFrom);
  const lastDown = kind === 'down' && memory.down !== null ? { ...memory.down, resolvedAt } : memory.lastDown;
  return {
    standing: { history, memory: { ...memory, [kind]: null, lastDown } },
    transitions: [{ type: 'resolve', kind, at: history.at, resolvedAt, superseded: false }],
  };
}

/** Null if the open `down` alert does not begin to flap now. */
function flap({ history, memory }: AlertStanding, { flap: rule }: AlertRules): Followed | null {
  if (memory.down === null || memory.down.flappingSince !== null || rule === null) return null;
  const counted = history.downs.filter(since => since >= history.at - rule.window_seconds * 1000);
  const since = counted[rule.changes - 1];
  if (since === undefined) return null;
  return {
    standing: { history, memory: { ...memory, down: { ...memory.down, flappingSince: since } } },
    transitions: [{ type: 'flap', at: history.at, since }],
  };
}

function then(first: Followed, second: Followed): Followed {
  return { standing: second.standing, transitions: [...first.transitions, ...second.transitions] };
}
