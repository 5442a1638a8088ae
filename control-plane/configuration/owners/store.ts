import { fragment, instant, type Sql } from '../../platform/db/sql.ts';

/** Who manages a resource by documents, and by which key they name it. */
export type Owner = {
  resource_id: string;
  type: string;
  parent_id: string;
  key: string;
  /** Null: nobody any more. */
  managed_by: string | null;
  digest: string;
  seen_at: number;
};

/** Of a resource whose key is from no documents: no item of documents is as it was. */
export const noDigest = '';

/** Taken by who gives a key, and alone by an apply: neither takes away what the other has just given. */
export async function lockKeys(sql: Sql, projectId: string, mode: 'shared' | 'alone'): Promise<void> {
  const lock = mode === 'alone' ? fragment`pg_advisory_xact_lock` : fragment`pg_advisory_xact_lock_shared`;
  await sql.run`select ${lock}(hashtextextended(${`configuration keys ${projectId}`}, 0))`;
}

/** The resource of a key, which may be gone. */
export async function findKey(
  sql: Sql,
  projectId: string,
  { type, parentId, key }: { type: string; parentId: string; key: string },
): Promise<string | null> {
  const row = await sql.row<{ resource_id: string }>`
    select resource_id
    from resource_owners
    where project_id = ${projectId}
      and type = ${type}
      and parent_id = ${parentId}
      and key = ${key}`;
  return row?.resource_id ?? null;
}

/** False if another resource has the key. */
export async function setKey(sql: Sql, projectId: string, owner: Owner): Promise<boolean> {
  const count = await sql.run`
    insert into resource_owners (project_id, resource_id, type, parent_id, key, managed_by, digest, seen_at)
    values (
      ${projectId}, ${owner.resource_id}, ${owner.type}, ${owner.parent_id}, ${owner.key}, ${owner.managed_by},
      ${owner.digest}, ${instant(owner.seen_at)}
    )
    on conflict do nothing`;
  return count === 1;
}

export function listOwners(sql: Sql, projectId: string): Promise<Owner[]> {
  return sql.rows<Owner>`
    select resource_id, type, parent_id, key, managed_by, digest, seen_at
    from resource_owners
    where project_id = ${projectId}`;
}

export function findOwners(sql: Sql, projectId: string, ids: readonly string[]): Promise<Owner[]> {
  return sql.rows<Owner>`
    select resource_id, type, parent_id, key, managed_by, digest, seen_at
    from resource_owners
    where project_id = ${projectId}
      and resource_id = any(${ids}::text[])`;
}

/** Whoever else had one of the keys is gone. */
export async function writeOwners(sql: Sql, projectId: string, owners: readonly Owner[]): Promise<void> {
  if (owners.length === 0) return;
  const json = JSON.stringify(owners.map(owner => ({ ...owner, seen_at: instant(owner.seen_at) })));
  await sql.run`
    delete from resource_owners o
    using jsonb_to_recordset(${json}::jsonb) as n (resource_id text, type text, parent_id text, key text)
    where o.project_id = ${projectId}
      and (
        o.resource_id = n.resource_id
        or (o.type = n.type and o.parent_id = n.parent_id and o.key = n.key)
      )`;
  await sql.run`
    insert into resource_owners (project_id, resource_id, type, parent_id, key, managed_by, digest, seen_at)
    select ${projectId}, n.resource_id, n.type, n.parent_id, n.key, n.managed_by, n.digest, n.seen_at
    from jsonb_to_recordset(${json}::jsonb) as n (
      resource_id text, type text, parent_id text, key text, managed_by text, digest text, seen_at timestamptz
    )`;
}

export async function deleteOwners(sql: Sql, projectId: string, ids: readonly string[]): Promise<void> {
  await sql.run`
    delete from resource_owners
    where project_id = ${projectId}
      and resource_id = any(${ids}::text[])`;
}

/** How many resources of each type each manager has, by manager and type. */
export function countManaged(sql: Sql, projectId: string): Promise<{ manager: string; type: string; count: number }[]> {
  return sql.rows`
    select managed_by as manager, type, count(*) as count
    from resource_owners
    where project_id = ${projectId}
      and managed_by is not null
    group by managed_by, type
    order by managed_by, type`;
}

/** Leaves the resources their keys, but to no manager. Returns their types. */
export async function releaseOwners(
  sql: Sql,
  projectId: string,
  { manager, id, type }: { manager: string | null; id: string | null; type: string | null },
): Promise<string[]> {
  const rows = await sql.rows<{ type: string }>`
    update resource_owners
    set managed_by = null
    where project_id = ${projectId}
      and managed_by is not null
      and (managed_by = ${manager}::text or (resource_id = ${id}::text and type = ${type}::text))
    returning type`;
  return rows.map(row => row.type);
}
