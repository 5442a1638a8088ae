import { setImmediate } from 'node:timers/promises';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import type { Sql } from '../db/sql.ts';
import { fieldProblem, Problem } from '../http/problem.ts';
import { defaultAlertRules } from '../monitors/alert-rules.ts';
import { effectiveTimeoutMs, type MonitorPatch } from '../monitors/monitor.ts';
import { warmUpMs } from '../monitors/state.ts';
import type { StoredMonitor } from '../monitors/store.ts';
import { eventsOf, mergeFaults, type Past } from '../verdicts/history-event.ts';
import { listFaults } from '../verdicts/region-fault-store.ts';
import {
  listChanges,
  listObservations,
  listVersions,
  type StoredObservation,
  type StoredVersion,
} from '../verdicts/store.ts';
import type { VerdictChange } from '../verdicts/timeline.ts';
import {
  askedRules,
  type BacktestAnswer,
  changedRules,
  changesVerdicts,
  compareAlerts,
  findNotReplayable,
} from './backtest.ts';
import { BacktestReplay, type ReplayedAlert, type ReplayStart, secondsOf } from './backtest-replay.ts';
import { countResults, findKept, listAlertsAt, listRules, takePlace } from './backtest-store.ts';
import { listClockRows } from './clock-store.ts';
import { noHistory, putClockRow } from './clocks.ts';

const resultsMax = 2_000_000;
/** What one answer shows: a monitor that flaps at each check has some thousand a day. */
const alertsMax = 10_000;
const rangeMaxMs = 29 * dayMs;
const windowMs = 2 * hourMs;
/** Between two slices the process turns to what waits. */
const sliceEvents = 1000;

export type BacktestRequest = {
  changes: MonitorPatch;
  from: number | undefined;
  to: number | undefined;
  partial: boolean;
};

/**
 * What the monitor's verdicts and alerts would have been with other settings, from the stored results. Reads only.
 * Throws `backtest_too_large`, and `rate_limited` while two others of the project run.
 */
export async function runBacktest(
  sql: Sql,
  monitor: StoredMonitor,
  request: BacktestRequest,
  nowMs: number,
): Promise<BacktestAnswer> {
  const to = Math.min(request.to ?? nowMs, nowMs);
  const from = request.from ?? to - 7 * dayMs;
  if (from >= to) throw fieldProblem('/from', 'out_of_range', 'must be before `to`');
  if (to - from > rangeMaxMs) throw fieldProblem('/from', 'out_of_range', 'must be at most 29 days before `to`');
  if (!(await takePlace(sql, monitor.projectId)))
    throw new Problem('rate_limited', { retryAfter: 5, detail: 'two back-tests of the project are running' });
  const results = await countResults(sql, monitor.id, from, to, resultsMax);
  if (results > resultsMax) throw tooLarge({ from, to }, results, resultsMax, 'results');
  const kept = await findKept(sql, monitor.id, from, to, effectiveTimeoutMs(monitor.settings));
  const notReplayable = findNotReplayable(monitor.settings, request.changes, {
    regions: new Set(kept.map(({ region }) => region)),
    timedOut: kept.some(({ timed_out }) => timed_out),
  });
  const left = leaveOut(request.changes, notReplayable);
  const [before, after] = await replayBoth(sql, monitor, left, from, to);
  const alerts = Math.max(before.alerts.length, after.alerts.length);
  if (alerts > alertsMax) throw tooLarge({ from, to }, alerts, alertsMax, 'alerts');
  const isAnswered = notReplayable.length === 0 || request.partial;
  const diff = compareAlerts(before.alerts, after.alerts);
  return {
    from: toTimestamp(from),
    to: toTimestamp(to),
    results,
    not_replayable: notReplayable,
    before: viewOutcome(before, from, to),
    after: isAnswered ? viewOutcome(after, from, to) : null,
    diff: isAnswered
      ? {
          new: diff.new.map(viewAlert),
          gone: diff.gone.map(viewAlert),
          moved: diff.moved.map(move => ({ ...move, before: viewAlert(move.before), after: viewAlert(move.after) })),
        }
      : null,
  };
}

/** The range that ends at `to` and has about as many as are allowed. */
function tooLarge({ from, to }: { from: number; to: number }, count: number, max: number, what: string): Problem {
  const fits = to - Math.floor(((to - from) * max) / count / 2);
  const detail = `the range has more than ${max} ${what}; try one from ${toTimestamp(fits)} on`;
  return new Problem('backtest_too_large', { detail });
}

function leaveOut(changes: MonitorPatch, notReplayable: BacktestAnswer['not_replayable']): MonitorPatch {
  const names = new Set(notReplayable.map(({ pointer }) => pointer.split('/')[1]));
  return Object.fromEntries(Object.entries(changes).filter(([name]) => !names.has(name)));
}

type Outcome = { rows: readonly VerdictChange[]; alerts: readonly ReplayedAlert[] };

