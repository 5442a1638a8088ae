import type { Sql } from '../../../platform/db/sql.ts';

const keysMax = 200;
const valuesMax = 100;

/** How many monitors have a label, and each of its values. */
export type LabelUse = { key: string; monitors: number; values: { value: string; monitors: number }[] };

/** Labels of the project's monitors, the most used first, and so their values. */
export async function listLabels(sql: Sql, projectId: string): Promise<LabelUse[]> {
  return sql.rows<LabelUse>`
    with used as (
      select label.key, label.value, count(*) as monitors
      from monitors m, jsonb_each_text(m.labels) as label
      where m.project_id = ${projectId}
        and m.deleted_at is null
      group by label.key, label.value
    ), ranked as (
      select key, value, monitors,
        sum(monitors) over (partition by key) as of_key,
        row_number() over (partition by key order by monitors desc, value collate "C") as rank
      from used
    )
    select key, of_key::bigint as monitors,
      json_agg(json_build_object('value', value, 'monitors', monitors) order by rank) as values
    from ranked
    where rank <= ${valuesMax}
    group by key, of_key
    order by of_key desc, key collate "C"
    limit ${keysMax}`;
}
