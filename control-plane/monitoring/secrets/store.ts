import { newId } from '#shared/ids.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { valueContext } from '../monitors/secrets/project-secrets-store.ts';
import type { SecretPost, SecretRow, SecretUse } from './secret.ts';

const columns = fragment`
  s.id, s.project_id, s.name, s.description, s.hosts, s.sealed_value, s.version, s.rotated_at, s.created_at,
  s.updated_at,
  (
    select count(*)::integer
    from secret_uses u
    join monitors m on m.id = u.monitor_id
    where u.secret_id = s.id and m.deleted_at is null
  ) as used_by_count`;

/** A page of the project's secrets by name. */
export async function listSecrets(sql: Sql, projectId: string, page: Page): Promise<SecretRow[]> {
  const [, afterName = null] = page.after ?? [];
  return sql.rows<SecretRow>`
    select ${columns}
    from secrets s
    where s.project_id = ${projectId} and (${afterName}::text is null or s.name > ${afterName})
    order by s.name
    limit ${page.limit + 1}`;
}

/** Null if the project has no such secret. */
export async function findSecret(sql: Sql, projectId: string, id: string): Promise<SecretRow | null> {
  return sql.row<SecretRow>`
    select ${columns}
    from secrets s
    where s.project_id = ${projectId} and s.id = ${id}`;
}

/** The same, locked. */
export async function lockSecret(sql: Sql, projectId: string, id: string): Promise<SecretRow | null> {
  return sql.row<SecretRow>`
    select ${columns}
    from secrets s
    where s.project_id = ${projectId} and s.id = ${id}
    for update`;
}

/** Monitors that name the secret, by name. */
export async function listUses(sql: Sql, projectId: string, id: string): Promise<SecretUse[]> {
  return sql.rows<SecretUse>`
    select m.id as monitor_id, m.name
    from secret_uses u
    join monitors m on m.id = u.monitor_id
    where u.secret_id = ${id} and u.project_id = ${projectId} and m.deleted_at is null
    order by m.name, m.id`;
}

/** Returns the id; null if the name is taken. */
export async function insertSecret(
  sql: Sql,
  keyring: Keyring,
  { projectId, ...secret }: SecretPost & { projectId: string },
  nowMs: number,
): Promise<string | null> {
  const id = newId('sec', nowMs);
  const at = instant(nowMs);
  const inserted = await sql.run`
    insert into secrets (
      id, project_id, name, description, hosts, sealed_value, version, rotated_at, created_at, updated_at
    )
    values (
      ${id},
      ${projectId},
      ${secret.name},
      ${secret.description},
      ${secret.hosts},
      ${keyring.seal(secret.value, valueContext(id))},
      1,
      ${at},
      ${at},
      ${at}
    )
    on conflict (project_id, name) do nothing`;
  return inserted === 1 ? id : null;
}

/** Writes what a PATCH changes; a new `value` is the next version. */
export async function updateSecret(
  sql: Sql,
  keyring: Keyring,
  { id, description, hosts, value }: { id: string; description: string; hosts: string[] | null; value: string | null },
  nowMs: number,
): Promise<void> {
  const sealed = value === null ? null : keyring.seal(value, valueContext(id));
  await sql.run`
    update secrets
    set description = ${description},
      hosts = ${hosts},
      sealed_value = coalesce(${sealed}, sealed_value),
      version = version + ${sealed === null ? 0 : 1},
      rotated_at = case when ${sealed === null} then rotated_at else ${instant(nowMs)} end,
      updated_at = ${instant(nowMs)}
    where id = ${id}`;
}

export async function deleteSecret(sql: Sql, projectId: string, id: string): Promise<void> {
  await sql.run`delete from secrets where project_id = ${projectId} and id = ${id}`;
}

/** Locks a page of the values of all projects after `afterId`, in id order. */
export async function lockValues(sql: Sql, afterId: string, limit: number): Promise<{ id: string; sealed: Buffer }[]> {
  return sql.rows<{ id: string; sealed: Buffer }>`
    select id, sealed_value as sealed
    from secrets
    where id > ${afterId}
    order by id
    limit ${limit}
    for update`;
}

export async function writeValue(sql: Sql, id: string, sealed: Uint8Array): Promise<void> {
  await sql.run`update secrets set sealed_value = ${sealed} where id = ${id}`;
}
