import { instants, smallints, texts } from '../db/binary-array.ts';
import { instant, type Sql } from '../db/sql.ts';
import { type Cell, decodeCell, emptyCell, encodeCell } from './cell.ts';
import type { FlowVersion } from './flow.ts';

/** Which cell: the hour and the release ('' for none) of the entries, and the step they reached. */
export type CellKey = { hour: number; releaseId: string; step: number };
export type StoredCell = CellKey & { cell: Cell };

type CellRow = { hour: number; release_id: string; step: number; cell: Buffer };

/** Cells of the hours in [fromMs, toMs), of one release or all. */
export async function listCells(
  sql: Sql,
  { flowId, version }: Pick<FlowVersion, 'flowId' | 'version'>,
  fromMs: number,
  toMs: number,
  releaseId: string | null,
): Promise<StoredCell[]> {
  const rows = await sql.rows<CellRow>(
    `select hour, release_id, step, cell from events_hourly
     where flow_id = $1 and version = $2 and hour >= $3 and hour < $4 and ($5::text is null or release_id = $5)`,
    [flowId, version, instant(fromMs), instant(toMs), releaseId],
  );
  return rows.map(row => ({ hour: row.hour, releaseId: row.release_id, step: row.step, cell: decodeCell(row.cell) }));
}

/** The last hour in [fromMs, toMs) in which each release has cells. */
export async function findLastHours(
  sql: Sql,
  { flowId, version }: Pick<FlowVersion, 'flowId' | 'version'>,
  fromMs: number,
  toMs: number,
): Promise<[releaseId: string, hour: number][]> {
  const rows = await sql.rows<{ release_id: string; hour: number }>(
    `select release_id, max(hour) as hour from events_hourly
     where flow_id = $1 and version = $2 and hour >= $3 and hour < $4 group by release_id`,
    [flowId, version, instant(fromMs), instant(toMs)],
  );
  return rows.map(row => [row.release_id, row.hour]);
}

/** Sorted by key, so that two writers never wait for each other in a circle. */
export async function writeCells(sql: Sql, version: FlowVersion, cells: readonly StoredCell[]): Promise<void> {
  const sorted = cells.toSorted(
    (left, right) => left.hour - right.hour || compare(left.releaseId, right.releaseId) || left.step - right.step,
  );
  const batch = 500;
  for (let start = 0; start < sorted.length; start += batch) {
    const some = sorted.slice(start, start + batch);
    await sql.run(
      `insert into events_hourly (flow_id, version, hour, release_id, step, project_id, cell)
       select $1, $2, c.hour, c.release_id, c.step, $3, c.cell
       from unnest($4::timestamptz[], $5::text[], $6::smallint[], $7::bytea[]) as c (hour, release_id, step, cell)
       on conflict (flow_id, version, hour, release_id, step) do update set cell = excluded.cell`,
      [
        version.flowId,
        version.version,
        version.projectId,
        instants(some.map(one => one.hour)),
        texts(some.map(one => one.releaseId)),
        smallints(some.map(one => one.step)),
        some.map(one => encodeCell(one.cell)),
      ],
    );
  }
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

export async function deleteCells(sql: Sql, version: FlowVersion, hours: readonly number[]): Promise<void> {
  await sql.run('delete from events_hourly where flow_id = $1 and version = $2 and hour = any($3::timestamptz[])', [
    version.flowId,
    version.version,
    hours.map(hour => instant(hour)),
  ]);
}

/** Cells from which the last user was taken out: computed from nothing they would not be there. */
export async function deleteEmptyCells(sql: Sql, version: FlowVersion, hours: readonly number[]): Promise<void> {
  await sql.run(
    'delete from events_hourly where flow_id = $1 and version = $2 and hour = any($3::timestamptz[]) and cell = $4',
    [version.flowId, version.version, hours.map(hour => instant(hour)), encodeCell(emptyCell())],
  );
}

/** Hours of a version that have cells, in [fromMs, toMs). */
export async function listRolledHours(
  sql: Sql,
  { flowId, version }: FlowVersion,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const rows = await sql.rows<{ hour: number }>(
    'select distinct hour from events_hourly where flow_id = $1 and version = $2 and hour >= $3 and hour < $4',
    [flowId, version, instant(fromMs), instant(toMs)],
  );
  return rows.map(row => row.hour);
}
