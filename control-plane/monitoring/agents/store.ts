import { capabilities, gatewayCapabilities, hostCapabilities } from '#shared/capabilities.ts';
import { newId } from '#shared/ids.ts';
import { newerThan } from '../../platform/db/keyset.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { capabilitiesOfAgent, capabilitiesOfRegion, incapableOfAgent } from '../monitors/state/unable-store.ts';
import type { AgentRow, Incapable } from './agent.ts';

/** An agent's identity. */
export type EnrolledAgent = { id: string; region: string; name: string };

/** An agent that connects. That of a private region runs at a customer's, so that what it reports is not trusted. */
export type AdmittedAgent = EnrolledAgent & { isPrivate: boolean };

/** Words of work that this version can give to agents. */
const knownWords = [...capabilities, ...hostCapabilities];

const identityColumns = fragment`id, region, name`;
/** Columns of `agents a join regions r`. */
const columns = fragment`
  a.id, a.region, a.name, a.version, a.online, a.disconnected_at, a.last_seen_at, a.clock_offset_ms, a.assignments,
  a.checks_per_second, a.queue_depth, a.missed_slots, a.late_starts, a.results_dropped, a.spool_count, a.spool_failing,
  ${capabilitiesOfAgent} as capabilities, ${incapableOfAgent} as incapable, r.project_id is not null as private,
  a.created_at`;

/** False if a region with the code exists. `projectId` null makes a shared region. */
export async function insertRegion(
  sql: Sql,
  region: { code: string; name: string; projectId: string | null },
  nowMs: number,
): Promise<boolean> {
  const inserted = await sql.run`
    insert into regions (code, name, project_id, created_at)
    values (${region.code}, ${region.name}, ${region.projectId}, ${instant(nowMs)})
    on conflict do nothing`;
  return inserted === 1;
}

/** Null if the region does not exist. Throws a unique violation if an unrevoked agent of the region has the name. */
export async function insertAgent(
  sql: Sql,
  agent: { region: string; name: string; secretHash: Uint8Array },
  nowMs: number,
): Promise<EnrolledAgent | null> {
  return sql.row<EnrolledAgent>`
    insert into agents (id, region, name, secret_hash, created_at)
    select ${newId('agt', nowMs)}, code, ${agent.name}, ${agent.secretHash}, ${instant(nowMs)}
    from regions
    where code = ${agent.region}
    returning ${identityColumns}`;
}

/** The unrevoked agents with these secrets, by the hash in base64. */
export async function findAgentsBySecret(
  sql: Sql,
  secretHashes: readonly Uint8Array[],
): Promise<Map<string, AdmittedAgent>> {
  const rows = await sql.rows<AdmittedAgent & { secret_hash: Buffer }>`
    select a.secret_hash, a.id, a.region, a.name, r.project_id is not null as "isPrivate"
    from agents a
    join regions r on r.code = a.region
    where a.secret_hash = any(${secretHashes}::bytea[]) and a.revoked_at is null`;
  return new Map(rows.map(({ secret_hash, ...agent }) => [secret_hash.toString('base64'), agent]));
}

/** False if there is no such agent, or it is already revoked. */
export async function revokeAgent(sql: Sql, id: string, nowMs: number): Promise<boolean> {
  const revoked = await sql.run`
    update agents
    set revoked_at = ${instant(nowMs)}, online = false, session_id = null, changed_xid = pg_current_xact_id()
    where id = ${id} and revoked_at is null`;
  if (revoked > 0) await notifyConfig(sql);
  return revoked > 0;
}

/** A session that begins, and what its agent says of itself. */
export type Arrival = {
  agentId: string;
  sessionId: string;
  version: string;
  capabilities: readonly string[];
  incapable: readonly Incapable[];
};

/** A session that ended. `cleanClose`: the agent said so. */
export type Departure = { agentId: string; sessionId: string; cleanClose: boolean };

/** Records sessions, one an agent, in place of older ones on any replica. Returns the agents that are not revoked. */
export async function markConnected(sql: Sql, arrivals: readonly Arrival[], nowMs: number): Promise<Set<string>> {
  const ids = arrivals.map(({ agentId }) => agentId);
  const connected = await sql.rows<{ id: string }>`
    update agents a
    set online = true,
      session_id = v.session_id,
      version = v.version,
      capabilities = array(select json_array_elements_text(v.capabilities)),
      capable_session = v.session_id,
      able = array(
        select word
        from json_array_elements_text(v.capabilities) as word
        where word = any(${knownWords}::text[])
      ) || ${gatewayCapabilities}::text[],
      able_session = v.session_id,
      incapable = v.incapable,
      connected_at = ${instant(nowMs)},
      last_seen_at = ${instant(nowMs)},
      disconnected_at = null,
      changed_xid = pg_current_xact_id()
    from unnest(
      ${ids}::text[],
      ${arrivals.map(({ sessionId }) => sessionId)}::uuid[],
      ${arrivals.map(({ version }) => version)}::text[],
      ${arrivals.map(({ capabilities }) => JSON.stringify(capabilities))}::json[],
      ${arrivals.map(({ incapable }) => JSON.stringify(incapable))}::json[]
    ) as v (id, session_id, version, capabilities, incapable)
    join (${lockedAgents(ids)}) locked on locked.id = v.id
    where a.id = v.id and locked.revoked_at is null
    returning a.id`;
  if (connected.length > 0) await notifyConfig(sql);
  return new Set(connected.map(({ id }) => id));
}

