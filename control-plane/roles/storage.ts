import { type Clock, toTimestamp } from '#shared/clock.ts';
import { ConfigError } from '#shared/env.ts';
import type { Logger } from '#shared/log.ts';
import type { ControlPlaneConfig, Role } from '../config.ts';
import { findSendingPause } from '../delivery/notifications/sending-store.ts';
import { clockOffsetMaxMs, DatabaseClock } from '../platform/db/clock.ts';
import { isPlainRemote } from '../platform/db/database-url.ts';
import type { Pools } from '../platform/db/pool.ts';
import { bypassingRole } from '../platform/db/schema/check-role.ts';
import { migrate, schemaGaps } from '../platform/db/schema/migrate.ts';
import { tooNewSentence } from '../platform/db/schema/schema-state.ts';
import type { Edition } from '../platform/db/series/edition.ts';
import { openSeries, type SeriesStore } from '../platform/db/series/series.ts';
import { type Sql, sqlOf } from '../platform/db/sql.ts';
import { waitForDatabase, waitForSchema } from '../platform/db/wait-for-database.ts';
import type { CommitTimes } from '../platform/http/commit-times.ts';

export type Storage = { edition: Edition; series: SeriesStore };

/**
 * Migrates and makes the next partitions. Waits while the database cannot be reached, or is too new for this version;
 * throws if it refuses us.
 */
export async function openStorage(
  config: Pick<ControlPlaneConfig, 'databaseUrl' | 'storage' | 'allowSuperuser'>,
  pools: Pools,
  clock: Clock,
  log: Logger,
): Promise<Storage> {
  const sql = sqlOf(pools.background);
  if (isPlainRemote(config.databaseUrl))
    log.warn('the connection to the database is not encrypted: add sslmode=verify-full to DATABASE_URL');
  const migration = {
    connectionString: config.databaseUrl,
    storage: config.storage,
    log: (line: string) => log.info(line),
  };
  // Before anything is made that would belong to the wrong role.
  await waitForDatabase(() => checkRole(sql, config.allowSuperuser, log), log);
  const { edition } = await waitForSchema(() => waitForDatabase(() => migrate(migration), log), log);
  const series = await openSeries(pools.background, sql, edition);
  pools.server.onChange(series.forget);
  // Another replica may be making the same partitions, or a long reader holds them up.
  await waitForDatabase(() => series.ensureAhead(clock.now()), log);
  return { edition, series };
}

async function checkRole(sql: Sql, allowed: boolean, log: Logger): Promise<void> {
  const role = await bypassingRole(sql);
  if (role === null) return;
  const problem = `the database role ${role} bypasses row-level security, which separates projects`;
  if (!allowed) throw new ConfigError(`${problem}: use one that is not a superuser, or set ALLOW_SUPERUSER=1`);
  log.warn({ role }, problem);
}

type Readiness = { ready: boolean; checks: Record<string, unknown> };

const readinessMs = 1000;
const waitingMaxMs = 60_000;
/** As long as those are let in who were known before. */
const withoutDatabaseMs = 15 * 60_000;

/**
 * What /readyz answers: ready when the database answers, its schema is ours, its clock was measured and agrees with
 * ours, and nothing has waited a minute for its commit. Asked at most once a second, however many ask: nobody needs a
 * token for it.
 */
export function readinessOf(services: {
  pools: Pools;
  edition: Edition;
  roles: readonly Role[];
  clock: Clock;
  /** For each writer how long the oldest of what it has not committed has waited, in milliseconds. */
  writers: ReadonlyMap<string, () => number>;
  commits: CommitTimes;
  /** True if results and events are accepted for a while without the database: we must not lose our traffic. */
  outlivesDatabase: boolean;
}): () => Promise<Readiness> {
  let last: { atMs: number; answer: Promise<Readiness> } | null = null;
  // We are opened once it has answered.
  let answeredAtMs = performance.now();
  const ask = async (nowMs: number): Promise<Readiness> => {
    const { ready, checks } = await readiness(services);
    if (checks.database === 'ok') answeredAtMs = nowMs;
    const isBridged = services.outlivesDatabase && checks.database !== 'ok' && nowMs - answeredAtMs < withoutDatabaseMs;
    return { ready: ready || isBridged, checks };
  };
  return () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.atMs > readinessMs) last = { atMs: nowMs, answer: ask(nowMs) };
    return last.answer;
  };
}

async function readiness({
  pools,
  edition,
  roles,
  clock,
  writers,
  commits,
}: Parameters<typeof readinessOf>[0]): Promise<Readiness> {
  const clockOffsetMs = clock instanceof DatabaseClock ? offsetOf(clock) : 0;
  const waiting = [...writers].map(([name, waitingMs]) => [name, Math.round(waitingMs())] as const);
  const common = {
    storage: edition,
    roles,
    clock_offset_ms: clockOffsetMs,
    waiting_ms: Object.fromEntries(waiting),
    last_commit_ms: commits.agesMs(),
  };
  const isStuck = waiting.some(([, ms]) => ms > waitingMaxMs);
  try {
    const sql = sqlOf(pools.health);
    const { pending, missing } = await schemaGaps(sql);
    const hold = await findSendingPause(sql);
    const [needed] = missing;
    const migrations = needed !== undefined ? tooNewSentence(needed) : pending.length === 0 ? 'ok' : pending;
    const isOnTime = clockOffsetMs !== null && Math.abs(clockOffsetMs) <= clockOffsetMaxMs;
    const ready = migrations === 'ok' && isOnTime && !isStuck;
    const sending = hold === null ? 'ok' : { paused_at: toTimestamp(hold.since) };
    return { ready, checks: { database: 'ok', migrations, sending, ...common } };
  } catch {
    return { ready: false, checks: { database: 'unavailable', migrations: 'unknown', ...common } };
  }
}

/** Null while it is not known. */
function offsetOf(clock: DatabaseClock): number | null {
  return clock.isMeasured ? Math.round(clock.offsetMs) : null;
}
