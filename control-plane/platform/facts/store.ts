import { fragment, instant, type Sql } from '../db/sql.ts';
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

const columns = fragment`id, kind, project_id, subject, payload, at, attempts`;

/** Writes a fact, in the transaction of the change that it describes. */
export async function appendFact(sql: Sql, fact: Fact, atMs: number): Promise<void> {
  const at = instant(atMs);
  await sql.run`
    insert into facts (kind, project_id, subject, payload, at, due_at)
    values (${fact.kind}, ${fact.projectId}, ${fact.subject}, ${JSON.stringify(fact.payload)}, ${at}, ${at})`;
}

/** Writes facts in one statement, however many they are, in the transaction of the change that they describe. */
export async function appendFacts(sql: Sql, facts: readonly Fact[], atMs: number): Promise<void> {
  if (facts.length === 0) return;
  const at = instant(atMs);
  await sql.run`
    insert into facts (kind, project_id, subject, payload, at, due_at)
    select kind, project_id, subject, payload, ${at}::timestamptz, ${at}::timestamptz
    from unnest(
      ${facts.map(fact => fact.kind)}::text[],
      ${facts.map(fact => fact.projectId)}::text[],
      ${facts.map(fact => fact.subject)}::text[],
      ${facts.map(fact => JSON.stringify(fact.payload))}::jsonb[]
    ) with ordinality as given (kind, project_id, subject, payload, position)
    order by position`;
}

/** Whether any fact is due. */
export const isAnyFactDue = (nowMs: number) => fragment`
  exists (select from facts where done_at is null and due_at <= ${instant(nowMs)})`;

/** Projects with due facts, the one that has waited longest first; null stands for the facts of no project. */
export async function listProjectsWithFacts(sql: Sql, nowMs: number, limit: number): Promise<(string | null)[]> {
  const rows = await sql.rows<{ project_id: string | null }>`
    select project_id
    from facts
    where done_at is null and due_at <= ${instant(nowMs)}
    group by project_id
    order by min(due_at)
    limit ${limit}`;
  return rows.map(row => row.project_id);
}

/**
 * Claims due facts of one project until this transaction ends; none if another replica has a turn with the project.
 * What the transaction does with them waits at most three seconds for a lock: longer than autovacuum takes to give way.
 * Never by "id > last": ids are not in the order of commits.
 */
export async function claimFacts(
  sql: Sql,
  projectId: string | null,
  nowMs: number,
  limit: number,
): Promise<StoredFact[]> {
  const turn = await sql.row<{ granted: boolean }>`
    select
      pg_try_advisory_xact_lock(hashtextextended(${`facts ${projectId ?? ''}`}, 0)) as granted,
      set_config('lock_timeout', '3s', true)`;
  if (turn?.granted !== true) return [];
  const ofProject = projectId === null ? fragment`project_id is null` : fragment`project_id = ${projectId}`;
  const rows = await sql.rows<FactRow>`
    select ${columns}
    from facts
    where done_at is null and due_at <= ${instant(nowMs)} and ${ofProject}
    order by due_at, id
    limit ${limit}
    for update skip locked`;
  return rows.map(toFact);
}

/**
 * Facts before this one about the same incident or alert that are not done yet, oldest first. Every change of an
 * incident or alert locks its row, so among its own facts ids are in the order of commits.
 */
export async function listEarlierUndone(sql: Sql, id: number, about: string): Promise<StoredFact[]> {
  const rows = await sql.rows<FactRow>`
    select ${columns}
    from facts
    where done_at is null and id < ${id} and (
      subject = ${about} or payload->>'incident_id' = ${about} or payload->>'maintenance_id' = ${about}
    )
    order by id`;
  return rows.map(toFact);
}

/** Marks facts as done. */
export async function finishFacts(sql: Sql, ids: readonly number[], nowMs: number): Promise<void> {
  await sql.run`update facts set done_at = ${instant(nowMs)} where id = any(${ids}::bigint[])`;
}

/** Counts a failed attempt and makes the fact due again at `dueMs`. */
export async function postponeFact(sql: Sql, id: number, dueMs: number, error: string): Promise<void> {
  await sql.run`
    update facts
    set attempts = attempts + 1, due_at = ${instant(dueMs)}, error = ${error}
    where id = ${id}`;
}

// With more than this the fact that has been due for longest is old enough to alarm anybody.
const postponedMax = 10_000;

/** When the oldest fact came about that is not done yet, also if it was postponed since; null if all are done. */
export async function findOldestUndone(sql: Sql): Promise<number | null> {
  const row = await sql.row<{ at: number | null }>`
    select min(at) as at
    from (
      select at
      from facts
      where done_at is null
      order by due_at
      limit ${postponedMax}
    ) undone`;
  return row?.at ?? null;
}

/** Deletes facts done before an instant and returns how many. */
export async function deleteFactsDoneBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from facts where done_at < ${instant(beforeMs)}`;
}

function toFact({ project_id, ...row }: FactRow): StoredFact {
  return { ...row, projectId: project_id } as StoredFact;
}

/** Marks facts that are pending: a backup may hold what was done after it. */
export async function markRestored(sql: Sql): Promise<void> {
  await sql.run`update facts set payload = payload || '{"restored": true}' where done_at is null`;
}
