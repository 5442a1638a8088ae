import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { monitorSubject, selectorCondition } from '../../platform/selectors/compile.ts';
import { parseSelector } from '../../platform/selectors/parse.ts';
import { matches, type Subject } from '../../platform/selectors/selector.ts';
import { effectEnd } from './window-store.ts';

/** Times that are stored in which a monitor was in windows, and of all monitors in one window. */
const perMonitorMax = 10_000;
const perMaintenanceMax = 100_000;

// Whoever changes what a maintenance matches holds the lock of the project's bindings by selector.

/** What a maintenance is about. */
export type Scope = {
  monitor_ids: readonly string[];
  selector: string | null;
  component_ids: readonly string[];
  status_page_ids: readonly string[];
};

/** A maintenance `m` of which some time is still to come. */
const isLive = fragment`
  m.deleted_at is null
  and (
    m.expand_at is not null
    or exists (select from maintenance_occurrences o where o.maintenance_id = m.id and o.due_at is not null)
  )`;

/** Whether a monitor belongs to a component of the maintenance `m`, or of one of its pages. */
const throughComponent = (monitorId: ReturnType<typeof fragment>) => fragment`
  exists (
    select
    from component_monitors bound
    join components c on c.id = bound.component_id
    where bound.monitor_id = ${monitorId}
      and c.deleted_at is null
      and (c.id = any(m.component_ids) or c.status_page_id = any(m.status_page_ids))
  )`;

/**
 * Makes those who match a maintenance now its members: others leave now, and who joins does so at `fromMs`. `afresh`:
 * those who match now were members from `fromMs` on, and nobody else was.
 */
export async function refreshMembers(
  sql: Sql,
  { projectId, maintenanceId, selector }: { projectId: string; maintenanceId: string; selector: string | null },
  { fromMs, afresh = false }: { fromMs: number; afresh?: boolean },
  nowMs: number,
): Promise<void> {
  if (afresh) await sql.run`delete from maintenance_members where maintenance_id = ${maintenanceId}`;
  const bySelector = selector === null ? fragment`false` : selectorCondition(parseSelector(selector), monitorSubject);
  await sql.once`
    with matched as (
      select matching.id
      from maintenances m
      cross join lateral (
        select m.id
        from monitors m
        where m.project_id = ${projectId}
          and m.deleted_at is null
          and ${bySelector}
        union
        select named.id
        from monitors named
        where named.project_id = ${projectId}
          and named.deleted_at is null
          and (named.id = any(m.monitor_ids) or ${throughComponent(fragment`named.id`)})
      ) matching
      where m.id = ${maintenanceId}
    ), closed as (
      update maintenance_members b
      set until_at = greatest(b.from_at, ${instant(nowMs)}::timestamptz)
      where b.maintenance_id = ${maintenanceId}
        and b.until_at is null
        and b.monitor_id not in (select id from matched)
    )
    insert into maintenance_members (maintenance_id, monitor_id, project_id, from_at)
    select ${maintenanceId}, id, ${projectId}, ${instant(fromMs)}::timestamptz
    from matched
    order by id
    on conflict (maintenance_id, monitor_id) where until_at is null do nothing`;
  await forgetIdle(sql, maintenanceId, nowMs);
  await requireFew(sql, fragment`maintenance_id = ${maintenanceId}`, perMaintenanceMax);
}

/**
 * The same for one monitor and every maintenance of its project. Returns those that it joined or left while they last.
 */
