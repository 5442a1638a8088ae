import { bigints, byteas, instants, texts } from '../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import { decodeSet, encodeSet } from '../user-sets/user-set.ts';
import type { Cell, CellKey, CountedType, Span } from './cell.ts';

/** Sets take up to 16 KB each. */
const rowsPerStatement = 500;

type CellRow = {
  type: CountedType;
  name: string;
  span: Span;
  start: number;
  arrived_on: string;
  events: number;
  cell: Buffer;
};

/** The stored cells of these keys. */
export async function findCells(sql: Sql, projectId: string, keys: readonly CellKey[]): Promise<Cell[]> {
  const rows = await sql.rows<CellRow>`
    select type, name, span, start, arrived_on::text as arrived_on, events, cell
    from unnest(
      ${texts(keys.map(key => key.type))}::text[],
      ${texts(keys.map(key => key.name))}::text[],
      ${texts(keys.map(key => key.span))}::text[],
      ${instants(keys.map(key => key.start))}::timestamptz[],
      ${texts(keys.map(key => key.arrivedOn))}::text[]
    ) as k (type, name, span, start, day)
    join event_cells c using (type, name, span, start)
    where c.project_id = ${projectId}
      and c.arrived_on = k.day::date`;
  return rows.map(toCell);
}

/** Inserts or replaces cells. */
export async function saveCells(sql: Sql, projectId: string, cells: readonly Cell[]): Promise<void> {
  for (let start = 0; start < cells.length; start += rowsPerStatement)
    await saveSome(sql, projectId, cells.slice(start, start + rowsPerStatement));
}

async function saveSome(sql: Sql, projectId: string, cells: readonly Cell[]): Promise<void> {
  await sql.run`
    insert into event_cells (project_id, type, name, span, start, arrived_on, events, cell)
    select ${projectId}, type, name, span, start, day::date, events, cell
    from unnest(
      ${texts(cells.map(cell => cell.type))}::text[],
      ${texts(cells.map(cell => cell.name))}::text[],
      ${texts(cells.map(cell => cell.span))}::text[],
      ${instants(cells.map(cell => cell.start))}::timestamptz[],
      ${texts(cells.map(cell => cell.arrivedOn))}::text[],
      ${bigints(cells.map(cell => cell.events))}::bigint[],
      ${byteas(cells.map(cell => encodeSet(cell.users)))}::bytea[]
    ) as c (type, name, span, start, day, events, cell)
    on conflict (project_id, type, name, span, start, arrived_on) do update
      set events = excluded.events, cell = excluded.cell`;
}

/** Cells of one arrival day, of the hours or days in [fromMs, toMs). */
export type CellRange = { span: Span; fromMs: number; toMs: number; arrivedOn: string };

export async function deleteCells(
  sql: Sql,
  projectId: string,
  { span, fromMs, toMs, arrivedOn }: CellRange,
): Promise<void> {
  await sql.run`
    delete from event_cells
    where project_id = ${projectId}
      and span = ${span}
      and start >= ${instant(fromMs)}
      and start < ${instant(toMs)}
      and arrived_on = ${arrivedOn}::date`;
}

export async function listCellsOfArrival(
  sql: Sql,
  projectId: string,
  { span, fromMs, toMs, arrivedOn }: CellRange,
): Promise<Cell[]> {
  const rows = await sql.rows<CellRow>`
    select type, name, span, start, arrived_on::text as arrived_on, events, cell
    from event_cells
    where project_id = ${projectId}
      and span = ${span}
      and start >= ${instant(fromMs)}
      and start < ${instant(toMs)}
      and arrived_on = ${arrivedOn}::date`;
  return rows.map(toCell);
}

/** What a trend reads of a cell. */
export type NamedCell = Pick<Cell, 'name' | 'start' | 'events' | 'users'>;

/**
 * Cells of these names in the hours or days of [fromMs, toMs), by time. As base64 they take PostgreSQL and us half as
 * long as in hex.
 */
export async function listCells(
  sql: Sql,
  { projectId, type, names }: { projectId: string; type: CountedType; names: readonly string[] },
  { span, fromMs, toMs }: Omit<CellRange, 'arrivedOn'>,
): Promise<NamedCell[]> {
  const rows = await sql.rows<Pick<CellRow, 'name' | 'start' | 'events'> & { cell: string }>`
    select name, start, events, encode(cell, 'base64') as cell
    from event_cells
    where project_id = ${projectId}
      and type = ${type}
      and name = any(${texts(names)}::text[])
      and span = ${span}
      and start >= ${instant(fromMs)}
      and start < ${instant(toMs)}
    order by start`;
  return rows.map(({ cell, ...row }) => ({ ...row, users: decodeSet(Buffer.from(cell, 'base64')) }));
}

/** Deletes all that is counted of a project by name. */
export async function deleteCellsOfProject(sql: Sql, projectId: string): Promise<void> {
  await sql.run`delete from event_cells where project_id = ${projectId}`;
  await sql.run`delete from event_names where project_id = ${projectId}`;
}

function toCell({ arrived_on, cell, ...row }: CellRow): Cell {
  return { ...row, arrivedOn: arrived_on, users: decodeSet(cell) };
}
