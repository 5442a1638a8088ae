import { toTimestamp } from '#shared/clock.ts';
import { secondMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { HeartbeatSettings } from '../kinds/heartbeat.ts';
import { hiddenValue } from '../secrets/hidden.ts';
import { type Advice, adviceOf, successesMax } from './advice.ts';
import { deadlineOf } from './beat.ts';
import { cronTimeAfter, expectedAfter, graceMs } from './expected.ts';
import type { ShownHeartbeat } from './shown.ts';
import { listSuccesses, readBeats, readSecrets, type StoredBeat } from './store.ts';

/** A heartbeat as views need it beside the settings. */
export type HeartbeatOf = { secret: string; stored: StoredBeat; advice: Advice | null };
export type Heartbeats = ReadonlyMap<string, HeartbeatOf>;

/** The heartbeats among monitors. */
export async function readHeartbeats(
  sql: Sql,
  keyring: Keyring,
  monitors: readonly { id: string; settings: { kind?: string | undefined } }[],
  withAdvice: boolean,
): Promise<Heartbeats> {
  const ids = monitors.flatMap(({ id, settings }) => (settings.kind === 'heartbeat' ? id : []));
  const secrets = await readSecrets(sql, keyring, ids);
  const found = new Map<string, HeartbeatOf>();
  for (const [id, stored] of await readBeats(sql, ids)) {
    const advice = withAdvice ? await adviceFor(sql, stored) : null;
    found.set(id, { secret: secrets.get(id) ?? '', stored, advice });
  }
  return found;
}

async function adviceFor(sql: Sql, { monitorId, timing }: StoredBeat): Promise<Advice | null> {
  const times = (await listSuccesses(sql, monitorId, successesMax)).reverse();
  const successes = times.map((at, index) => {
    const before = times[index - 1];
    return { at, expectedAt: before === undefined ? null : (expectedAfter(timing, before)?.at ?? null) };
  });
  return adviceOf(timing, successes);
}

/** Pure: the object of a heartbeat, its interval and its address, as one caller may see them. */
export function viewHeartbeat(
  settings: HeartbeatSettings,
  { secret, stored, advice }: HeartbeatOf,
  { baseUrl, inClear, nowMs }: { baseUrl: string; inClear: boolean; nowMs: number },
): { url: string; interval_seconds: number; heartbeat: ShownHeartbeat } {
  const { beat, timing } = stored;
  const time = (ms: number | null | undefined) => (ms == null ? null : toTimestamp(ms));
  const next = timing.cron === null ? null : cronTimeAfter(timing, nowMs);
  const gapMs = next?.gapMs ?? timing.intervalSeconds * secondMs;
  return {
    url: `${baseUrl}/hb/${inClear ? secret : hiddenValue}`,
    interval_seconds: Math.round(gapMs / secondMs),
    heartbeat: {
      ...settings,
      grace_seconds: Math.round(graceMs(timing, beat.expected?.gapMs ?? gapMs) / secondMs),
      last_success_at: time(beat.lastSuccessAt),
      expected_at: time(beat.expected?.at),
      deadline_at: time(deadlineOf(beat, timing, [])),
      running_since: time(beat.runs.at(-1)?.at),
      advice,
    },
  };
}
