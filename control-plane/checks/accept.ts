import { type WireResult, wireResultSchema } from '#shared/check-result.ts';

/** What of a monitor's version decides about a result that names it. */
export type VersionRules = {
  projectId: string;
  regions: readonly string[];
  intervalMs: number;
  timeoutMs: number;
  p95: readonly { index: number; assertion: { operator: 'lt' | 'lte'; value_ms: number; window_minutes: number } }[];
};

/** Why a result is not stored; the agent drops it and counts the reason. */
export type RefusalReason = 'malformed' | 'unknown_monitor' | 'not_its_region' | 'too_old' | 'in_future';

/** Raw retention less a day, so that the key of a duplicate always still exists. */
export const acceptedAgeMs = 29 * 86_400_000;
const aheadMs = 5 * 60_000;
const slackMs = 60_000;

/** Reads one result of a message; null when it has not the form of one. */
export function parseResult(value: unknown): WireResult | null {
  const parsed = wireResultSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** Null when the result may be stored. An agent can report only for monitors that its region had under that version. */
export function refusalOf(
  result: WireResult,
  region: string,
  version: VersionRules | undefined,
  nowMs: number,
): RefusalReason | null {
  if (version === undefined) return 'unknown_monitor';
  if (!version.regions.includes(region)) return 'not_its_region';
  const lastedMs = result.completed_at - result.started_at;
  if (lastedMs < 0 || lastedMs > version.timeoutMs + slackMs || result.started_at < result.scheduled_at - aheadMs)
    return 'malformed';
  if (Math.min(result.scheduled_at, result.completed_at) < nowMs - acceptedAgeMs) return 'too_old';
  if (Math.max(result.scheduled_at, result.started_at, result.completed_at) > nowMs + aheadMs) return 'in_future';
  return null;
}
