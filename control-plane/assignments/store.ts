import type { Sql } from '../db/sql.ts';
import type { MonitorRow } from '../monitors/store.ts';

/** What of a monitor planning needs; `active` is false once it is paused or deleted. */
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
  next_xid: string;
};

/** Monitors changed by transactions not before `sinceXid`, and where to read on: no commit is missed, some rows come twice. */
export async function readChanged(
  sql: Sql,
  sinceXid: string,
): Promise<{ monitors: PlannedMonitor[]; nextXid: string }> {
  const rows = await sql.rows<PlannedRow>(
    `select m.id, m.config_version, m.configured_at, m.regions, m.enabled and m.deleted_at is null as active, x.next_xid from
       (select pg_snapshot_xmin(pg_current_snapshot())::text as next_xid) x left join monitors m on m.changed_xid >= $1::xid8`,
    [sinceXid],
  );
  return { monitors: rows.filter(row => row.id !== null).map(toPlanned), nextXid: rows[0]?.next_xid ?? sinceXid };
}

/** One page of all active monitors in id order, for a replica that starts. */
export async function readActive(sql: Sql, afterId: string, limit: number): Promise<PlannedMonitor[]> {
  const rows = await sql.rows<PlannedRow>(
    `select id, config_version, configured_at, regions, true as active, '' as next_xid from monitors
     where enabled and deleted_at is null and id > $1 order by id limit $2`,
    [afterId, limit],
  );
  return rows.map(toPlanned);
}

export async function currentXid(sql: Sql): Promise<string> {
  return (await sql.row<{ xid: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as xid'))?.xid ?? '0';
}

/** Whole rows of active monitors, for agents that are to run them. */
export async function readMonitors(sql: Sql, ids: readonly string[]): Promise<MonitorRow[]> {
  return sql.rows<MonitorRow>(
    `select id, project_id, name, url, method, interval_seconds, timeout_ms, regions, quorum, assertions, sealed_headers, sealed_body, follow_redirects,
       alert_policy, enabled, config_version, configured_at, created_at, updated_at, deleted_at from monitors
     where id = any($1::text[]) and enabled and deleted_at is null`,
    [ids],
  );
}

/** Tells every replica whom to ask, in messages below the limit of NOTIFY. */
export async function notifyCheckNow(sql: Sql, payloads: readonly string[]): Promise<void> {
  await sql.run("select pg_notify('check_now', payload) from unnest($1::text[]) as payload", [payloads]);
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
