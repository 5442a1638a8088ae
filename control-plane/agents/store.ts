import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { AgentRow } from './agent.ts';

export type EnrolledAgent = { id: string; region: string; name: string };

/** What a replica knows of every agent: who may run checks. */
export type RosterRow = { id: string; region: string; online: boolean; revoked: boolean; session_id: string | null };

export type Vitals = {
  agentId: string;
  sessionId: string;
  clockOffsetMs: number | null;
  assignments: number;
  checksPerSecond: number;
  queueDepth: number;
  /** Since the last heartbeat. */
  missedSlots: number;
};

export async function insertRegion(
  sql: Sql,
  region: { code: string; name: string; projectId: string | null },
  nowMs: number,
): Promise<boolean> {
  return (
    (await sql.run(
      'insert into regions (code, name, project_id, created_at) values ($1, $2, $3, $4) on conflict do nothing',
      [region.code, region.name, region.projectId, instant(nowMs)],
    )) === 1
  );
}

/** Null when the region does not exist. Throws a unique violation when a living agent there has the name. */
export async function insertAgent(
  sql: Sql,
  agent: { region: string; name: string; secretHash: Uint8Array },
  nowMs: number,
): Promise<EnrolledAgent | null> {
  return sql.row<EnrolledAgent>(
    `insert into agents (id, region, name, secret_hash, created_at) select $1, code, $3, $4, $5 from regions where code = $2 returning id, region, name`,
    [newId('agt', nowMs), agent.region, agent.name, agent.secretHash, instant(nowMs)],
  );
}

export async function findAgentBySecret(sql: Sql, secretHash: Uint8Array): Promise<EnrolledAgent | null> {
  return sql.row<EnrolledAgent>('select id, region, name from agents where secret_hash = $1 and revoked_at is null', [
    secretHash,
  ]);
}

/** False when there is no such agent, or it is revoked already. */
export async function revokeAgent(sql: Sql, id: string, nowMs: number): Promise<boolean> {
  const revoked = await sql.run(
    'update agents set revoked_at = $2, online = false, session_id = null, changed_xid = pg_current_xact_id() where id = $1 and revoked_at is null',
    [id, instant(nowMs)],
  );
  if (revoked > 0) await notifyConfig(sql);
  return revoked > 0;
}

/** False when the agent was revoked meanwhile. Replaces an older session wherever it is. */
export async function markConnected(
  sql: Sql,
  agentId: string,
  sessionId: string,
  version: string,
  nowMs: number,
): Promise<boolean> {
  const connected = await sql.run(
    `update agents set online = true, session_id = $2, version = $3, connected_at = $4, last_seen_at = $4, disconnected_at = null,
       changed_xid = pg_current_xact_id() where id = $1 and revoked_at is null`,
    [agentId, sessionId, version, instant(nowMs)],
  );
  if (connected > 0) await notifyConfig(sql);
  return connected > 0;
}

/** One that said good-bye is offline at once, so that its share moves; one that vanished keeps it for a moment. */
export async function markDisconnected(
  sql: Sql,
  agentId: string,
  sessionId: string,
  leaving: boolean,
  nowMs: number,
): Promise<void> {
  const changed = await sql.run(
    `update agents set disconnected_at = $3, online = online and not $4, changed_xid = pg_current_xact_id() where id = $1 and session_id = $2`,
    [agentId, sessionId, instant(nowMs), leaving],
  );
  if (changed > 0 && leaving) await notifyConfig(sql);
}

