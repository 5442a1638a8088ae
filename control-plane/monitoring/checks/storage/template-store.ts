import { bigints, instants, jsons, texts } from '../../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { Template } from './template.ts';
import type { NewTemplate } from './template-dictionary.ts';

/** Stores templates that are not stored yet. */
export async function insertTemplates(sql: Sql, templates: readonly NewTemplate[]): Promise<void> {
  if (templates.length === 0) return;
  await sql.run`
    insert into check_shapes (monitor_id, day, hash, shape)
    select monitor_id, day, hash, shape
    from unnest(
      ${texts(templates.map(template => template.monitorId))}::text[],
      ${instants(templates.map(template => template.day))}::timestamptz[],
      ${bigints(templates.map(template => template.hash))}::bigint[],
      ${jsons(templates.map(template => template.text))}::json[]
    ) as new (monitor_id, day, hash, shape)
    order by monitor_id, day, hash
    on conflict do nothing`;
}

/** The templates of a monitor's results in [fromDay, toDay], by their hash. */
export async function findTemplates(
  sql: Sql,
  monitorId: string,
  { fromDay, toDay, hashes }: { fromDay: number; toDay: number; hashes: readonly number[] },
): Promise<Map<number, Template>> {
  const rows = await sql.rows<{ hash: number; template: Template }>`
    select hash, shape as template
    from check_shapes
    where monitor_id = ${monitorId}
      and day >= ${instant(fromDay)}
      and day <= ${instant(toDay)}
      and hash = any(${bigints(hashes)}::bigint[])`;
  return new Map(rows.map(row => [row.hash, row.template]));
}

/** Deletes the templates of whole monitors. */
export async function deleteTemplatesOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`delete from check_shapes where monitor_id = any(${monitorIds}::text[])`;
}
