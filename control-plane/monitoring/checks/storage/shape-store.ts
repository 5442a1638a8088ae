import { bigints, instants, jsons, texts } from '../../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { Shape } from './shape.ts';
import type { NewShape } from './shape-book.ts';

/** Stores shapes that are not stored yet. */
export async function insertShapes(sql: Sql, shapes: readonly NewShape[]): Promise<void> {
  if (shapes.length === 0) return;
  await sql.run`
    insert into check_shapes (monitor_id, day, hash, shape)
    select monitor_id, day, hash, shape
    from unnest(
      ${texts(shapes.map(shape => shape.monitorId))}::text[],
      ${instants(shapes.map(shape => shape.day))}::timestamptz[],
      ${bigints(shapes.map(shape => shape.hash))}::bigint[],
      ${jsons(shapes.map(shape => shape.text))}::json[]
    ) as new (monitor_id, day, hash, shape)
    order by monitor_id, day, hash
    on conflict do nothing`;
}

/** The shapes of a monitor's results in [fromDay, toDay], by their hash. */
export async function findShapes(
  sql: Sql,
  monitorId: string,
  { fromDay, toDay, hashes }: { fromDay: number; toDay: number; hashes: readonly number[] },
): Promise<Map<number, Shape>> {
  const rows = await sql.rows<{ hash: number; shape: Shape }>`
    select hash, shape
    from check_shapes
    where monitor_id = ${monitorId}
      and day >= ${instant(fromDay)}
      and day <= ${instant(toDay)}
      and hash = any(${bigints(hashes)}::bigint[])`;
  return new Map(rows.map(row => [row.hash, row.shape]));
}

/** Deletes the shapes of whole monitors. */
export async function deleteShapesOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`delete from check_shapes where monitor_id = any(${monitorIds}::text[])`;
}
