import { setImmediate } from 'node:timers/promises';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { fieldProblem, Problem } from '../../../platform/http/problem.ts';
import type { Span } from '../../memberships/window.ts';
import { listExcluded } from '../../memberships/window-store.ts';
import { defaultAlertRules } from '../../monitors/alert-rules.ts';
import { movesDeadlines } from '../../monitors/heartbeats/timing.ts';
import { effectiveTimeoutMs, type MonitorPatch } from '../../monitors/monitor.ts';
import type { StoredMonitor } from '../../monitors/row.ts';
import { eventsOf, mergeFaults, type Past } from '../../verdicts/history-event.ts';
import { listFaults } from '../../verdicts/region-fault-store.ts';
import { spansOf, uptimeOf, withWindows } from '../../verdicts/spans.ts';
import { listVersions, type StoredVersion } from '../../verdicts/store.ts';
import type { VerdictChange } from '../../verdicts/timeline.ts';
import { replayCertificates } from '../certificates/backtest.ts';
import {
  askedRules,
  type BacktestAnswer,
  changedRules,
  changesVerdicts,
  changesWarning,
  compareAlerts,
  findNotReplayable,
  leftOut,
} from './backtest.ts';
import { type Beginning, beforeSignals, findBeginning } from './beginning.ts';
import { readSignals } from './heartbeat.ts';
import { findStart, readRows, readStart, standingAt } from './history.ts';
import { readSlices } from './read.ts';
import { BacktestReplay, type ReplayedAlert } from './replay.ts';
import { countResults, findKept, takePlace } from './store.ts';

const resultsMax = 2_000_000;
/** What one answer shows: a monitor that flaps at each check has some thousand a day. */
const alertsMax = 10_000;
const rangeMaxMs = 29 * dayMs;
/** Between two slices the process turns to what waits. */
const sliceEvents = 1000;

export type BacktestRequest = {
  changes: MonitorPatch;
  from: number | undefined;
  to: number | undefined;
  partial: boolean;
};

/** How much a back-test may be that somebody did not ask for. */
type Bound = { results: number; ms: number };

/** A bound was reached, or others of the project run. */
export class OverBound extends Error {
  readonly reason: 'busy' | 'too_large' | 'time';