/** Writes what living sessions know and returns the agents whose session is still the one we hold. */
export async function writeHeartbeats(sql: Sql, vitals: readonly Vitals[], nowMs: number): Promise<string[]> {
  const rows = await sql.rows<{ id: string; revived: boolean }>(
    `update agents a set last_seen_at = $8, online = true, disconnected_at = null,
       changed_xid = case when before.online then a.changed_xid else pg_current_xact_id() end, clock_offset_ms = v.clock_offset_ms, assignments = v.assignments, checks_per_second = v.checks_per_second,
       queue_depth = v.queue_depth, missed_slots = a.missed_slots + v.missed_slots
     from unnest($1::text[], $2::uuid[], $3::double precision[], $4::integer[], $5::double precision[], $6::integer[], $7::bigint[])
       as v (id, session_id, clock_offset_ms, assignments, checks_per_second, queue_depth, missed_slots) join agents before on before.id = v.id
     where a.id = v.id and a.session_id = v.session_id and a.revoked_at is null returning a.id, not before.online as revived`,
    [
      vitals.map(one => one.agentId),
      vitals.map(one => one.sessionId),
      vitals.map(one => one.clockOffsetMs),
      vitals.map(one => one.assignments),
      vitals.map(one => one.checksPerSecond),
      vitals.map(one => one.queueDepth),
      vitals.map(one => one.missedSlots),
      instant(nowMs),
    ],
  );
  // Taken for gone while the database was away: its share comes back.
  if (rows.some(row => row.revived)) await notifyConfig(sql);
  return rows.map(row => row.id);
}

/** Takes the share of agents that are gone: their socket for `graceMs`, or any sign of them for `deadMs`. Run by one lease holder. */
export async function markGone(sql: Sql, nowMs: number, graceMs: number, deadMs: number): Promise<number> {
  const gone = await sql.run(
    'update agents set online = false, changed_xid = pg_current_xact_id() where online and (disconnected_at < $1 or last_seen_at < $2)',
    [instant(nowMs - graceMs), instant(nowMs - deadMs)],
  );
  if (gone > 0) await notifyConfig(sql);
  return gone;
}

/** Agents changed by transactions not before `sinceXid`, and where to read on: no commit is missed, some rows come twice. */
export async function readRoster(sql: Sql, sinceXid: string): Promise<{ agents: RosterRow[]; nextXid: string }> {
  const rows = await sql.rows<RosterRow & { next_xid: string }>(
    `select a.id, a.region, a.online, a.revoked_at is not null as revoked, a.session_id, x.next_xid from
       (select pg_snapshot_xmin(pg_current_snapshot())::text as next_xid) x left join agents a on a.changed_xid >= $1::xid8`,
    [sinceXid],
  );
  return { agents: rows.filter(row => row.id !== null), nextXid: rows[0]?.next_xid ?? sinceXid };
}

/** Which session the database holds for an agent now. */
export async function findSession(
  sql: Sql,
  agentId: string,
): Promise<{ session_id: string | null; revoked: boolean } | null> {
  return sql.row('select session_id, revoked_at is not null as revoked from agents where id = $1', [agentId]);
}

export async function notifyConfig(sql: Sql): Promise<void> {
  await sql.run("select pg_notify('config', '')");
}

/** Shared regions and the project's own, with their agents. */
export async function listRegions(
  sql: Sql,
  projectId: string,
  page: Page,
): Promise<{ code: string; name: string; agents_online: number; agents_total: number }[]> {
  return sql.rows(
    `select r.code, r.name, count(a.id) filter (where a.online)::integer as agents_online, count(a.id)::integer as agents_total
     from regions r left join agents a on a.region = r.code and a.revoked_at is null
     where (r.project_id is null or r.project_id = $1) and ($2::text is null or r.code > $2) group by r.code order by r.code limit $3`,
    [projectId, page.after?.[1] ?? null, page.limit + 1],
  );
}

/** Agents of the project's private regions; with `shared` also of the operator's. Oldest first. */
export async function listAgents(
  sql: Sql,
  projectId: string,
  shared: boolean,
  region: string | null,
  page: Page,
): Promise<AgentRow[]> {
  return sql.rows<AgentRow>(
    `select a.id, a.region, a.name, a.version, a.online, a.disconnected_at, a.last_seen_at, a.clock_offset_ms, a.assignments, a.checks_per_second,
       a.queue_depth, a.missed_slots, a.created_at
     from agents a join regions r on r.code = a.region
     where a.revoked_at is null and (r.project_id = $1 or ($2 and r.project_id is null)) and ($3::text is null or a.region = $3)
       and ($4::timestamptz is null or (a.created_at, a.id) > ($4, $5)) order by a.created_at, a.id limit $6`,
    [projectId, shared, region, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
}
