import type { StoredResult } from '#shared/check-result.ts';
import { factOf, warns } from '../../certificates/certificate.ts';
import { isCounted } from '../roll-up/hour-buckets.ts';
import { binOf } from '../roll-up/latency-bins.ts';
import { delayedOf } from '../storage/detail.ts';
import type { NewResult } from '../storage/insert-store.ts';
import { faultIfTooLong, fitsSchedule, type RefusalReason, refusalOf, type VersionRules } from './accept.ts';
import type { AskedChecks } from './asked-checks.ts';

/** A result and the agent that reported it; `receivedAt` if it was received before it is stored, in milliseconds. */
export type Reported = {
  result: StoredResult;
  agentId: string;
  region: string;
  isPrivate: boolean;
  receivedAt?: number;
};

/** An accepted result, the rules of its version, and its index in what was reported. */
export type Accepted = { result: NewResult; version: VersionRules; index: number; isPrivate: boolean; cast?: Cast };

/** How a signal votes: now, by its time alone, since a later one has voted, or not at all. */
export type Cast = 'now' | 'late' | 'none';

/** Pure: what is refused of a batch, in its order, and what is to be stored, each key once and in the order of keys. */
export function prepareBatch(
  batch: readonly Reported[],
  versions: readonly (VersionRules | undefined)[],
  asked: AskedChecks,
  nowMs: number,
): { refusals: (RefusalReason | null)[]; accepted: Accepted[] } {
  const receivedAt = (report: Reported) => report.receivedAt ?? nowMs;
  const reported = batch.map((report, index) => withinTime(report, versions[index], receivedAt(report)));
  const refusals = reported.map((report, index) => refuse(report, versions[index], asked, receivedAt(report)));
  const prepared = reported.flatMap((report, index) =>
    refusals[index] === null ? prepare(report, index, versions[index], receivedAt(report)) : [],
  );
  return { refusals, accepted: withoutRepeats(prepared.sort(byKey)) };
}

function withinTime(report: Reported, version: VersionRules | undefined, nowMs: number): Reported {
  const result = version === undefined ? report.result : faultIfTooLong(report.result, version, nowMs);
  return result === report.result ? report : { ...report, result };
}

/** What an agent of a private region reports must also be due: it runs at a customer's. */
function refuse(
  { result, region, isPrivate }: Reported,
  version: VersionRules | undefined,
  asked: AskedChecks,
  nowMs: number,
): RefusalReason | null {
  const refusal = refusalOf(result, region, version, nowMs);
  if (refusal !== null || version === undefined || !isPrivate) return refusal;
  const { monitor_id: id, config_version: configVersion, scheduled_at: at } = result;
  const isDue = fitsSchedule(result, region, version) || asked.includes(id, configVersion, region, at);
  return isDue ? null : 'not_its_slot';
}

function prepare(
  { result, agentId, region, isPrivate }: Reported,
  index: number,
  version: VersionRules | undefined,
  receivedAt: number,
): Accepted[] {
  if (version === undefined) return [];
  const delayed = delayedOf(result);
  const latencyMs = delayed === undefined ? result.latency_ms : null;
  const counts = result.status !== 'err' && isCounted(result);
  const bin = counts && latencyMs !== null ? binOf(latencyMs) : null;
  const seenAt = Math.min(result.completed_at, receivedAt);
  // Agents without `tls.facts` say `warn` of a certificate that ends within 14 days: that is no part of the verdict.
  const isWarned =
    version.warning !== null && warns(version.warning, factOf(result, seenAt, version.warning.thresholds));
  const hasFailed = result.assertions.some(({ passed, index }) => passed === false && version.warnOn.includes(index));
  const status = result.status === 'err' ? 'err' : isWarned || hasFailed ? 'warn' : 'ok';
  const stored = { ...result, status, latency_ms: latencyMs, delayed, region, agentId, receivedAt, bin } as const;
  return [{ result: stored, version, index, isPrivate }];
}

/**
 * A group commit can hold two deliveries of one result. The statement must see each key once, or the roll-up would
 * count both. Of two that differ the one that ended first is stored. Those of one monitor and slot are neighbours, and
 * few: a set of keys would take four times as long.
 */
function withoutRepeats(accepted: readonly Accepted[]): Accepted[] {
  const kept: Accepted[] = [];
  let slot = 0;
  for (const item of accepted) {
    const { monitor_id: id, scheduled_at: at, region, kind, attempt } = item.result;
    const first = kept[slot]?.result;
    if (first === undefined || first.scheduled_at !== at || first.monitor_id !== id) slot = kept.length;
    const isSame = ({ result }: Accepted) =>
      result.region === region && result.kind === kind && result.attempt === attempt;
    if (!kept.slice(slot).some(isSame)) kept.push(item);
  }
  return kept;
}

function byKey({ result: left }: Accepted, { result: right }: Accepted): number {
  if (left.monitor_id !== right.monitor_id) return left.monitor_id < right.monitor_id ? -1 : 1;
  return (
    left.scheduled_at - right.scheduled_at || left.completed_at - right.completed_at || left.attempt - right.attempt
  );
}
