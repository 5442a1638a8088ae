import { type ReadPosition, readPosition } from '../../platform/db/read-position.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { checkedRegions, monitorColumns } from '../monitors/store.ts';
import type { PlannedMonitor } from './plan.ts';
import type { AssignedRow } from './to-assignment.ts';

/** A monitor that changed; `active` is false if it is paused or deleted. */
export type ChangedMonitor = PlannedMonitor & { active: boolean };

/** Active monitors in id order, by column; `regions` joined by spaces. */
export type MonitorPage = {
  ids: readonly string[];
  versions: readonly number[];
  regions: readonly string[];
  needs: readonly string[];
};

/** Monitors changed since a transaction, and where to read on: no commit is missed, some rows are returned twice. */
export async function readChanged(
  sql: Sql,
  sinceXid: string,
): Promise<{ monitors: ChangedMonitor[]; position: ReadPosition }> {
  type Row = ReadPosition & Omit<ChangedMonitor, 'id' | 'version'> & { id: string | null; config_version: number };
  const rows = await sql.rows<Row>`
    select m.id, m.config_version, ${checkedRegions} as regions, m.needs,
      m.enabled and m.deleted_at is null as active, p.xid, p.server
    from (select ${readPosition}) p
    left join monitors m on m.changed_xid >= ${sinceXid}::xid8`;
  const [first = { xid: sinceXid, server: '' }] = rows;
  return {
    monitors: rows.flatMap(({ id, config_version, regions, needs, active }) =>
      id === null ? [] : { id, version: config_version, regions, needs, active },
    ),
    position: { xid: first.xid, server: first.server },
  };
}

/** The projects that these regions are private to; null if one of them is shared. */
export async function findOwners(sql: Sql, regions: readonly string[]): Promise<string[] | null> {
  const rows = await sql.rows<{ project_id: string | null }>`
    select project_id
    from regions
    where code = any(${regions}::text[])`;
  const owners = rows.flatMap(({ project_id }) => project_id ?? []);
  return owners.length < rows.length ? null : owners;
}

/**
 * A page of the active monitors of the regions after `afterId`: of all projects, or of the given ones, which spares
 * reading all monitors for a few. In one row: a row each takes our side ten times as long.
 */
export async function readActive(
  sql: Sql,
  regions: readonly string[],
  projectIds: readonly string[] | null,
  afterId: string,
  limit: number,
): Promise<MonitorPage> {
  const ofProjects = projectIds === null ? fragment`true` : fragment`project_id = any(${projectIds}::text[])`;
  // Planned for these regions each time: one may have most of the monitors, another none.
  const [page] = await sql.once<{ [Column in keyof MonitorPage]: MonitorPage[Column] | null }>`
    select
      json_agg(id order by id) as ids,
      json_agg(config_version order by id) as versions,
      json_agg(array_to_string(regions, ' ') order by id) as regions,
      json_agg(needs order by id) as needs
    from (
      select m.id, m.config_version, ${checkedRegions} as regions, m.needs
      from monitors m
      where m.enabled
        and m.deleted_at is null
        and ${checkedRegions} && ${regions}::text[]
        and ${ofProjects}
        and m.id > ${afterId}
      order by m.id
      limit ${limit}
    ) page`;
  const { ids, versions, regions: lists, needs } = page ?? {};
  return { ids: ids ?? [], versions: versions ?? [], regions: lists ?? [], needs: needs ?? [] };
}

/** Ids of the active monitors that were configured since. */
export async function listConfigured(sql: Sql, sinceMs: number): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>`
    select id
    from monitors
    where configured_at >= ${instant(sinceMs)} and enabled and deleted_at is null`;
  return rows.map(({ id }) => id);
}

/** Whole rows of the active monitors among the ids, to be sent to agents. */
export async function readMonitors(sql: Sql, ids: readonly string[]): Promise<AssignedRow[]> {
  return sql.rows<AssignedRow>`
    select
      ${monitorColumns},
      case when cardinality(m.secret_fields) > 0 then (
        select json_object_agg(s.name, json_build_object('id', s.id, 'sealed', encode(s.sealed_value, 'base64')))
        from secret_uses u
        join secrets s on s.id = u.secret_id
        where u.monitor_id = m.id
      ) end as secrets
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
