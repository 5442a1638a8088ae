import { instant, type Sql } from '../../platform/db/sql.ts';

/** A heartbeat that a signal is for. */
export type Receiver = {
  monitor_id: string;
  project_id: string;
  config_version: number;
  post_only: boolean;
  keep_output: boolean;
};

/** Receivers by the hashes of secrets and aliases, those that are deleted left out. */
export async function findReceivers(
  sql: Sql,
  hashes: readonly Buffer[],
  nowMs: number,
): Promise<(Receiver & { hash: Buffer })[]> {
  return sql.rows`
    select f.hash, m.id as monitor_id, m.project_id, m.config_version,
      (m.own->>'post_only')::boolean as post_only, (m.own->>'keep_output')::boolean as keep_output
    from (
      select secret_hash as hash, monitor_id
      from heartbeats
      where secret_hash = any(${hashes}::bytea[])
      union all
      select previous_hash, monitor_id
      from heartbeats
      where previous_hash = any(${hashes}::bytea[]) and previous_until > ${instant(nowMs)}
      union all
      select hash, monitor_id
      from heartbeat_aliases
      where hash = any(${hashes}::bytea[])
    ) as f
    join monitors m on m.id = f.monitor_id
    where m.deleted_at is null`;
}

/** The project that a signal key is of; null if it is none's. */
export async function findProjectOfKey(sql: Sql, hash: Buffer, nowMs: number): Promise<string | null> {
  const row = await sql.row<{ project_id: string }>`
    select project_id
    from signal_keys
    where hash = ${hash} or (previous_hash = ${hash} and previous_until > ${instant(nowMs)})`;
  return row?.project_id ?? null;
}

export async function findReceiverBySlug(sql: Sql, projectId: string, slug: string): Promise<Receiver | null> {
  return sql.row<Receiver>`
    select m.id as monitor_id, m.project_id, m.config_version,
      (m.own->>'post_only')::boolean as post_only, (m.own->>'keep_output')::boolean as keep_output
    from heartbeats h
    join monitors m on m.id = h.monitor_id
    where h.project_id = ${projectId} and h.slug = ${slug} and m.deleted_at is null`;
}

export type SignalKeyRow = { sealed_key: Buffer };

export async function findSignalKey(sql: Sql, projectId: string): Promise<SignalKeyRow | null> {
  return sql.row<SignalKeyRow>`select sealed_key from signal_keys where project_id = ${projectId}`;
}

/** A key for a project that has none; nothing if another made one meanwhile. */
export async function insertSignalKey(
  sql: Sql,
  row: { projectId: string; hash: Buffer; sealed: Uint8Array; atMs: number },
): Promise<void> {
  await sql.run`
    insert into signal_keys (project_id, hash, sealed_key, rotated_at)
    values (${row.projectId}, ${row.hash}, ${row.sealed}, ${instant(row.atMs)})
    on conflict (project_id) do nothing`;
}

export async function replaceSignalKey(
  sql: Sql,
  row: { projectId: string; hash: Buffer; sealed: Uint8Array; previousUntil: number; atMs: number },
): Promise<void> {
  await sql.run`
    insert into signal_keys as current (project_id, hash, sealed_key, rotated_at)
    values (${row.projectId}, ${row.hash}, ${row.sealed}, ${instant(row.atMs)})
    on conflict (project_id) do update
    set previous_hash = current.hash, previous_until = ${instant(row.previousUntil)}, hash = excluded.hash,
      sealed_key = excluded.sealed_key, rotated_at = excluded.rotated_at`;
}

export type SealedText = { id: string; sealed: Buffer };

/** Locks a page of the secrets of heartbeats after an id. */
export async function lockSecrets(sql: Sql, afterId: string, limit: number): Promise<SealedText[]> {
  return sql.rows`
    select monitor_id as id, sealed_secret as sealed
    from heartbeats
    where monitor_id > ${afterId}
    order by monitor_id
    limit ${limit}
    for update`;
}

export async function writeSecret(sql: Sql, id: string, sealed: Uint8Array): Promise<void> {
  await sql.run`update heartbeats set sealed_secret = ${sealed} where monitor_id = ${id}`;
}

/** The same of the keys of projects. */
export async function lockKeys(sql: Sql, afterId: string, limit: number): Promise<SealedText[]> {
  return sql.rows`
    select project_id as id, sealed_key as sealed
    from signal_keys
    where project_id > ${afterId}
    order by project_id
    limit ${limit}
    for update`;
}

export async function writeKey(sql: Sql, id: string, sealed: Uint8Array): Promise<void> {
  await sql.run`update signal_keys set sealed_key = ${sealed} where project_id = ${id}`;
}

/** One creation of the slug at a time, until the transaction ends. */
export async function lockSlug(sql: Sql, projectId: string, slug: string): Promise<void> {
  await sql.run`select pg_advisory_xact_lock(hashtextextended(${`slug ${projectId} ${slug}`}, 0))`;
}
