import { type Fragment, fragment, type Sql } from '../db/sql.ts';
import { Problem } from '../http/problem.ts';
import { eventBytesKey, nameOf, type Quotas, quotasOf, type Resource, resources, storedMaximum } from './quota.ts';

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
export async function requireQuota(sql: Sql, projectId: string, resource: Resource, adding = 1): Promise<void> {
  if (adding > 0) await checkQuota(sql, projectId, resource, adding);
}

/** The same after something was created of which it was not known beforehand whether it is new. */
export function requireWithinQuota(sql: Sql, projectId: string, resource: Resource): Promise<void> {
  return checkQuota(sql, projectId, resource, 0);
}

async function checkQuota(sql: Sql, projectId: string, resource: Resource, adding: number): Promise<void> {
  await lockQuota(sql, projectId, resource);
  const maximum = (await readQuotas(sql, projectId))[resource];
  const used = await countUsed(sql, projectId, resource);
  if (used + adding > maximum) {
    const detail = `the project may have at most ${maximum} ${nameOf(resource)}; ask your operator for more`;
    throw new Problem('limit_reached', { detail, extra: { resource, maximum, limit: maximum, used } });
  }
  await checkStored(sql, projectId, { resource, maximum }, adding);
}

/** What was deleted or is over takes room until it is deleted for good. */
async function checkStored(
  sql: Sql,
  projectId: string,
  quota: { resource: Resource; maximum: number },
  adding: number,
): Promise<void> {
  const { resource } = quota;
  const maximum = storedMaximum(resource, quota.maximum);
  if (maximum === null) return;
  const used = await countWhere(sql, projectId, resource, fragment`true`);
  if (used + adding <= maximum) return;
  const name = resource.replaceAll('_', ' ');
  const detail =
    `the project stores ${used} ${name}, including those that were deleted or have ended, and may store ${maximum}; ` +
    'deleted ones are removed after 30 days; ask your operator for more';
  throw new Problem('limit_reached', { detail, extra: { resource, maximum, limit: maximum, used } });
}

/** Every quota of a project with its use. */
export async function listQuotaUse(sql: Sql, projectId: string): Promise<QuotaUse[]> {
  const quotas = await readQuotas(sql, projectId);
  const uses: QuotaUse[] = [];
  for (const resource of resources)
    uses.push({ resource, maximum: quotas[resource], used: await countUsed(sql, projectId, resource) });
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

async function countUsed(sql: Sql, projectId: string, resource: Resource): Promise<number> {
  if (resource === 'event_bytes_per_day') return countEventBytes(sql, projectId);
  return countWhere(sql, projectId, resource, living[resource]);
}

async function countWhere(sql: Sql, projectId: string, resource: Resource, condition: Fragment): Promise<number> {
  if (resource === 'event_bytes_per_day') return 0;
  const row = await sql.row<{ used: number }>`${counts[resource]} where project_id = ${projectId} and ${condition}`;
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

/** Resources that are rows. */
type Counted = Exclude<Resource, 'event_bytes_per_day'>;

const count = (table: Fragment): Fragment => fragment`select count(*) as used from ${table}`;

const counts: Readonly<Record<Counted, Fragment>> = {
  monitors: count(fragment`monitors`),
  monitor_regions: fragment`
    -- A monitor that no agent checks has no region and counts as one.
    select coalesce(sum(greatest(1, cardinality(coalesce(able_regions, regions)))), 0) as used from monitors`,
  tokens: count(fragment`tokens`),
  status_pages: count(fragment`status_pages`),
  components: count(fragment`components`),
  open_incidents: count(fragment`incidents`),
  incidents: count(fragment`incidents`),
  maintenances: count(fragment`maintenances`),
  webhooks: count(fragment`webhooks`),
  channels: count(fragment`channels`),
  routes: count(fragment`routes`),
  subscribers: count(fragment`subscribers`),
  flows: count(fragment`flows`),
  agents: count(fragment`agents a join regions r on r.code = a.region`),
  walls: count(fragment`walls`),
  secrets: count(fragment`secrets`),
  members: count(fragment`
    (
      select project_id from members
      union all
      select project_id
      from invitations
      where accepted_at is null and revoked_at is null and expires_at > now()
    ) as seats`),
  releases: count(fragment`releases`),
};

const notDeleted = fragment`deleted_at is null`;

/** What counts: the deleted, the revoked and the ended take no place. */
const living: Readonly<Record<Counted, Fragment>> = {
  monitors: notDeleted,
  monitor_regions: notDeleted,
  tokens: fragment`revoked_at is null and (expires_at is null or expires_at > now())`,
  status_pages: notDeleted,
  components: notDeleted,
  open_incidents: fragment`deleted_at is null and resolved_at is null`,
  incidents: notDeleted,
  maintenances: fragment`
    deleted_at is null
    and (
      expand_at is not null
      or exists (
        select
        from maintenance_occurrences o
        where o.maintenance_id = maintenances.id and o.due_at is not null
      )
    )`,
  webhooks: fragment`true`,
  channels: fragment`true`,
  routes: fragment`true`,
  // Pending ones that visitors typed in do not count: a stranger could use the quota up.
  subscribers: fragment`(state = 'active' or (state = 'pending' and by_visitor = false))`,
  flows: fragment`true`,
  agents: fragment`a.revoked_at is null`,
  walls: fragment`true`,
  secrets: fragment`true`,
  members: fragment`true`,
  releases: fragment`true`,
};
