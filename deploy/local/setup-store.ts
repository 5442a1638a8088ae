import type { Sql } from '#control-plane/platform/db/sql.ts';

/** Whether a token of this hash is valid in the project. */
export async function tokenExists(sql: Sql, hash: Buffer, projectId: string): Promise<boolean> {
  const row = await sql.row`
    select 1 from tokens where hash = ${hash} and project_id = ${projectId} and revoked_at is null`;
  return row !== null;
}

/** Whether an agent with a secret of this hash is enrolled. */
export async function agentExists(sql: Sql, secretHash: Buffer): Promise<boolean> {
  return (await sql.row`select 1 from agents where secret_hash = ${secretHash} and revoked_at is null`) !== null;
}

/** Revokes the agent of this name in a region, if there is one, so that the name is free again. */
export async function revokeAgentByName(sql: Sql, region: string, name: string): Promise<void> {
  await sql.run`
    update agents
    set revoked_at = now(), online = false, changed_xid = pg_current_xact_id()
    where region = ${region} and name = ${name} and revoked_at is null`;
}
