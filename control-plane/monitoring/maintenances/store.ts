import { hourMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { isLeftOut } from '../../platform/failures/store.ts';
import type { Scope } from '../memberships/member-store.ts';
import type { MaintenanceSettings, MaintenanceState } from './maintenance.ts';
import { currentOf, nextOf, type OccurrenceJson } from './occurrences/store.ts';
import { latestUpdates, type UpdateJson } from './updates/store.ts';

/** A row of `maintenances`. Instants are milliseconds since the epoch. */
export type StoredMaintenance = Scope &
  Omit<MaintenanceSettings, 'scope'> & {
    id: string;
    project_id: string;
    expand_at: number | null;
    created_at: number;
    updated_at: number;
  };

/** A maintenance with what is read of its occurrences, members and updates. */
export type MaintenanceRow = StoredMaintenance & {
  state: MaintenanceState;
  current: OccurrenceJson | null;
  next: OccurrenceJson | null;
  matched_monitors: number;
  updates: UpdateJson[];
};

const columns = fragment`
  m.id, m.project_id, m.title, m.description, m.monitor_ids, m.selector, m.component_ids, m.status_page_ids,
  m.starts_at, m.ends_at, m.schedule, m.alerts, m.exclude_from_uptime, m.settle_seconds, m.announced,
  m.announce_before_hours, m.notify, m.expand_at, m.created_at, m.updated_at`;

/** The state of the maintenance `m` at an instant: what goes on, else what is to come, else how it ended. */
export const stateAt = (nowMs: number) => fragment`
  coalesce(
    (
      select case
        when bool_or(o.starts_at <= ${instant(nowMs)} and o.ends_at > ${instant(nowMs)}) then 'in_progress'
        when bool_or(o.starts_at > ${instant(nowMs)}) or m.expand_at is not null then 'scheduled'
        when count(*) > 0 then 'completed'
      end
      from maintenance_occurrences o
      where o.maintenance_id = m.id and o.cancelled_at is null
    ),
    case
      when exists (select from maintenance_occurrences o where o.maintenance_id = m.id) then 'cancelled'
      else 'completed'
    end
  )`;

/** Columns of a MaintenanceRow at an instant, of the maintenance `m`. */
export const shown = (nowMs: number) => fragment`
  ${columns}, ${stateAt(nowMs)} as state, ${currentOf(nowMs)} as current, ${nextOf(nowMs)} as next,
  (
    select count(*)
    from maintenance_members b
    where b.maintenance_id = m.id and b.until_at is null
  ) as matched_monitors,
  ${latestUpdates} as updates`;

export async function insertMaintenance(
  sql: Sql,
  projectId: string,
  { scope, ...settings }: MaintenanceSettings,
  nowMs: number,
): Promise<StoredMaintenance> {
  const row: StoredMaintenance = {
    id: newId('mnt', nowMs),
    project_id: projectId,
    ...scope,
    ...settings,
    expand_at: null,
    created_at: nowMs,
    updated_at: nowMs,
  };
  await sql.run`
    insert into maintenances (
      id, project_id, title, description, monitor_ids, selector, component_ids, status_page_ids, starts_at, ends_at,
      schedule, alerts, exclude_from_uptime, settle_seconds, announced, announce_before_hours, notify, created_at,
      updated_at
    )
    values (
      ${row.id}, ${projectId}, ${row.title}, ${row.description}, ${row.monitor_ids}, ${row.selector},
      ${row.component_ids}, ${row.status_page_ids}, ${instant(row.starts_at)}, ${instant(row.ends_at)},
      ${jsonOf(row.schedule)}::jsonb, ${row.alerts}, ${row.exclude_from_uptime}, ${row.settle_seconds},
      ${row.announced}, ${row.announce_before_hours}, ${row.notify}, ${instant(nowMs)}, ${instant(nowMs)}
    )`;
  return row;
}

/** Writes everything that a client sets. The row must be locked. */
export async function writeSettings(sql: Sql, row: StoredMaintenance, nowMs: number): Promise<void> {
  await sql.run`
    update maintenances
    set title = ${row.title},
      description = ${row.description},
      monitor_ids = ${row.monitor_ids},
      selector = ${row.selector},
      component_ids = ${row.component_ids},
      status_page_ids = ${row.status_page_ids},
      starts_at = ${instant(row.starts_at)},
      ends_at = ${instant(row.ends_at)},
      schedule = ${jsonOf(row.schedule)}::jsonb,
      alerts = ${row.alerts},
      exclude_from_uptime = ${row.exclude_from_uptime},
      settle_seconds = ${row.settle_seconds},
      announced = ${row.announced},
      announce_before_hours = ${row.announce_before_hours},
      notify = ${row.notify},
      updated_at = ${instant(nowMs)}
    where id = ${row.id}`;
}

function jsonOf(schedule: StoredMaintenance['schedule']): string | null {
  return schedule === null ? null : JSON.stringify(schedule);
}

export async function writeExpansion(sql: Sql, id: string, expandAt: number | null): Promise<void> {
  await sql.run`update maintenances set expand_at = ${instant(expandAt)} where id = ${id}`;
}

export async function touchMaintenance(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`update maintenances set updated_at = ${instant(nowMs)} where id = ${id}`;
}

export async function markMaintenanceDeleted(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update maintenances
    set deleted_at = ${instant(nowMs)}, updated_at = ${instant(nowMs)}, expand_at = null
    where id = ${id}`;
}

/** Null when the project has no such maintenance. */
export async function findMaintenance(
  sql: Sql,
  projectId: string,
  id: string,
  nowMs: number,
): Promise<MaintenanceRow | null> {
  return sql.row<MaintenanceRow>`
    select ${shown(nowMs)}
    from maintenances m
    where m.project_id = ${projectId}
      and m.id = ${id}
      and m.deleted_at is null`;
}

/** Locks the maintenance until the transaction ends; null when the project has none with this id. */
export async function lockMaintenance(sql: Sql, projectId: string, id: string): Promise<StoredMaintenance | null> {
  return sql.row<StoredMaintenance>`
    select ${columns}
    from maintenances m
    where m.project_id = ${projectId}
      and m.id = ${id}
      and m.deleted_at is null
    for update`;
}

/** Locks a maintenance whose occurrences are to be planned further; null if there is none. */
export async function lockToExpand(sql: Sql, nowMs: number): Promise<StoredMaintenance | null> {
  return sql.row<StoredMaintenance>`
    select ${columns}
    from maintenances m
    where m.expand_at <= ${instant(nowMs)}
      and m.deleted_at is null
      and not ${isLeftOut('maintenance-plans', fragment`m.id`, nowMs)}
    order by m.expand_at
    limit 1
    for update skip locked`;
}

/** Lets an occurrence wait that could not be advanced. */
export async function postponeOccurrence(sql: Sql, id: string, untilMs: number): Promise<void> {
  await sql.run`update maintenance_occurrences set due_at = ${instant(untilMs)} where id = ${id}`;
}

/** Whether pages show the maintenance of an occurrence, and from when on. */
export async function findAnnouncement(
  sql: Sql,
  occurrence: { maintenance_id: string; starts_at: number },
): Promise<{ announced: boolean; announceAt: number }> {
  const row = await sql.row<{ announced: boolean; announce_before_hours: number }>`
    select announced, announce_before_hours
    from maintenances
    where id = ${occurrence.maintenance_id}`;
  const aheadMs = (row?.announce_before_hours ?? 0) * hourMs;
  return { announced: row?.announced === true, announceAt: occurrence.starts_at - aheadMs };
}
