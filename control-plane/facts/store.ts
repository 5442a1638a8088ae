import { instant, type Sql } from '../db/sql.ts';
import type { Fact, StoredFact } from './fact.ts';

type FactRow = {
  id: number;
  kind: string;
  project_id: string | null;
  subject: string;
  payload: unknown;
  at: number;
  attempts: number;
};

/** Writes a fact in the transaction of the change it tells of. */
export async function appendFact(sql: Sql, fact: Fact, atMs: number): Promise<void> {
  await sql.run('insert into facts (kind, project_id, subject, payload, at, due_at) values ($1, $2, $3, $4, $5, $5)', [
    fact.kind,
    fact.projectId,
    fact.subject,
    JSON.stringify(fact.payload),
    instant(atMs),
  ]);
}

/** Takes due facts until this transaction ends; other replicas skip them. Never by "id > last": ids do not follow commits. */
export async function claimFacts(sql: Sql, nowMs: number, limit: number): Promise<StoredFact[]> {
  const rows = await sql.rows<FactRow>(
    `select id, kind, project_id, subject, payload, at, attempts from facts
     where done_at is null and due_at <= $1 order by due_at, id limit $2 for update skip locked`,
    [instant(nowMs), limit],
  );
  return rows.map(toFact);
}

/**
 * Facts before this one that nobody has followed yet and that tell of the same incident or alert, oldest first. Whoever
 * changes one of these holds its row, so that within it ids do follow commits.
 */
export async function listEarlierUndone(sql: Sql, id: number, about: string): Promise<StoredFact[]> {
  const rows = await sql.rows<FactRow>(
    `select id, kind, project_id, subject, payload, at, attempts from facts
     where done_at is null and id < $1 and (subject = $2 or payload->>'incident_id' = $2) order by id`,
    [id, about],
  );
  return rows.map(toFact);
}

export async function finishFacts(sql: Sql, ids: readonly number[], nowMs: number): Promise<void> {
  await sql.run('update facts set done_at = $2 where id = any($1::bigint[])', [ids, instant(nowMs)]);
}

export async function postponeFact(sql: Sql, id: number, dueMs: number, error: string): Promise<void> {
  await sql.run('update facts set attempts = attempts + 1, due_at = $2, error = $3 where id = $1', [
    id,
    instant(dueMs),
    error,
  ]);
}

export async function deleteFactsDoneBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run('delete from facts where done_at < $1', [instant(beforeMs)]);
}

function toFact({ project_id, ...row }: FactRow): StoredFact {
  return { ...row, projectId: project_id } as StoredFact;
}
