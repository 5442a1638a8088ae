import type { Sql } from '../../platform/db/sql.ts';

/** A monitor whose history is computed again. */
export type LateMonitor = { project_id: string; monitor_id: string };

/**
 * Of each project after `afterProject` the monitor whose late results are oldest, except those in `excluded`; at most
 * `limit`, in the order of projects.
 */
export async function listLate(
  sql: Sql,
  afterProject: string,
  excluded: readonly string[],
  limit: number,
): Promise<LateMonitor[]> {
  return sql.rows`
    with recursive late (project_id, monitor_id) as (
      (select ${afterProject}::text collate "C", null::text collate "C")
      union all
      select next.project_id, next.monitor_id
      from late
      cross join lateral (
        select s.project_id, s.monitor_id
        from monitor_states s
        where s.replay_from is not null
          and s.project_id > late.project_id
          and s.monitor_id <> all(${excluded}::text[])
        order by s.project_id, s.replay_from
        limit 1
      ) as next
    )
    select project_id, monitor_id
    from late
    where monitor_id is not null
    limit ${limit}`;
}