/** A clean close takes an agent offline at once; a lost connection keeps its assignments for a grace period. */
export async function markDisconnected(sql: Sql, departures: readonly Departure[], nowMs: number): Promise<void> {
  const ids = departures.map(({ agentId }) => agentId);
  const changed = await sql.rows<{ clean: boolean }>`
    update agents a
    set disconnected_at = ${instant(nowMs)},
      online = a.online and not v.clean,
      goodbye_session = case when v.clean then v.session_id end,
      changed_xid = pg_current_xact_id()
    from unnest(
      ${ids}::text[],
      ${departures.map(({ sessionId }) => sessionId)}::uuid[],
      ${departures.map(({ cleanClose }) => cleanClose)}::boolean[]
    ) as v (id, session_id, clean)
    join (${lockedAgents(ids)}) locked on locked.id = v.id
    where a.id = v.id and locked.session_id = v.session_id
    returning v.clean`;
  if (changed.some(({ clean }) => clean)) await notifyConfig(sql);
}

/** Agents, locked in id order: statements that write many of them would otherwise wait for each other in a circle. */
export function lockedAgents(ids: readonly string[]): Fragment {
  return fragment`
    select id, online, session_id, revoked_at, spool_dropped, spool_failing
    from agents
    where id = any(${ids}::text[])
    order by id
    for update`;
}

/**
 * Marks agents offline after `graceMs` without a socket or `deadMs` without a heartbeat. Returns how many. Run by one
 * lease holder.
 */
export async function markGone(sql: Sql, nowMs: number, graceMs: number, deadMs: number): Promise<number> {
  const gone = await sql.run`
    update agents
    set online = false, changed_xid = pg_current_xact_id()
    where online
      and (disconnected_at < ${instant(nowMs - graceMs)} or last_seen_at < ${instant(nowMs - deadMs)})`;
  if (gone > 0) await notifyConfig(sql);
  return gone;
}

/** Makes every replica read changed monitors and agents after the commit. */
export async function notifyConfig(sql: Sql): Promise<void> {
  await sql.run`select pg_notify('config', '')`;
}

/** A page of the shared regions and the project's own by code, with the number of their agents. */
export async function listRegions(
  sql: Sql,
  projectId: string,
  page: Page,
): Promise<{ code: string; name: string; agents_online: number; agents_total: number; capabilities: string[] }[]> {
  const [, afterCode = null] = page.after ?? [];
  return sql.rows`
    select
      r.code,
      r.name,
      count(a.id) filter (where a.online)::integer as agents_online,
      count(a.id)::integer as agents_total,
      ${capabilitiesOfRegion} as capabilities
    from regions r
    left join agents a on a.region = r.code and a.revoked_at is null
    where (r.project_id is null or r.project_id = ${projectId})
      and (${afterCode}::text is null or r.code > ${afterCode}::text)
    group by r.code
    order by r.code
    limit ${page.limit + 1}`;
}

type Reach = { projectId: string; shared: boolean };

/** An agent of the project's private regions, or of a shared one with `shared`. Null if there is none. */
export async function findAgent(sql: Sql, reach: Reach, id: string): Promise<AgentRow | null> {
  return sql.row<AgentRow>`${agentWithin(reach, id)}`;
}

/** The same agent, locked. */
export async function lockAgent(sql: Sql, reach: Reach, id: string): Promise<AgentRow | null> {
  return sql.row<AgentRow>`${agentWithin(reach, id)} for update of a`;
}

function agentWithin({ projectId, shared }: Reach, id: string): Fragment {
  return fragment`
    select ${columns}
    from agents a
    join regions r on r.code = a.region
    where a.id = ${id}
      and a.revoked_at is null
      and (r.project_id = ${projectId} or (${shared} and r.project_id is null))`;
}

/** A page of the agents in the project's private regions, and in shared ones with `shared`. Oldest first. */
export async function listAgents(
  sql: Sql,
  projectId: string,
  shared: boolean,
  region: string | null,
  page: Page,
): Promise<AgentRow[]> {
  return sql.rows<AgentRow>`
    select ${columns}
    from agents a
    join regions r on r.code = a.region
    where a.revoked_at is null
      and (r.project_id = ${projectId} or (${shared} and r.project_id is null))
      and (${region}::text is null or a.region = ${region}::text)
      and ${newerThan(page, fragment`a.created_at, a.id`)}
    order by a.created_at, a.id
    limit ${page.limit + 1}`;
}
