import type { Sql } from '../db/sql.ts';
import { type MonitorRow, monitorColumns } from '../monitors/store.ts';

/** The part of a monitor that planning needs; `active` is false if it is paused or deleted. */
export type PlannedMonitor = {
  id: string;
  version: number;
  configuredAt: number;
  regions: readonly string[];
  active: boolean;
};

type PlannedRow = {
  id: string;
  config_version: number;
  configured_at: number;
  regions: string[];
  active: boolean;
};

/** Monitors changed since `sinceXid`, and where to read on: no commit is missed, some rows are returned twice. */
export async function readChanged(
  sql: Sql,
  sinceXid: string,
): Promise<{ monitors: PlannedMonitor[]; nextXid: string }> {
  const rows = await sql.rows<PlannedRow & { next_xid: string }>`
    select m.id, m.config_version, m.configured_at, m.regions, m.enabled and m.deleted_at is null as active, x.next_xid
    from (select pg_snapshot_xmin(pg_current_snapshot())::text as next_xid) x
    left join monitors m on m.changed_xid >= ${sinceXid}::xid8`;
  return { monitors: rows.filter(row => row.id !== null).map(toPlanned), nextXid: rows[0]?.next_xid ?? sinceXid };
}

/** A page of all active monitors after `afterId`, in id order, for a starting replica. */
export async function readActive(sql: Sql, afterId: string, limit: number): Promise<PlannedMonitor[]> {
  const rows = await sql.rows<PlannedRow>`
    select id, config_version, configured_at, regions, true as active
    from monitors
    where enabled
      and deleted_at is null
      and id > ${afterId}
    order by id
    limit ${limit}`;
  return rows.map(toPlanned);
}

/** The oldest transaction that is still running: everything before it is visible. */
export async function currentXid(sql: Sql): Promise<string> {
  return (await sql.row<{ xid: string }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xid`)?.xid ?? '0';
}

/** Whole rows of the active monitors among the ids, to be sent to agents. */
export async function readMonitors(sql: Sql, ids: readonly string[]): Promise<MonitorRow[]> {
  return sql.rows<MonitorRow>`
    select ${monitorColumns}
    from monitors m
    where m.id = any(${ids}::text[])
      and m.enabled
      and m.deleted_at is null`;
}

/** Sends confirmations to every replica, packed by `packConfirmations`. */
export async function notifyCheckNow(sql: Sql, payloads: readonly string[]): Promise<void> {
  await sql.run`
    select pg_notify('check_now', payload)
    from unnest(${payloads}::text[]) as payload`;
}

function toPlanned(row: PlannedRow): PlannedMonitor {
  return {
    id: row.id,
    version: row.config_version,
    configuredAt: row.configured_at,
    regions: row.regions,
    active: row.active,
  };
}
