import type { Sql } from '../db/sql.ts';
import type { VersionRules } from './accept.ts';
import { detailOf } from './detail.ts';
import { judgeP95 } from './latency-p95.ts';
import { type NewResult, type Sample, samplesIn } from './store.ts';

/** A result that is let in, with the rules of its version. */
export type Accepted = { result: NewResult; version: VersionRules };

/**
 * Results with the outcomes of `latency_p95`, decided with what is stored now, the batch itself included, and never
 * computed again. It can only turn ok into warn. One reading a monitor, whatever the batch holds of it.
 */
export async function decideP95(sql: Sql, accepted: readonly Accepted[]): Promise<Accepted[]> {
  const byMonitor = Map.groupBy(
    accepted.filter(one => one.version.p95.length > 0),
    one => one.result.monitor_id,
  );
  if (byMonitor.size === 0) return [...accepted];
  const samples = new Map<string, Sample[]>();
  for (const [monitorId, own] of byMonitor) samples.set(monitorId, await gather(sql, monitorId, own));
  return accepted.map(one => decide(one, samples.get(one.result.monitor_id) ?? []));
}

async function gather(sql: Sql, monitorId: string, own: readonly Accepted[]): Promise<Sample[]> {
  const until = Math.max(...own.map(one => one.result.scheduled_at));
  const after = Math.min(...own.map(one => one.result.scheduled_at - longestWindowMs(one)));
  const byKey = new Map<string, Sample>();
  const arriving = own.flatMap(({ result }) => sampleOf(result));
  for (const sample of [...arriving, ...(await samplesIn(sql, monitorId, after, until))]) {
    byKey.set(`${sample.region} ${sample.scheduled_at} ${sample.attempt}`, sample);
  }
  return [...byKey.values()];
}

function decide(one: Accepted, samples: readonly Sample[]): Accepted {
  const { result, version } = one;
  if (version.p95.length === 0 || result.status === 'err') return one;
  const outcomes = version.p95.map(({ index, assertion }) => {
    const after = result.scheduled_at - assertion.window_minutes * 60_000;
    const inWindow = samples.filter(
      sample => sample.scheduled_at > after && sample.scheduled_at <= result.scheduled_at,
    );
    return judgeP95(
      index,
      assertion,
      inWindow.map(sample => sample.latency_ms),
    );
  });
  const assertions = [...result.assertions, ...outcomes].sort((left, right) => left.index - right.index);
  const status = outcomes.some(outcome => outcome.passed === false) ? 'warn' : result.status;
  const decided = { ...result, assertions, status } as const;
  return { version, result: { ...decided, detail: detailOf(decided) } };
}

function longestWindowMs({ version }: Accepted): number {
  return Math.max(...version.p95.map(({ assertion }) => assertion.window_minutes)) * 60_000;
}

function sampleOf(result: NewResult): Sample[] {
  const { region, scheduled_at, attempt, latency_ms, kind, status } = result;
  return kind === 'scheduled' && status !== 'err' && latency_ms !== null
    ? [{ region, scheduled_at, attempt, latency_ms }]
    : [];
}
