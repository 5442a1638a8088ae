import type { z } from 'zod';
import { ownResultSchema, type StoredResult, type WireResult, wireResultSchema } from '#shared/check-result.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { offsetMs } from '#shared/slots.ts';
import type { CertificateWarning } from '../../monitors/alert-rules.ts';
import type { UnchangedRecords } from '../../monitors/versions/unchanged.ts';
import { isWellFormed } from './well-formed.ts';

/** The part of a monitor's version that results under it are checked and judged by. */
export type VersionRules = {
  projectId: string;
  /** When the version came into force. */
  atMs: number;
  regions: readonly string[];
  intervalMs: number;
  timeoutMs: number;
  p95: readonly { index: number; assertion: { operator: 'lt' | 'lte'; value_ms: number; window_minutes: number } }[];
  /** Which certificates turn a good check to `warn`. */
  warning: CertificateWarning;
  /** Indexes of the assertions whose failure only warns. */
  warnOn: readonly number[];
  /** Which records must not change; null for none. */
  unchanged?: UnchangedRecords | null | undefined;
};

/** Why a result is not stored; the agent drops it and counts the reason. */
export type RefusalReason =
  | 'malformed'
  | 'unknown_monitor'
  | 'not_its_region'
  | 'too_old'
  | 'in_future'
  | 'not_its_slot'
  | 'too_many';

/** Raw retention minus a day, so that the original of a duplicate is always still stored. */
export const acceptedAgeMs = 29 * dayMs;
const aheadMs = 5 * minuteMs;
/** A check ends within this time of its slot; a history is read by slots so far back. */
export const slotMs = 10 * minuteMs;
const slackMs = minuteMs;

/** Parses one result of a message; null if malformed. */
export function parseResult(value: unknown): WireResult | null {
  if (isWellFormed(value)) return value;
  const parsed = wireResultSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

/** The same for a result that the control plane made itself. */
export function parseOwnResult(value: unknown): StoredResult | null {
  const parsed = ownResultSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}

const keyFields = { seq: true, monitor_id: true, config_version: true, kind: true, attempt: true } as const;
const salvagedSchema = wireResultSchema.pick({
  ...keyFields,
  scheduled_at: true,
  started_at: true,
  completed_at: true,
});

/**
 * What is stored in the place of a result that does not parse: that the probe failed there and then. Null if not even
 * its key is right.
 */
export function salvageResult(value: unknown): WireResult | null {
  const { data } = salvagedSchema.safeParse(value);
  const message = 'the agent reported a result of a form that is not understood';
  return data === undefined ? null : faultOfProbe(data, { code: 'protocol_error', message });
}

/**
 * The result itself, or a fault of the probe in its place if the check lasted longer than it may: the host of the agent
 * was suspended meanwhile. Its end is then the latest one possible.
 */
export function faultIfTooLong(result: StoredResult, version: VersionRules, nowMs: number): StoredResult {
  if (result.kind !== 'scheduled' && result.kind !== 'confirm') return result;
  const latest = result.started_at + version.timeoutMs + slackMs;
  if (result.completed_at <= latest || result.completed_at > nowMs + aheadMs) return result;
  const message = 'the check lasted too long: the host of the agent was suspended or its clock was set';
  const { seq, monitor_id, config_version, attempt, scheduled_at, started_at } = result;
  const key = {
    seq,
    monitor_id,
    config_version,
    kind: result.kind,
    attempt,
    scheduled_at,
    started_at,
    completed_at: latest,
  };
  return faultOfProbe(key, { code: 'timeout', message });
}

function faultOfProbe(key: z.infer<typeof salvagedSchema>, error: NonNullable<WireResult['error']>): WireResult {
  return {
    ...key,
    status: 'err',
    latency_ms: null,
    timings: null,
    status_code: null,
    error,
    failure_source: 'probe',
    assertions: [],
    remote_ip: null,
    bytes: 0,
    truncated: false,
    tls: null,
  };
}

/** Null if the result may be stored. An agent can report only for monitors assigned to its region in that version. */
export function refusalOf(
  result: StoredResult,
  region: string,
  version: VersionRules | undefined,
  nowMs: number,
): RefusalReason | null {
  if (version === undefined) return 'unknown_monitor';
  if (!version.regions.includes(region)) return 'not_its_region';
  if (result.completed_at < result.started_at || result.started_at < result.scheduled_at - aheadMs) return 'malformed';
  if (Math.min(result.scheduled_at, result.completed_at) < nowMs - acceptedAgeMs) return 'too_old';
  if (Math.max(result.scheduled_at, result.started_at, result.completed_at) > nowMs + aheadMs) return 'in_future';
  if (result.completed_at > result.scheduled_at + slotMs) return 'not_its_slot';
  return null;
}

/**
 * Whether the version calls for a check at that time. A scheduled one belongs to a slot of its region, or to the
 * instant the version came into force; an agent may have run it an interval before the change was stored. A
 * confirmation starts within a minute, unless it waits for a check of the same monitor.
 */
export function fitsSchedule(result: StoredResult, region: string, version: VersionRules): boolean {
  const { scheduled_at: scheduledAt } = result;
  const { intervalMs, timeoutMs, atMs } = version;
  if (result.kind === 'confirm') return result.started_at <= scheduledAt + 2 * timeoutMs + slackMs;
  if (scheduledAt === atMs) return true;
  const offset = offsetMs(result.monitor_id, intervalMs, region, version.regions);
  return scheduledAt >= atMs - intervalMs && (scheduledAt - offset) % intervalMs === 0;
}
