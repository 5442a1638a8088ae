import { type ReadPosition, readPosition } from '../../platform/db/read-position.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { abilitiesOfAgent } from '../monitors/state/unable-store.ts';

/** What every replica knows about every agent: whether and in which session it may run checks, and when it last did. */
export type DirectoryEntry = {
  id: string;
  region: string;
  online: boolean;
  revoked: boolean;
  session_id: string | null;
  /** In milliseconds since the epoch; 0 before its first connection. */
  seen_ms: number;
  /** What it can do, as far as its gateway can give it such work: words parted by blanks. */
  able: string;
};

/** Agents changed since a transaction, and where to read on: no commit is missed, some rows are returned twice. */
export async function readDirectory(
  sql: Sql,
  sinceXid: string,
): Promise<{ agents: DirectoryEntry[]; position: ReadPosition }> {
  const rows = await sql.rows<ReadPosition & Omit<DirectoryEntry, 'id'> & { id: string | null }>`
    select a.id, a.region, a.online, a.revoked_at is not null as revoked, a.session_id,
      coalesce(extract(epoch from a.last_seen_at) * 1000, 0)::float8 as seen_ms,
      array_to_string(${abilitiesOfAgent}, ' ') as able, p.xid, p.server
    from (select ${readPosition}) p
    left join agents a on a.changed_xid >= ${sinceXid}::xid8`;
  const [{ xid, server } = { xid: sinceXid, server: '' }] = rows;
  return {
    agents: rows.flatMap(({ id, region, online, revoked, session_id, seen_ms, able }) =>
      id === null ? [] : { id, region, online, revoked, session_id, seen_ms, able },
    ),
    position: { xid, server },
  };
}

/** An agent's current session according to the database; null if there is no such agent. */
export async function findSession(
  sql: Sql,
  agentId: string,
): Promise<{ session_id: string | null; revoked: boolean } | null> {
  return sql.row`
    select session_id, revoked_at is not null as revoked
    from agents
    where id = ${agentId}`;
}

/** No agent is connected: of a database that was restored. */
export async function forgetSessions(sql: Sql): Promise<void> {
  await sql.run`update agents set online = false, session_id = null`;
}
