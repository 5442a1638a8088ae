import { instant, type Sql } from '../../platform/db/sql.ts';
import type { ImportedRow } from './history.ts';

/** The start of a monitor's own history; null if it has none. */
export async function findOwnStart(sql: Sql, monitorId: string): Promise<number | null> {
  const row = await sql.row<{ since: number | null }>`
    select min(since) as since
    from verdict_changes
    where monitor_id = ${monitorId}
      and imported_from is null`;
  return row?.since ?? null;
}

/** A part of a monitor's history that comes from one source. */
export type Part = { projectId: string; monitorId: string; source: string; from: number; until: number };

/** Deletes what the source brought into the part before. */
export async function deletePart(sql: Sql, { monitorId, source, from, until }: Part): Promise<void> {
  await sql.run`
    delete from verdict_changes
    where monitor_id = ${monitorId}
      and imported_from = ${source}
      and since >= ${instant(from)}
      and since < ${instant(until)}`;
}

/** Of two sources with a verdict from the same instant on, the later import counts. */
export async function insertRows(sql: Sql, part: Part, rows: readonly ImportedRow[]): Promise<void> {
  await sql.run`
    insert into verdict_changes (
      monitor_id, project_id, since, verdict, votes, config_version, cause, imported_from, estimated
    )
    select ${part.monitorId}, ${part.projectId}, since, verdict, '{}', 0, 'import', ${part.source}, estimated
    from unnest(
      ${rows.map(({ since }) => instant(since))}::timestamptz[],
      ${rows.map(({ verdict }) => verdict)}::text[],
      ${rows.map(({ estimated }) => estimated)}::boolean[]
    ) as row (since, verdict, estimated)
    on conflict (monitor_id, since) do update
    set verdict = excluded.verdict, imported_from = excluded.imported_from, estimated = excluded.estimated
    where verdict_changes.imported_from is not null`;
}

/** From the end of the part on nothing is known, unless something else begins there. */
export async function endPart(sql: Sql, { projectId, monitorId, source, until }: Part): Promise<void> {
  await sql.run`
    insert into verdict_changes (
      monitor_id, project_id, since, verdict, votes, config_version, cause, imported_from, estimated
    )
    values (
      ${monitorId}, ${projectId}, ${instant(until)}, 'undetermined', '{}', 0, 'import', ${source}, false
    )
    on conflict (monitor_id, since) do nothing`;
}
