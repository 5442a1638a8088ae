import { secondMs } from '#shared/duration.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

const betweenMs = secondMs;

/**
 * Takes the next turn at a server, on any replica: null if it is taken, else how many milliseconds the server is to be
 * left alone for.
 */
export async function takeTurn(sql: Sql, server: string, nowMs: number): Promise<number | null> {
  const taken = await sql.row`
    insert into rdap_servers as current (server, free_at)
    values (${server}, ${instant(nowMs + betweenMs)})
    on conflict (server) do update
    set free_at = excluded.free_at
    where current.free_at <= ${instant(nowMs)}
    returning 1`;
  if (taken !== null) return null;
  const row = await sql.row<{ free_at: number }>`
    select free_at
    from rdap_servers
    where server = ${server}`;
  return Math.max(1, (row?.free_at ?? nowMs) - nowMs);
}

/** Leaves a server alone until an instant. */
export async function leaveAlone(sql: Sql, server: string, untilMs: number): Promise<void> {
  await sql.run`
    insert into rdap_servers as current (server, free_at)
    values (${server}, ${instant(untilMs)})
    on conflict (server) do update
    set free_at = greatest(current.free_at, excluded.free_at)`;
}

/** The servers among these that are left alone for longer than the next turn. */
export async function listLeftAlone(sql: Sql, servers: readonly string[], nowMs: number): Promise<Set<string>> {
  const rows = await sql.rows<{ server: string }>`
    select server
    from rdap_servers
    where server = any(${servers}::text[]) and free_at > ${instant(nowMs + betweenMs)}`;
  return new Set(rows.map(row => row.server));
}

export async function deleteTurnsBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`
    delete from rdap_servers
    where free_at < ${instant(beforeMs)}`;
}
