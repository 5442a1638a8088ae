import type { Assertion } from '#shared/assertions/assertion.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { isLeftOut } from '../../../platform/failures/store.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { Beat, Run } from './beat.ts';
import type { Timing } from './expected.ts';

/** A row of `heartbeats` with the settings of its monitor. */
export type HeartbeatRow = {
  monitor_id: string;
  project_id: string;
  last_success_at: number | null;
  last_vote_at: number | null;
  expected_at: number | null;
  expected_from: number | null;
  gap_ms: number | null;
  started_at: number | null;
  runs: Run[];
  missed_at: number | null;
  due_at: number | null;
  interval_seconds: number;
  assertions: Assertion[];
  own: { cron: string | null; timezone: string; grace_seconds: number | null; max_run_seconds: number | null };
};

/** What judging needs of a heartbeat. */
export type StoredBeat = {
  monitorId: string;
  projectId: string;
  beat: Beat;
  timing: Timing;
  dueAt: number | null;
  assertions: readonly Assertion[];
};

const beatColumns = fragment`
  h.monitor_id, h.project_id, h.last_success_at, h.last_vote_at, h.expected_at, h.expected_from, h.gap_ms, h.started_at,
  h.runs, h.missed_at, h.due_at, m.interval_seconds, m.own,
  m.assertions`;

/** Heartbeats by monitor. Whoever changes them has locked the states of their monitors. */
export async function readBeats(sql: Sql, monitorIds: readonly string[]): Promise<Map<string, StoredBeat>> {
  if (monitorIds.length === 0) return new Map();
  const rows = await sql.rows<HeartbeatRow>`
    select ${beatColumns}
    from heartbeats h
    join monitors m on m.id = h.monitor_id
    where h.monitor_id = any(${monitorIds}::text[])`;
  return new Map(rows.map(row => [row.monitor_id, toBeat(row)]));
}

function toBeat(row: HeartbeatRow): StoredBeat {
  const { expected_at: at, expected_from: from, gap_ms: gapMs, own } = row;
  return {
    monitorId: row.monitor_id,
    projectId: row.project_id,
    dueAt: row.due_at,
    assertions: row.assertions,
    timing: {
      cron: own.cron,
      timezone: own.timezone,
      graceSeconds: own.grace_seconds,
      maxRunSeconds: own.max_run_seconds,
      intervalSeconds: row.interval_seconds,
    },
    beat: {
      lastSuccessAt: row.last_success_at,
      lastVoteAt: row.last_vote_at,
      expected: at === null || from === null || gapMs === null ? null : { at, from, gapMs: Number(gapMs) },
      startedAt: row.started_at,
      runs: row.runs,
      missedAt: row.missed_at,
    },
  };
}

/** Writes what signals and time changed, in one statement. */
export async function writeBeats(
  sql: Sql,
  changed: readonly { monitorId: string; beat: Beat; dueAt: number | null }[],
): Promise<void> {
  if (changed.length === 0) return;
  const times = (of: (beat: Beat) => number | null) => changed.map(({ beat }) => instant(of(beat)));
  await sql.run`
    update heartbeats as h
    set last_success_at = n.last_success_at,
      last_vote_at = n.last_vote_at,
      expected_at = n.expected_at,
      expected_from = n.expected_from,
      gap_ms = n.gap_ms,
      started_at = n.started_at,
      runs = n.runs,
      missed_at = n.missed_at,
      due_at = n.due_at
    from unnest(
      ${changed.map(({ monitorId }) => monitorId)}::text[],
      ${times(beat => beat.lastSuccessAt)}::timestamptz[],
      ${times(beat => beat.lastVoteAt)}::timestamptz[],
      ${times(beat => beat.expected?.at ?? null)}::timestamptz[],
      ${times(beat => beat.expected?.from ?? null)}::timestamptz[],
      ${changed.map(({ beat }) => beat.expected?.gapMs ?? null)}::bigint[],
      ${times(beat => beat.startedAt)}::timestamptz[],
      ${changed.map(({ beat }) => JSON.stringify(beat.runs))}::json[],
      ${times(beat => beat.missedAt)}::timestamptz[],
      ${changed.map(({ dueAt }) => instant(dueAt))}::timestamptz[]
    ) as n (
      monitor_id, last_success_at, last_vote_at, expected_at, expected_from, gap_ms, started_at, runs, missed_at, due_at
    )
    where h.monitor_id = n.monitor_id`;
}