/** One pass over the stored results for both replays. */
async function replayBoth(
  sql: Sql,
  monitor: StoredMonitor,
  changes: MonitorPatch,
  from: number,
  to: number,
): Promise<[Outcome, Outcome]> {
  const versions = await listVersions(sql, monitor.id);
  const warmUp = Math.max(...versions.map(({ rules }) => warmUpMs(rules.intervalMs, rules.timeoutMs)), 0);
  const start = from - warmUp;
  const regions = [...new Set(versions.flatMap(version => version.rules.regions))];
  const faults = mergeFaults(await listFaults(sql, monitor.projectId, regions, start));
  const changed = versions.map(version => ({
    ...version,
    rules: changedRules(version.rules, monitor.settings, changes),
  }));
  const sameVerdicts = !changesVerdicts(changes);
  const begun = await readStart(sql, monitor.id, versions, faults, start, from);
  const asked = askedRules(changes, defaultAlertRules);
  const before = new BacktestReplay(begun);
  const after = new BacktestReplay({
    ...begun,
    standing: sameVerdicts ? begun.standing : standingAt(changed, start),
    inForce: sameVerdicts ? begun.inForce : null,
    rules: asked === null ? begun.rules : [{ at: from, rules: asked }],
  });
  const timeoutMs = changes.timeout_ms === undefined ? null : (changed.at(-1)?.rules.timeoutMs ?? null);
  for (let window = start; window < to; window += windowMs) {
    const end = Math.min(window + windowMs, to);
    const observations = await listObservations(sql, monitor.id, window, end);
    const past: Past = { versions, faults, observations };
    await applySlices(before, eventsOf(past, window, end));
    const cut = timeoutMs === null ? observations : observations.map(seen => cutOff(seen, timeoutMs));
    await applySlices(after, eventsOf({ ...past, versions: changed, observations: cut }, window, end));
  }
  return [before.finish(to), after.finish(to)];
}

async function applySlices(replay: BacktestReplay, events: ReturnType<typeof eventsOf>): Promise<void> {
  for (let index = 0; index < events.length; index += sliceEvents) {
    replay.apply(events.slice(index, index + sliceEvents));
    await setImmediate();
  }
}

/** A check that took longer than a shorter timeout allows had failed then. */
function cutOff(seen: StoredObservation, timeoutMs: number): StoredObservation {
  if (seen.status === 'err' || seen.completed_at - seen.started_at <= timeoutMs) return seen;
  return { ...seen, status: 'err', failure_source: 'target', completed_at: seen.started_at + timeoutMs };
}

function standingAt(versions: readonly StoredVersion[], atMs: number): ReplayStart['standing'] {
  const version = versions.findLast(({ at }) => at <= atMs) ?? versions[0];
  if (version === undefined) throw new Problem('not_found');
  const since = versions.findLast(({ at, resetsStart }) => at <= atMs && resetsStart)?.at ?? version.at;
  return { rules: version.rules, verdict: 'undetermined', since, earliestStart: since, votes: {} };
}

async function readStart(
  sql: Sql,
  monitorId: string,
  versions: readonly StoredVersion[],
  faults: Past['faults'],
  start: number,
  from: number,
): Promise<ReplayStart> {
  const [inForce = null] = await listChanges(sql, monitorId, from, from + 1);
  const known = await listAlertsAt(sql, monitorId, from);
  const isOpen = (alert: ReplayedAlert) => alert.resolved_at === null || alert.resolved_at > from;
  const open = known.filter(isOpen);
  const down = open.find(({ kind }) => kind === 'down');
  const last = known.find(alert => alert.kind === 'down' && !isOpen(alert));
  const degraded = open.find(({ kind }) => kind === 'degraded');
  const rows = await listClockRows(sql, monitorId, from);
  const opened = Math.max(
    ...known.filter(({ kind }) => kind === 'down').map(alert => alert.opened_at),
    noHistory.degradedFrom,
  );
  const history = { ...rows.reduce(putClockRow, { ...noHistory, degradedFrom: opened }), at: from };
  return {
    standing: standingAt(versions, start),
    quarantined: new Set(faults.filter(fault => fault.since <= start).map(fault => fault.region)),
    alerts: {
      history,
      memory: {
        down: down === undefined ? null : { startedAt: down.started_at, flappingSince: down.flapping_since },
        degraded: degraded === undefined ? null : { startedAt: degraded.started_at },
        lastDown:
          last === undefined || last.resolved_at === null
            ? null
            : { startedAt: last.started_at, resolvedAt: last.resolved_at, flappingSince: last.flapping_since },
      },
    },
    open: open.map(({ kind, started_at, opened_at }) => ({ kind, started_at, opened_at, resolved_at: null })),
    rules: await listRules(sql, monitorId, from),
    fromMs: from,
    inForce: inForce !== null && inForce.since <= from ? inForce : null,
  };
}

function viewOutcome({ rows, alerts }: Outcome, from: number, to: number): BacktestAnswer['before'] {
  const { up, degraded, down, undetermined } = secondsOf(rows, from, to);
  const observed = up + degraded + down;
  return {
    alerts: alerts.map(viewAlert),
    uptime: observed === 0 ? null : (up + degraded) / observed,
    down_seconds: down,
    degraded_seconds: degraded,
    undetermined_seconds: undetermined,
  };
}

function viewAlert({
  kind,
  started_at,
  opened_at,
  resolved_at,
}: ReplayedAlert): BacktestAnswer['before']['alerts'][number] {
  return {
    kind,
    started_at: toTimestamp(started_at),
    opened_at: toTimestamp(opened_at),
    resolved_at: resolved_at === null ? null : toTimestamp(resolved_at),
  };
}
