import { type Fragment, fragment, type Sql } from '../db/sql.ts';
import { Problem } from '../http/problem.ts';
import { eventBytesKey, nameOf, type Quotas, quotasOf, type Resource, resources, storedMaximum } from './quota.ts';

/** Resources that are rows. */
type RowResource = Exclude<Resource, 'event_bytes_per_day'>;

/** How the rows of a resource are counted. The wing that owns them says so. */
export type RowCount<Name extends RowResource = RowResource> = {
  resource: Name;
  /** Counts rows that have a `project_id`. */
  used: Fragment;
  /** What counts as one: the deleted, the revoked and the ended do not. */
  living: Fragment;
};
export type RowCounts = { readonly [Name in RowResource]: RowCount<Name> };

/** A count of the rows of a table, or of what stands after `from`. */
export function rowCount<Name extends RowResource>(resource: Name, rows: Fragment, living: Fragment): RowCount<Name> {
  return { resource, used: fragment`select count(*) as used from ${rows}`, living };
}

export const everyRow = fragment`true`;
export const notDeleted = fragment`deleted_at is null`;

const livingTokens = fragment`revoked_at is null and (expires_at is null or expires_at > now())`;
export const tokenCount = rowCount('tokens', fragment`tokens`, livingTokens);

/** What a project may have and has. */
export type QuotaUse = { resource: Resource; maximum: number; used: number };

/**
 * Takes the lock of a quota until the transaction ends. Whoever locks rows of the project as well takes this first, or
 * two requests could wait for each other.
 */
export async function lockQuota(sql: Sql, projectId: string, resource: Resource): Promise<void> {
  await sql.run`select pg_advisory_xact_lock(hashtextextended(${`quota ${projectId} ${resource}`}, 0))`;
}

/**
 * Checks that `adding` more fit, in the transaction that creates them: two at once cannot both take the last place.
 * Throws `limit_reached`.
 */
export async function requireQuota(sql: Sql, projectId: string, count: RowCount, adding = 1): Promise<void> {
  if (adding > 0) await checkQuota(sql, projectId, count, adding);
}

/** The same after something was created of which it was not known beforehand whether it is new. */
export function requireWithinQuota(sql: Sql, projectId: string, count: RowCount): Promise<void> {
  return checkQuota(sql, projectId, count, 0);
}

async function checkQuota(sql: Sql, projectId: string, count: RowCount, adding: number): Promise<void> {
  const { resource } = count;
  await lockQuota(sql, projectId, resource);
  const maximum = (await readQuotas(sql, projectId))[resource];
  const used = await countRows(sql, projectId, count, count.living);
  if (used + adding > maximum) {
    const detail = `the project may have at most ${maximum} ${nameOf(resource)}; ask your operator for more`;
    throw new Problem('limit_reached', { detail, extra: { resource, maximum, limit: maximum, used } });
  }
  await checkStored(sql, projectId, { count, maximum }, adding);
}

/** What was deleted or is over takes room until it is deleted for good. */
async function checkStored(
  sql: Sql,
  projectId: string,
  quota: { count: RowCount; maximum: number },
  adding: number,
): Promise<void> {
  const { resource } = quota.count;
  const maximum = storedMaximum(resource, quota.maximum);
  if (maximum === null) return;
  const used = await countRows(sql, projectId, quota.count, everyRow);
  if (used + adding <= maximum) return;
  const name = resource.replaceAll('_', ' ');
  const detail =
    `the project stores ${used} ${name}, including those that were deleted or have ended, and may store ${maximum}; ` +
    'deleted ones are removed after 30 days; ask your operator for more';
  throw new Problem('limit_reached', { detail, extra: { resource, maximum, limit: maximum, used } });
}

/** Every quota of a project with its use. */
export async function listQuotaUse(sql: Sql, projectId: string, counts: RowCounts): Promise<QuotaUse[]> {
  const quotas = await readQuotas(sql, projectId);
  const uses: QuotaUse[] = [];
  for (const resource of resources)
    uses.push({ resource, maximum: quotas[resource], used: await countUsed(sql, projectId, counts, resource) });
  return uses;
}

/** Sets one quota of a project; null goes back to its plan's. */
export async function setQuota(sql: Sql, projectId: string, resource: Resource, maximum: number | null): Promise<void> {
  if (maximum === null) {
    await sql.run`delete from project_quotas where project_id = ${projectId} and resource = ${resource}`;
    return;
  }
  await sql.run`
    insert into project_quotas (project_id, resource, maximum)
    values (${projectId}, ${resource}, ${maximum})
    on conflict (project_id, resource) do update set maximum = excluded.maximum`;
}

/** The project's quotas: its plan's, and what the operator set. */
export async function readQuotas(sql: Sql, projectId: string): Promise<Quotas> {
  const rows = await sql.rows<{ plan: string; resource: string | null; maximum: number | null }>`
    select p.plan, q.resource, q.maximum
    from projects p
    left join project_quotas q on q.project_id = p.id
    where p.id = ${projectId}`;
  const overrides = rows.flatMap(({ resource, maximum }) => {
    const known = resources.find(name => name === resource);
    return known === undefined || maximum === null ? [] : [[known, maximum] as const];
  });
  return quotasOf(rows[0]?.plan ?? '', Object.fromEntries(overrides));
}

async function countUsed(sql: Sql, projectId: string, counts: RowCounts, resource: Resource): Promise<number> {
  if (resource === 'event_bytes_per_day') return countEventBytes(sql, projectId);
  const count = counts[resource];
  return countRows(sql, projectId, count, count.living);
}

async function countRows(sql: Sql, projectId: string, { used }: RowCount, condition: Fragment): Promise<number> {
  const row = await sql.row<{ used: number }>`${used} where project_id = ${projectId} and ${condition}`;
  return row?.used ?? 0;
}

/** The row starts at zero each day, and every event takes its bytes from it. */
async function countEventBytes(sql: Sql, projectId: string): Promise<number> {
  const row = await sql.row<{ used: number }>`
    select round(-tokens)::bigint as used
    from ingest_buckets
    where key = ${eventBytesKey(projectId, Date.now())}`;
  return row?.used ?? 0;
}
