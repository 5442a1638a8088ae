import type { Sql } from '../../../platform/db/sql.ts';
import { listRuns, type RegionRuns, saveRuns } from './dns-run-store.ts';
import { addToRuns, firstInWindow, judgeChanged, recordsOf } from './dns-runs.ts';
import type { Accepted } from './prepare.ts';

/**
 * Adds the outcomes of `dns_changed`, decided by what is known of the region's records at the time of the check, and
 * never recomputed. The caller has locked the states of the monitors.
 */
export async function decideChanged(sql: Sql, accepted: readonly Accepted[]): Promise<readonly Accepted[]> {
  const affected = accepted.filter(isAffected);
  if (affected.length === 0) return accepted;
  const known = new Map<string, RegionRuns>();
  for (const runs of await listRuns(sql, [...new Set(affected.map(({ result }) => result.monitor_id))]))
    known.set(`${runs.monitorId} ${runs.region}`, runs);
  const changed = new Map<string, RegionRuns>();
  const decided = new Map<Accepted, Accepted>();
  for (const item of affected) {
    const key = `${item.result.monitor_id} ${item.result.region}`;
    const before = changed.get(key) ?? known.get(key);
    const { item: after, runs } = decideOne(item, before);
    decided.set(item, after);
    if (runs !== before) changed.set(key, runs);
  }
  await saveRuns(sql, [...changed.values()]);
  return accepted.map(item => decided.get(item) ?? item);
}

function isAffected({ result: { error, facts }, version: { unchanged } }: Accepted): boolean {
  return unchanged != null && error === null && facts?.dns !== undefined;
}

/** Pure: a result with its outcomes, and the runs with it if it is good. */
export function decideOne(item: Accepted, before: RegionRuns | undefined): { item: Accepted; runs: RegionRuns } {
  const { result, version } = item;
  const { scheduled_at: at, facts } = result;
  const rules = version.unchanged ?? { type: '', target: '', assertions: [] };
  const fresh: RegionRuns = {
    monitorId: result.monitor_id,
    region: result.region,
    projectId: version.projectId,
    target: rules.target,
    targetAt: version.atMs,
    runs: [],
  };
  const isOther = before !== undefined && before.target !== rules.target;
  // A late result of another query says nothing of the one that is asked now.
  const isLate = isOther && before.targetAt > version.atMs;
  const known = before === undefined || isOther ? fresh : before;
  const records = facts?.dns === undefined || isLate ? null : recordsOf(facts.dns, rules.type);
  const isGood = records !== null && result.status !== 'err';
  const runs = isGood ? { ...known, runs: addToRuns(known.runs, at, records) } : known;
  const outcomes = rules.assertions.map(one =>
    judgeChanged(one, firstInWindow(runs.runs, at, one.window_minutes), records),
  );
  // No agent tries again what was good to it: the second check that finds the change confirms it.
  const isConfirmed = runs.runs.some(({ id, from, to }) => id === records?.id && from < at && at <= to);
  const decided = { ...item, result: withOutcomes(item, outcomes, isConfirmed) };
  return { item: decided, runs: isLate && before !== undefined ? before : runs };
}

function withOutcomes(
  { result, version }: Accepted,
  outcomes: ReturnType<typeof judgeChanged>[],
  isConfirmed: boolean,
): Accepted['result'] {
  const assertions = [...result.assertions, ...outcomes].sort((left, right) => left.index - right.index);
  const failed = outcomes.filter(({ passed }) => passed === false);
  if (failed.length === 0 || result.status === 'err') return { ...result, assertions };
  if (failed.every(({ index }) => version.warnOn.includes(index))) return { ...result, assertions, status: 'warn' };
  const attempt = isConfirmed ? 2 : result.attempt;
  return { ...result, assertions, attempt, status: 'err', failure_source: 'target', bin: null };
}