  constructor(reason: OverBound['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * What the monitor's verdicts and alerts would have been with other settings, from the stored results. Reads only.
 * Throws `backtest_too_large`, and `rate_limited` while two others of the project run.
 */
export async function runBacktest(
  sql: Sql,
  monitor: StoredMonitor,
  request: BacktestRequest,
  nowMs: number,
  bound: Bound | null = null,
): Promise<BacktestAnswer> {
  const endsAt = performance.now() + (bound?.ms ?? Number.POSITIVE_INFINITY);
  const to = Math.min(request.to ?? nowMs, nowMs);
  const from = request.from ?? to - 7 * dayMs;
  if (from >= to) throw fieldProblem('/from', 'out_of_range', 'must be before `to`');
  if (to - from > rangeMaxMs) throw fieldProblem('/from', 'out_of_range', 'must be at most 29 days before `to`');
  if (!(await takePlace(sql, monitor.projectId))) throw bound === null ? busy() : new OverBound('busy');
  const most = bound?.results ?? resultsMax;
  const results = await countResults(sql, monitor.id, from, to, most);
  if (results > most)
    throw bound === null ? tooLarge({ from, to }, results, resultsMax, 'results') : new OverBound('too_large');
  const kept = await findKept(sql, monitor.id, from, to, effectiveTimeoutMs(monitor.settings));
  const versions = await listVersions(sql, monitor.id);
  const moves = movesDeadlines(monitor.settings, request.changes);
  const beginning = moves ? await findBeginning(sql, monitor.id, versions, from, nowMs) : null;
  const notReplayable = findNotReplayable(monitor.settings, request.changes, {
    regions: new Set(kept.map(({ region }) => region)),
    timedOut: kept.some(({ timed_out }) => timed_out),
    beats: beginning !== null,
  });
  const left = leaveOut(request.changes, notReplayable);
  const [before, after] = await replayBoth(sql, monitor, left, { versions, beginning, from, to, nowMs, endsAt });
  const alerts = Math.max(before.alerts.length, after.alerts.length);
  if (alerts > alertsMax)
    throw bound === null ? tooLarge({ from, to }, alerts, alertsMax, 'alerts') : new OverBound('too_large');
  const windows = (await listExcluded(sql, [monitor.id], from, to)).get(monitor.id) ?? [];
  const isAnswered = notReplayable.length === 0 || request.partial;
  const diff = compareAlerts(before.alerts, after.alerts);
  return {
    from: toTimestamp(from),
    to: toTimestamp(to),
    results,
    not_replayable: notReplayable,
    before: viewOutcome(before, windows, from, to),
    after: isAnswered ? viewOutcome(after, windows, from, to) : null,
    diff: isAnswered
      ? {
          new: diff.new.map(viewAlert),
          gone: diff.gone.map(viewAlert),
          moved: diff.moved.map(move => ({ ...move, before: viewAlert(move.before), after: viewAlert(move.after) })),
        }
      : null,
  };
}

function busy(): Problem {
  return new Problem('rate_limited', { retryAfter: 5, detail: 'two back-tests of the project are running' });
}

/** The range that ends at `to` and has about as many as are allowed. */
function tooLarge({ from, to }: { from: number; to: number }, count: number, max: number, what: string): Problem {
  const fits = to - Math.floor(((to - from) * max) / count / 2);
  const detail = `the range has more than ${max} ${what}; try one from ${toTimestamp(fits)} on`;
  return new Problem('backtest_too_large', { detail });
}

function leaveOut(changes: MonitorPatch, notReplayable: BacktestAnswer['not_replayable']): MonitorPatch {
  const names = leftOut(notReplayable);
  return Object.fromEntries(Object.entries(changes).filter(([name]) => !names.has(name)));
}

type Outcome = { rows: readonly VerdictChange[]; alerts: readonly ReplayedAlert[] };

/** `beginning` is null unless signals are read again by other times. */
type Reading = {
  versions: readonly StoredVersion[];
  beginning: Beginning | null;
  from: number;
  to: number;
  nowMs: number;
  endsAt: number;
};

/** One pass over the stored results for both replays; none where no verdict changes. */
async function replayBoth(
  sql: Sql,
  monitor: StoredMonitor,
  changes: MonitorPatch,
  { versions, beginning, from, to, nowMs, endsAt }: Reading,
): Promise<[Outcome, Outcome]> {
  const start = beginning?.start ?? (await findStart(sql, monitor, versions, from));
  const regions = [...new Set(versions.flatMap(version => version.rules.regions))];
  const faults = mergeFaults(await listFaults(sql, monitor.projectId, regions, start));
  const changed = versions.map(version => ({
    ...version,
    rules: changedRules(version.rules, monitor.settings, changes),
  }));
  const sameVerdicts = beginning === null && !changesVerdicts(changes) && !changesWarning(monitor.settings, changes);
  const begun = await readStart(sql, monitor.id, versions, faults, start, from);
  const asked = askedRules(changes, defaultAlertRules);
  const standing = standingAt(changed, start);
  const before = new BacktestReplay(begun);
  const after = new BacktestReplay({
    ...begun,
    standing: sameVerdicts ? begun.standing : beginning === null ? standing : beforeSignals(standing),
    inForce: sameVerdicts ? begun.inForce : null,
    rules: asked === null ? begun.rules : [{ at: from, rules: asked }],
  });
  const certificates = await replayCertificates(sql, monitor, changes, versions, begun.rules, { from, to });
  const both = (one: Outcome, other: Outcome): [Outcome, Outcome] => [
    withAlerts(one, certificates.before),
    withAlerts(other, certificates.after),
  ];
  const slices =
    beginning === null
      ? readSlices(sql, monitor, changes, versions, { start, to })
      : readSignals(sql, monitor, changes, versions, beginning, { to, nowMs });
  const isLive = sameVerdicts || beginning !== null;
  const rows = isLive ? await readRows(sql, monitor.id, begun.inForce, from, to) : [];
  if (sameVerdicts) return both(before.finishRows(rows, to), after.finishRows(rows, to));
  for await (const slice of slices) {
    if (performance.now() > endsAt) throw new OverBound('time');
    const past: Past = { versions, faults, observations: slice.before };
    if (!isLive) await applySlices(before, eventsOf(past, slice.start, slice.end));
    await applySlices(
      after,
      eventsOf({ ...past, versions: changed, observations: slice.after }, slice.start, slice.end),
    );
  }
  return both(isLive ? before.finishRows(rows, to) : before.finish(to), after.finish(to));
}

/** In order of their start. */
function withAlerts({ rows, alerts }: Outcome, more: readonly ReplayedAlert[]): Outcome {
  if (more.length === 0) return { rows, alerts };
  return { rows, alerts: [...alerts, ...more].sort((left, right) => left.started_at - right.started_at) };
}

async function applySlices(replay: BacktestReplay, events: ReturnType<typeof eventsOf>): Promise<void> {
  for (let index = 0; index < events.length; index += sliceEvents) {
    replay.apply(events.slice(index, index + sliceEvents));
    await setImmediate();
  }
}

function viewOutcome(
  { rows, alerts }: Outcome,
  windows: readonly Span[],
  from: number,
  to: number,
): BacktestAnswer['before'] {
  const spans = spansOf(withWindows(rows, windows), from, to);
  return {
    alerts: alerts.map(viewAlert),
    uptime: uptimeOf(spans),
    down_seconds: spans.down / 1000,
    degraded_seconds: spans.degraded / 1000,
    undetermined_seconds: spans.undetermined / 1000,
    maintenance_seconds: spans.maintenance / 1000,
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
