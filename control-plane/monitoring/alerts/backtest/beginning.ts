import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { rawDays } from '../../checks/storage/insert-store.ts';
import { listSuccesses, readBeats } from '../../monitors/heartbeats/store.ts';
import type { StoredVersion } from '../../verdicts/store.ts';
import type { Standing } from '../../verdicts/timeline.ts';
import type { StoredSignal } from './store.ts';

/** From where signals are read again, and what came before that is known without being stored. */
export type Beginning = { start: number; seed: readonly StoredSignal[] };

/** What is known of the signals around the start of a range. `lastSuccessAt` and `lastVoteAt` are those of now. */
type Known = {
  successBefore: number | null;
  lastSuccessAt: number | null;
  lastVoteAt: number | null;
};

/** Null if it is not stored any more what was expected at the start of the range. */
export async function findBeginning(
  sql: Sql,
  monitorId: string,
  versions: readonly StoredVersion[],
  fromMs: number,
  nowMs: number,
): Promise<Beginning | null> {
  const [successBefore = null] = await listSuccesses(sql, monitorId, 1, fromMs);
  const beat = (await readBeats(sql, [monitorId])).get(monitorId)?.beat;
  const known = { successBefore, lastSuccessAt: beat?.lastSuccessAt ?? null, lastVoteAt: beat?.lastVoteAt ?? null };
  return beginningOf(versions, known, fromMs, nowMs);
}

/**
 * Pure: the last success before the range says what was expected; the starts of runs that go on then are at most a day
 * older. It is enough to know that the monitor began anew since, or that no later success came until now.
 */
function beginningOf(
  versions: readonly StoredVersion[],
  { successBefore, lastSuccessAt, lastVoteAt }: Known,
  fromMs: number,
  nowMs: number,
): Beginning | null {
  const inForce = versions.findLastIndex(({ at }) => at <= fromMs);
  const current = versions[inForce];
  if (current === undefined) return { start: fromMs, seed: [] };
  const oldestMs = nowMs - rawDays * dayMs;
  if (fromMs < oldestMs) return null;
  if (!isJudgedBy(current)) return { start: fromMs, seed: [] };
  const paused = versions.findLastIndex((version, index) => index < inForce && !isJudgedBy(version));
  const begunAt = versions[paused + 1]?.at ?? current.at;
  // Before its version, which is an event of the replay.
  const begun = { start: begunAt - 1, seed: [] };
  if (successBefore !== null && successBefore >= begunAt)
    return { start: Math.max(successBefore - dayMs, begun.start), seed: [] };
  if (begunAt >= oldestMs) return begun;
  if (versions.slice(inForce).some(version => !isJudgedBy(version))) return null;
  if (lastSuccessAt === null) return { start: oldestMs, seed: [] };
  if (lastSuccessAt > fromMs) return null;
  const version = current.rules.configVersion;
  const failed = lastVoteAt !== null && lastVoteAt > lastSuccessAt && lastVoteAt < oldestMs ? lastVoteAt : null;
  const seed = [
    seedOf('success', lastSuccessAt, version),
    ...(failed === null ? [] : [seedOf('fail', failed, version)]),
  ];
  return { start: Math.min(lastSuccessAt, oldestMs) - 1, seed };
}

/** A heartbeat waits for its first signal without end. */
export function beforeSignals(standing: Standing): Standing {
  return { ...standing, verdict: standing.rules.enabled ? 'pending' : 'paused' };
}

export function isJudgedBy({ rules }: Pick<StoredVersion, 'rules'>): boolean {
  return rules.enabled && !rules.deleted;
}

/** A signal whose result is not stored any more. */
function seedOf(type: 'success' | 'fail', at: number, configVersion: number): StoredSignal {
  const signal = { type, exit_code: null, run_seconds: null, rid: null, source: 'hb' } as const;
  return {
    region: 'heartbeat',
    status: type === 'fail' ? 'err' : 'ok',
    failure_source: type === 'fail' ? 'target' : null,
    attempt: 1,
    scheduled_at: at,
    started_at: at,
    completed_at: at,
    received_at: at,
    config_version: configVersion,
    status_code: null,
    latency_ms: null,
    detail: { assertions: [], error: null, tls: null, facts: { signal } },
  };
}
