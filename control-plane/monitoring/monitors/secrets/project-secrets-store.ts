import type { Sql } from '../../../platform/db/sql.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { StoredMonitor } from '../row.ts';
import { namesOf } from './uses.ts';

/** A secret of the project in clear, and the hosts that may get it; null for all. */
export type ProjectSecret = { id: string; value: string; hosts: readonly string[] | null };

/** Monitors that may use one secret: its rotation gives each a new version. */
const usesMax = 500;

/** What the value of a secret is sealed for. */
export function valueContext(id: string): string {
  return `secret ${id} value`;
}

/**
 * Locks what a project's secrets may be used for until the transaction ends: who changes a monitor shares the lock, who
 * changes a secret that monitors use has it alone. Take it before all others.
 */
export async function lockSecretUses(sql: Sql, projectId: string, mode: 'shared' | 'alone'): Promise<void> {
  const key = `secrets ${projectId}`;
  if (mode === 'shared') await sql.run`select pg_advisory_xact_lock_shared(hashtextextended(${key}, 0))`;
  else await sql.run`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
}

/** The project's secrets of these names, by name. */
export async function readSecretsNamed(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  names: readonly string[],
): Promise<Map<string, ProjectSecret>> {
  if (names.length === 0) return new Map();
  type Row = { id: string; name: string; hosts: string[] | null; sealed_value: Buffer };
  const rows = await sql.rows<Row>`
    select id, name, hosts, sealed_value
    from secrets
    where project_id = ${projectId} and name = any(${names}::text[])`;
  return new Map(
    rows.map(({ id, name, hosts, sealed_value }) => [
      name,
      { id, hosts, value: keyring.open(sealed_value, valueContext(id)) },
    ]),
  );
}

/** Stores which secrets the monitor names, and no others. Throws `limit_reached` for one that too many name. */
export async function writeUses(
  sql: Sql,
  { id: monitorId, projectId, settings, secretFields }: StoredMonitor,
): Promise<void> {
  const names = namesOf(settings, secretFields);
  const secrets = await sql.rows<{ id: string; name: string }>`
    select id, name
    from secrets
    where project_id = ${projectId} and name = any(${names}::text[])
    order by id
    for update`;
  const ids = secrets.map(({ id }) => id);
  await sql.run`delete from secret_uses where monitor_id = ${monitorId} and secret_id <> all(${ids}::text[])`;
  if (ids.length === 0) return;
  await sql.run`
    insert into secret_uses (secret_id, monitor_id, project_id)
    select id, ${monitorId}, ${projectId}
    from unnest(${ids}::text[]) as id
    on conflict do nothing`;
  const full = await sql.row<{ name: string; used: number }>`
    select s.name, count(*)::integer as used
    from secrets s
    join secret_uses u on u.secret_id = s.id
    join monitors m on m.id = u.monitor_id and m.deleted_at is null
    where s.id = any(${ids}::text[])
    group by s.id
    having count(*) > ${usesMax}
    limit 1`;
  if (full === null) return;
  throw new Problem('limit_reached', {
    detail: `at most ${usesMax} monitors may use the secret ${full.name}`,
    extra: { resource: 'secret_uses', maximum: usesMax, limit: usesMax, used: full.used - 1 },
  });
}

/** A deleted monitor uses no secret. */
export async function deleteUses(sql: Sql, monitorId: string): Promise<void> {
  await sql.run`delete from secret_uses where monitor_id = ${monitorId}`;
}
