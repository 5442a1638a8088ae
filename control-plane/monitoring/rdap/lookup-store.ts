import { instant, type Sql } from '../../platform/db/sql.ts';
import { type Standing, sayingOf } from './standing.ts';

/** What is stored of a name. `lookedUpAt` and `standing` are null before the first lookup. */
export type StoredLookup = { name: string; dueAt: number; lookedUpAt: number | null; standing: Standing | null };

type Row = { name: string; due_at: number; looked_up_at: number | null; standing: Standing | null };

/** Whether any enabled monitor is about a domain. */
export async function isDomainWatched(sql: Sql): Promise<boolean> {
  const row = await sql.row<{ watched: boolean }>`
    select exists (
      select 1
      from monitors
      where kind = 'domain' and deleted_at is null and enabled
    ) as watched`;
  return row?.watched === true;
}

/** Makes rows for names of enabled monitors that have none. They are due at once. */
export async function insertWanted(sql: Sql, nowMs: number): Promise<void> {
  await sql.run`
    insert into domain_lookups (name, due_at)
    select distinct m.own->>'name', ${instant(nowMs)}::timestamptz
    from monitors m
    where m.kind = 'domain'
      and m.deleted_at is null
      and m.enabled
      and not exists (
        select 1
        from domain_lookups l
        where l.name = m.own->>'name'
      )
    on conflict do nothing`;
}

/**
 * Names that are due and that an enabled monitor has: those that were never looked up first, then one of each project
 * in turn, so that a project with many names waits for itself.
 */
export async function listDueNames(sql: Sql, nowMs: number, limit: number): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>`
    with due as (
      select l.name, l.due_at, l.looked_up_at is null as is_new, min(m.project_id) as project_id
      from domain_lookups l
      join monitors m on m.own->>'name' = l.name
      where l.due_at <= ${instant(nowMs)}
        and m.kind = 'domain'
        and m.deleted_at is null
        and m.enabled
      group by l.name
    )
    select name
    from due
    order by is_new desc, row_number() over (partition by is_new, project_id order by due_at, name), due_at, name
    limit ${limit}`;
  return rows.map(row => row.name);
}

/** Null if nothing is stored of the name. */
export async function findLookup(sql: Sql, name: string): Promise<StoredLookup | null> {
  const row = await sql.row<Row>`
    select name, due_at, looked_up_at, standing
    from domain_lookups
    where name = ${name}`;
  return row === null ? null : fromRow(row);
}

export async function listLookups(sql: Sql, names: readonly string[]): Promise<Map<string, StoredLookup>> {
  if (names.length === 0) return new Map();
  const rows = await sql.rows<Row>`
    select name, due_at, looked_up_at, standing
    from domain_lookups
    where name = any(${names}::text[])`;
  return new Map(rows.map(row => [row.name, fromRow(row)]));
}

/**
 * Stores what a lookup came to, for its monitors to get. False if another replica stored one since `lookedUpAt`.
 */
export async function writeLookup(
  sql: Sql,
  { name, lookedUpAt }: Pick<StoredLookup, 'name' | 'lookedUpAt'>,
  { standing, dueAt }: { standing: Standing; dueAt: number },
  nowMs: number,
): Promise<boolean> {
  const written = await sql.run`
    update domain_lookups
    set standing = ${JSON.stringify(standing)},
      casts = ${sayingOf(standing, nowMs).cast},
      due_at = ${instant(dueAt)},
      looked_up_at = ${instant(nowMs)},
      delivered = false
    where name = ${name} and looked_up_at is not distinct from ${instant(lookedUpAt)}::timestamptz`;
  return written > 0;
}

/** Lookups whose monitors do not have the result yet. */
export async function listUndelivered(sql: Sql, limit: number): Promise<StoredLookup[]> {
  const rows = await sql.rows<Row>`
    select name, due_at, looked_up_at, standing
    from domain_lookups
    where not delivered
    order by name
    limit ${limit}`;
  return rows.map(fromRow);
}

export async function markDelivered(sql: Sql, { name, lookedUpAt }: StoredLookup): Promise<void> {
  await sql.run`
    update domain_lookups
    set delivered = true
    where name = ${name} and looked_up_at = ${instant(lookedUpAt)}`;
}

/** Names that no monitor has had since: a monitor's name is looked up every day. */
export async function deleteLookupsBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`
    delete from domain_lookups l
    where coalesce(l.looked_up_at, l.due_at) < ${instant(beforeMs)}
      and not exists (
        select 1
        from monitors m
        where m.kind = 'domain' and m.deleted_at is null and m.own->>'name' = l.name
      )`;
}

function fromRow({ name, due_at, looked_up_at, standing }: Row): StoredLookup {
  return { name, dueAt: due_at, lookedUpAt: looked_up_at, standing };
}
