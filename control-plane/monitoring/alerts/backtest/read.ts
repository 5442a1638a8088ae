import { setImmediate } from 'node:timers/promises';
import { hourMs, minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { samplesIn } from '../../checks/intake/sample-store.ts';
import { defaultAlertRules, warningOf } from '../../monitors/alert-rules.ts';
import { recordTypeOf } from '../../monitors/kinds/rules.ts';
import { effectiveTimeoutMs, type MonitorPatch } from '../../monitors/monitor.ts';
import type { StoredMonitor } from '../../monitors/row.ts';
import { listObservations, type StoredObservation, type StoredVersion } from '../../verdicts/store.ts';
import { assertionChange, judgeAnswers, longestWindowMs } from './assertions.ts';
import { changesWarning } from './backtest.ts';
import { changedRecords } from './changed-records.ts';
import { judgeEvents } from './judge-events.ts';
import { listAnswers } from './store.ts';

/** Read at once; more would keep the process from what waits. */
const rowsAtOnce = 5000;

/** The results of a part of the range, as they were and as they had been. */
export type ReadSlice = { end: number; before: StoredObservation[]; after: StoredObservation[] };

/** Reads the range in parts of about as many results. */
export async function* readSlices(
  sql: Sql,
  monitor: StoredMonitor,
  changes: MonitorPatch,
  versions: readonly StoredVersion[],
  range: { start: number; to: number },
): AsyncGenerator<ReadSlice & { start: number }> {
  const perMs = Math.max(0, ...versions.map(({ rules }) => rules.regions.length / rules.intervalMs));
  const sliceMs = Math.min(6 * hourMs, Math.max(minuteMs, rowsAtOnce / perMs));
  const { timeout_ms } = changes;
  const timeoutMs = timeout_ms === undefined ? null : effectiveTimeoutMs({ ...monitor.settings, timeout_ms });
  const { kind = 'http', assertions } = monitor.settings;
  const warns = changesWarning(monitor.settings, changes);
  const change =
    changes.assertions === undefined && changes.events === undefined && !warns
      ? null
      : assertionChange(kind, assertions, changes.assertions ?? assertions);
  const asked = warns ? warningOf(changes.alert_rules ?? defaultAlertRules) : null;
  const byVersion = new Map(versions.map(({ rules, warning }) => [rules.configVersion, warning]));
  const warningOfResult = (result: StoredObservation) =>
    warns ? asked : (byVersion.get(result.config_version) ?? null);
  const recordType = recordTypeOf(monitor.settings);
  const hasChanged = changedRecords(recordType);
  const confirm = confirmer();
  for (let start = range.start; start < range.to; start += sliceMs) {
    const end = Math.min(start + sliceMs, range.to);
    let before: StoredObservation[];
    let after: StoredObservation[];
    if (change === null) before = after = await listObservations(sql, monitor.id, start, end);
    else {
      const answers = await listAnswers(sql, monitor.id, start, end);
      if (kind === 'events') {
        yield { start, end, before: answers, after: judgeEvents(answers, monitor.settings, changes) };
        continue;
      }
      const windowMs = longestWindowMs(change);
      const span = { afterMs: start - windowMs - 10 * minuteMs, untilMs: end };
      const samples = windowMs === 0 ? [] : await samplesIn(sql, monitor.id, span, []);
      await setImmediate();
      before = answers;
      const { configVersion } = monitor;
      after = judgeAnswers(answers, change, configVersion, samples, warningOfResult, recordType, hasChanged);
    }
    if (timeoutMs !== null) after = after.map(seen => cutOff(seen, timeoutMs));
    if (after !== before) after = after.map((seen, place) => confirm(before[place] ?? seen, seen));
    yield { start, end, before, after };
  }
}

/** A check that took longer than a shorter timeout allows had failed then. */
function cutOff(seen: StoredObservation, timeoutMs: number): StoredObservation {
  if (seen.status === 'err' || seen.completed_at - seen.started_at <= timeoutMs) return seen;
  return { ...seen, status: 'err', failure_source: 'target', completed_at: seen.started_at + timeoutMs };
}

/**
 * No second attempt followed a check that was good when it was made. If it fails now, the next check of its region
 * stands for that attempt: otherwise no vote would ever turn down, and if each counted as confirmed, one slow answer
 * would be an outage.
 */
function confirmer(): (before: StoredObservation, after: StoredObservation) => StoredObservation {
  const failing = new Set<string>();
  return (before, after) => {
    const hadFailed = failing.has(after.region);
    if (after.status === 'err') failing.add(after.region);
    else failing.delete(after.region);
    const isNew = before.status !== 'err' && after.status === 'err';
    return isNew && hadFailed && after.attempt < 2 ? { ...after, attempt: 2 } : after;
  };
}
