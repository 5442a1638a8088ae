import { texts } from '../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { type CountedType, otherName } from '../cells/cell.ts';

export type NameFilter = { fromMs: number; toMs: number; type: CountedType | null; part: string | null };

export type NameRow = {
  name: string;
  type: CountedType;
  count: number;
  position: string;
  first_seen_at: number | null;
  last_seen_at: number | null;
};

/** Names with events in the range, those with the most first: one more than the page. */
export async function listNames(
  sql: Sql,
  projectId: string,
  { fromMs, toMs, type, part }: NameFilter,
  page: Page,
): Promise<NameRow[]> {
  const [afterCount, afterPosition] = page.after ?? [null, null];
  return sql.rows<NameRow>`
    with counted as (
      select type, name, sum(events)::bigint as count, md5(type || ' ' || name) collate "C" as position
      from event_cells
      where project_id = ${projectId}
        and span = 'hour'
        and start >= ${instant(fromMs)}
        and start < ${instant(toMs)}
        and (${type}::text is null or type = ${type}::text)
        and (${part}::text is null or strpos(lower(name), lower(${part}::text)) > 0)
      group by type, name
    )
    select c.type, c.name, count, position, first_seen_at, last_seen_at
    from counted c
    left join event_names n on n.project_id = ${projectId} and n.type = c.type and n.name = c.name
    where ${afterPosition}::text is null
      or count < ${afterCount}::bigint
      or (count = ${afterCount}::bigint and position > ${afterPosition}::text)
    order by count desc, position
    limit ${page.limit + 1}`;
}

/** Whether names beyond the limit were counted together in the range; null for any type. */
export async function hasOtherNames(
  sql: Sql,
  projectId: string,
  type: CountedType | null,
  fromMs: number,
  toMs: number,
): Promise<boolean> {
  const row = await sql.row<{ found: boolean }>`
    select exists (
      select from event_cells
      where project_id = ${projectId}
        and name = ${otherName}
        and type = any(${texts(type === null ? ['track', 'error'] : [type])}::text[])
        and span = 'hour'
        and start >= ${instant(fromMs)}
        and start < ${instant(toMs)}
    ) as found`;
  return row?.found === true;
}