export async function refreshMemberships(
  sql: Sql,
  projectId: string,
  subject: Subject,
  nowMs: number,
): Promise<string[]> {
  const now = instant(nowMs);
  const rows = await sql.rows<{ id: string; selector: string | null; named: boolean; open: boolean; running: boolean }>`
    select m.id, m.selector,
      ${subject.id} = any(m.monitor_ids) or ${throughComponent(fragment`${subject.id}`)} as named,
      b.monitor_id is not null as open,
      exists (
        select
        from maintenance_occurrences o
        where o.maintenance_id = m.id
          and o.starts_at <= ${now}
          and ${effectEnd} > ${now}
      ) as running
    from maintenances m
    left join maintenance_members b
      on b.maintenance_id = m.id and b.monitor_id = ${subject.id} and b.until_at is null
    where m.project_id = ${projectId}
      and ${isLive}`;
  const isMember = ({ named, selector }: (typeof rows)[number]) =>
    named || (selector !== null && matches(parseSelector(selector), subject));
  const changed = rows.filter(row => isMember(row) !== row.open);
  const ids = (open: boolean) => changed.filter(row => row.open === open).map(row => row.id);
  if (changed.length === 0) return [];
  await sql.run`
    update maintenance_members
    set until_at = greatest(from_at, ${now}::timestamptz)
    where monitor_id = ${subject.id}
      and until_at is null
      and maintenance_id = any(${ids(true)}::text[])`;
  await sql.run`
    insert into maintenance_members (maintenance_id, monitor_id, project_id, from_at)
    select id, ${subject.id}, ${projectId}, ${now}::timestamptz
    from unnest(${ids(false)}::text[]) as id
    order by id
    on conflict (maintenance_id, monitor_id) where until_at is null do nothing`;
  for (const id of ids(true)) await forgetIdle(sql, id, nowMs);
  if (ids(false).length > 0) await requireFew(sql, fragment`monitor_id = ${subject.id}`, perMonitorMax);
  return changed.filter(row => row.running).map(row => row.id);
}

/** Labels and scopes can be changed to and fro: each time in a window that lasts is stored. */
async function requireFew(sql: Sql, which: Fragment, maximum: number): Promise<void> {
  const row = await sql.row<{ count: number }>`
    select count(*)
    from (select from maintenance_members where ${which} limit ${maximum + 1}) as times`;
  if ((row?.count ?? 0) <= maximum) return;
  const detail = 'monitors have joined and left maintenance windows too often; delete windows that are over';
  throw new Problem('limit_reached', { detail });
}

/** The monitor is in no window any more: it was deleted. */
export async function endMemberships(sql: Sql, monitorId: string, nowMs: number): Promise<void> {
  await sql.run`
    update maintenance_members
    set until_at = greatest(from_at, ${instant(nowMs)}::timestamptz)
    where monitor_id = ${monitorId}
      and until_at is null`;
}

/** Renews the members of every maintenance that has a component, or its page, in its scope. */
export async function refreshMembersThrough(
  sql: Sql,
  projectId: string,
  component: { id: string; statusPageId: string },
  nowMs: number,
): Promise<void> {
  const rows = await sql.rows<{ id: string; selector: string | null }>`
    select m.id, m.selector
    from maintenances m
    where m.project_id = ${projectId}
      and (${component.id} = any(m.component_ids) or ${component.statusPageId} = any(m.status_page_ids))
      and ${isLive}
    order by m.id`;
  for (const { id, selector } of rows)
    await refreshMembers(sql, { projectId, maintenanceId: id, selector }, { fromMs: nowMs }, nowMs);
}

/** Deletes memberships that ended outside of all windows: they have no effect. */
async function forgetIdle(sql: Sql, maintenanceId: string, nowMs: number): Promise<void> {
  await sql.run`
    delete from maintenance_members b
    where b.maintenance_id = ${maintenanceId}
      and b.until_at <= ${instant(nowMs)}
      and not exists (
        select
        from maintenance_occurrences o
        where o.maintenance_id = b.maintenance_id
          and o.starts_at < b.until_at
          and ${effectEnd} > b.from_at
      )`;
}

/** How many monitors would match a scope now. */
export async function countMatching(sql: Sql, projectId: string, scope: Scope): Promise<number> {
  const bySelector =
    scope.selector === null ? fragment`false` : selectorCondition(parseSelector(scope.selector), monitorSubject);
  const row = await sql.once<{ count: number }>`
    select count(*) as count
    from monitors m
    where m.project_id = ${projectId}
      and m.deleted_at is null
      and (
        m.id = any(${scope.monitor_ids}::text[])
        or ${bySelector}
        or exists (
          select
          from component_monitors bound
          join components c on c.id = bound.component_id
          where bound.monitor_id = m.id
            and c.deleted_at is null
            and (
              c.id = any(${scope.component_ids}::text[])
              or c.status_page_id = any(${scope.status_page_ids}::text[])
            )
        )
      )`;
  return row[0]?.count ?? 0;
}
