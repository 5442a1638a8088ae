import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { type TokenRow, tokenColumns } from '../../platform/projects/store.ts';

/** The living tokens of a person, of one project or of all. */
export async function listPersonalTokens(
  sql: Sql,
  personId: string,
  projectId: string | null,
): Promise<{ id: string; projectId: string }[]> {
  return sql.rows`
    select id, project_id as "projectId"
    from tokens
    where person_id = ${personId} and (${projectId}::text is null or project_id = ${projectId}) and revoked_at is null
    order by id`;
}

/** A page of a person's tokens of all projects, the newest first. */
export async function pageOfPersonalTokens(sql: Sql, personId: string, page: Page): Promise<TokenRow[]> {
  return sql.rows<TokenRow>`
    select ${tokenColumns}
    from tokens
    where person_id = ${personId} and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** The project of a person's token; null if it is not theirs. */
export async function findProjectOfToken(sql: Sql, personId: string, id: string): Promise<string | null> {
  const row = await sql.row<{ project_id: string }>`
    select project_id
    from tokens
    where person_id = ${personId} and id = ${id}`;
  return row?.project_id ?? null;
}
