import { minuteMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { NewResult } from '../storage/insert-store.ts';
import type { VersionRules } from './accept.ts';
import { judgeP95 } from './latency-p95.ts';
import type { Accepted } from './prepare.ts';
import { samplesIn } from './sample-store.ts';
import { p95OfWindows, type Sample, type Window, type WindowP95 } from './window-p95.ts';

/**
 * Adds the outcomes of `latency_p95`, decided by what is stored now and the batch itself, and never recomputed.
 * They can only turn ok into warn. One query per monitor and batch.
 */
export async function decideP95(sql: Sql, accepted: readonly Accepted[]): Promise<Accepted[]> {
  const byMonitor = Map.groupBy(
    accepted.filter(({ version }) => version.p95.length > 0),
    ({ result }) => result.monitor_id,
  );
  if (byMonitor.size === 0) return [...accepted];
  const decided = new Map<Accepted, Accepted>();
  for (const [monitorId, batch] of byMonitor) {
    const { afterMs, untilMs } = rangeOf(batch);
    const stored = await samplesIn(
      sql,
      monitorId,
      { afterMs, untilMs },
      batch.map(({ result }) => result),
    );
    for (const [index, item] of decide(batch, stored).entries()) {
      const before = batch[index];
      if (before !== undefined) decided.set(before, item);
    }
  }
  return accepted.map(item => decided.get(item) ?? item);
}

/** Pure: the range (after, until] of `scheduled_at` that the windows of a monitor's results cover. */
export function rangeOf(batch: readonly Accepted[]): Window {
  return {
    afterMs: Math.min(...batch.map(({ result, version }) => result.scheduled_at - longestWindowMs(version))),
    untilMs: Math.max(...batch.map(({ result }) => result.scheduled_at)),
  };
}

/**
 * Pure: a monitor's results with the outcome of each `latency_p95` assertion of their version, in order of index.
 * `stored` are the samples besides those of the batch.
 */
export function decide(batch: readonly Accepted[], stored: readonly Sample[]): Accepted[] {
  const samples = [...batch.flatMap(({ result }) => sampleOf(result)), ...stored];
  const windows = batch.flatMap(windowsOf);
  const answers = p95OfWindows(samples, windows);
  let next = 0;
  return batch.map(item => {
    const count = windowsOf(item).length;
    next += count;
    return count === 0 ? item : withOutcomes(item, answers.slice(next - count, next));
  });
}

function windowsOf({ result, version }: Accepted): Window[] {
  if (result.status === 'err') return [];
  const untilMs = result.scheduled_at;
  return version.p95.map(({ assertion }) => ({ afterMs: untilMs - assertion.window_minutes * minuteMs, untilMs }));
}

function withOutcomes(item: Accepted, answers: readonly WindowP95[]): Accepted {
  const { result, version } = item;
  const outcomes = version.p95.flatMap(({ index, assertion }, position) => {
    const answer = answers[position];
    return answer === undefined ? [] : [judgeP95(index, assertion, answer)];
  });
  const assertions = [...result.assertions, ...outcomes].sort((left, right) => left.index - right.index);
  const status = outcomes.some(outcome => outcome.passed === false) ? 'warn' : result.status;
  return { ...item, result: { ...result, assertions, status } };
}

function longestWindowMs({ p95 }: VersionRules): number {
  return Math.max(...p95.map(({ assertion }) => assertion.window_minutes)) * minuteMs;
}

function sampleOf({ scheduled_at, latency_ms, kind, status }: NewResult): Sample[] {
  return kind === 'scheduled' && status !== 'err' && latency_ms !== null ? [{ scheduled_at, latency_ms }] : [];
}