/** Heartbeats whose time was up at `untilMs`, the longest first, but those that failed lately. */
export async function listDue(
  sql: Sql,
  nowMs: number,
  untilMs: number,
  limit: number,
): Promise<{ monitor_id: string; expected_at: number | null }[]> {
  return sql.rows`
    select monitor_id, expected_at
    from heartbeats
    where due_at <= ${instant(untilMs)}
      and not ${isLeftOut('deadlines', fragment`monitor_id`, nowMs)}
    order by due_at
    limit ${limit}`;
}

/** The secret of a new heartbeat; one that is there keeps its own. */
export async function insertHeartbeat(
  sql: Sql,
  row: { monitorId: string; projectId: string; hash: Buffer; sealed: Uint8Array; atMs: number },
): Promise<void> {
  await sql.run`
    insert into heartbeats (monitor_id, project_id, secret_hash, sealed_secret, created_at)
    values (${row.monitorId}, ${row.projectId}, ${row.hash}, ${row.sealed}, ${instant(row.atMs)})
    on conflict (monitor_id) do nothing`;
}

/** The addresses that the settings give; throws a unique violation if another monitor has one. */
export async function writeAddresses(
  sql: Sql,
  of: { monitorId: string; projectId: string },
  slug: string | null,
  aliases: readonly Buffer[],
): Promise<void> {
  await sql.run`update heartbeats set slug = ${slug} where monitor_id = ${of.monitorId}`;
  await sql.run`
    delete from heartbeat_aliases
    where monitor_id = ${of.monitorId} and hash <> all(${aliases}::bytea[])`;
  const own = await sql.rows<{ hash: Buffer }>`
    select hash from heartbeat_aliases where monitor_id = ${of.monitorId}`;
  const known = new Set(own.map(({ hash }) => hash.toString('hex')));
  const added = aliases.filter(hash => !known.has(hash.toString('hex')));
  if (added.length === 0) return;
  await sql.run`
    insert into heartbeat_aliases (hash, monitor_id, project_id)
    select hash, ${of.monitorId}, ${of.projectId}
    from unnest(${added}::bytea[]) as hash`;
}

/** Replaces the secret; the one before works until an instant. */
export async function replaceSecret(
  sql: Sql,
  monitorId: string,
  { hash, sealed, previousUntil }: { hash: Buffer; sealed: Uint8Array; previousUntil: number },
): Promise<void> {
  await sql.run`
    update heartbeats
    set previous_hash = secret_hash, previous_until = ${instant(previousUntil)}, secret_hash = ${hash},
      sealed_secret = ${sealed}
    where monitor_id = ${monitorId}`;
}

/** Secrets in clear, by monitor. */
export async function readSecrets(
  sql: Sql,
  keyring: Keyring,
  monitorIds: readonly string[],
): Promise<Map<string, string>> {
  if (monitorIds.length === 0) return new Map();
  const rows = await sql.rows<{ monitor_id: string; sealed_secret: Buffer }>`
    select monitor_id, sealed_secret
    from heartbeats
    where monitor_id = any(${monitorIds}::text[])`;
  return new Map(rows.map(row => [row.monitor_id, keyring.open(row.sealed_secret, secretContext(row.monitor_id))]));
}

export function secretContext(monitorId: string): string {
  return `heartbeat ${monitorId}`;
}

/** Fronts that took signals after an instant. */
export async function listAttendance(sql: Sql, sinceMs: number): Promise<{ startedAt: number; renewedAt: number }[]> {
  return sql.rows`
    select started_at as "startedAt", renewed_at as "renewedAt"
    from front_attendance
    where renewed_at >= ${instant(sinceMs)}`;
}

/** Says that a front takes signals now. */
export async function attend(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    insert into front_attendance (id, started_at, renewed_at)
    values (${id}, ${instant(nowMs)}, ${instant(nowMs)})
    on conflict (id) do update
    set renewed_at = excluded.renewed_at`;
}

export async function deleteAttendanceBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from front_attendance where renewed_at < ${instant(beforeMs)}`;
}

/**
 * Successes of a monitor until an instant, newest first, by the results that are stored; also those whose run failed an
 * assertion.
 */
export async function listSuccesses(
  sql: Sql,
  monitorId: string,
  limit: number,
  untilMs: number | null = null,
): Promise<number[]> {
  const rows = await sql.rows<{ at: number }>`
    select scheduled_at as at
    from check_results
    where monitor_id = ${monitorId}
      ${untilMs === null ? fragment`` : fragment`and scheduled_at <= ${instant(untilMs)}`}
      and region = 'heartbeat'
      and kind = 'signal'
      and attempt <= 16000
      and (status <> 'err' or coalesce(detail->>'error', '') = '')
    order by scheduled_at desc
    limit ${limit}`;
  return rows.map(row => row.at);
}
