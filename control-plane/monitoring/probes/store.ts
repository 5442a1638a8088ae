import { instant, type Sql } from '../../platform/db/sql.ts';
import { abilitiesOfAgent, capabilitiesOfAgent } from '../monitors/state/unable-store.ts';

/** The agents that are online in regions, and whether each can make an attempt at once that needs all of this. */
export async function listAgentsOf(
  sql: Sql,
  regions: readonly string[],
  needs: readonly string[],
): Promise<{ id: string; region: string; able: boolean }[]> {
  return sql.rows`
    select a.id, a.region,
      'probe.now' = any(${capabilitiesOfAgent}) and ${needs}::text[] <@ (${abilitiesOfAgent}) as able
    from agents a
    where a.region = any(${regions}::text[])
      and a.online
      and a.revoked_at is null
      and a.disconnected_at is null
    order by a.id`;
}

/** How many runs of the project are under way. Others of it wait until the transaction ends. */
export async function countRuns(sql: Sql, projectId: string, nowMs: number): Promise<number> {
  await sql.run`select pg_advisory_xact_lock(hashtextextended(${`probes of ${projectId}`}, 0))`;
  const row = await sql.row<{ runs: number }>`
    select count(distinct run_id)::integer as runs
    from probes
    where project_id = ${projectId} and expires_at > ${instant(nowMs)}`;
  return row?.runs ?? 0;
}

export type NewProbe = { id: string; agentId: string; sealed: Uint8Array };

/** Puts requests on their way; every replica learns for which agents there are some. */
export async function insertProbes(
  sql: Sql,
  run: { id: string; projectId: string; expiresAt: number },
  probes: readonly NewProbe[],
): Promise<void> {
  await sql.run`
    insert into probes (id, project_id, run_id, agent_id, sealed_request, expires_at)
    select id, ${run.projectId}, ${run.id}, agent_id, sealed, ${instant(run.expiresAt)}
    from unnest(
      ${probes.map(({ id }) => id)}::text[],
      ${probes.map(({ agentId }) => agentId)}::text[],
      ${probes.map(({ sealed }) => sealed)}::bytea[]
    ) as new (id, agent_id, sealed)`;
  await sql.run`select pg_notify('probe', ${probes.map(({ agentId }) => agentId).join()})`;
}

export type TakenProbe = { id: string; agent_id: string; sealed_request: Buffer; expires_at: number };

/** The requests for the agents, each taken once. */
export async function takeProbes(sql: Sql, agentIds: readonly string[], nowMs: number): Promise<TakenProbe[]> {
  return sql.rows<TakenProbe>`
    update probes
    set taken_at = ${instant(nowMs)}
    where agent_id = any(${agentIds}::text[])
      and taken_at is null
      and expires_at > ${instant(nowMs)}
    returning id, agent_id, sealed_request, expires_at`;
}

/** Stores an answer until it is read; every replica learns of which run. */
export async function answerProbe(sql: Sql, id: string, sealed: Uint8Array): Promise<void> {
  await sql.run`
    with answered as (
      update probes
      set sealed_answer = ${sealed}
      where id = ${id}
      returning run_id
    )
    select pg_notify('probed', run_id)
    from answered`;
}

export async function readAnswers(sql: Sql, runId: string): Promise<{ id: string; sealed_answer: Buffer }[]> {
  return sql.rows`
    select id, sealed_answer
    from probes
    where run_id = ${runId} and sealed_answer is not null`;
}

export async function deleteRun(sql: Sql, runId: string): Promise<void> {
  await sql.run`delete from probes where run_id = ${runId}`;
}

/** Deletes what a replica that ended left behind. */
export async function deleteProbesBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from probes where expires_at < ${instant(beforeMs)}`;
}
