import type { Sql } from '../db/sql.ts';

/** What a project has, by state. */
export type Counted = {
  monitors: Record<string, number>;
  alerts_open: number;
  alerts_acknowledged: number;
  incidents_unresolved: number;
  deliveries_failed: number;
  deliveries_held: number;
};

/** Counts in one statement; those of deliveries since `sinceMs`, up to `countedMax`. */
export async function countOverview(
  sql: Sql,
  projectId: string,
  { sinceMs, countedMax }: { sinceMs: number; countedMax: number },
): Promise<Counted> {
  const [row] = await sql.rows<Counted>`
    select
      (
        select coalesce(json_object_agg(verdict, count), '{}')
        from (
          select s.verdict, count(*)::integer as count
          from monitors m
          join monitor_states s on s.monitor_id = m.id
          where m.project_id = ${projectId} and m.deleted_at is null
          group by s.verdict
        ) counted
      ) as monitors,
      (
        select count(*)::integer
        from alerts a
        where a.project_id = ${projectId} and a.current_state = 'open'
      ) as alerts_open,
      (
        select count(*)::integer
        from alerts a
        where a.project_id = ${projectId} and a.current_state = 'acknowledged'
      ) as alerts_acknowledged,
      (
        select count(*)::integer
        from incidents
        where project_id = ${projectId} and resolved_at is null and deleted_at is null
      ) as incidents_unresolved,
      count(*) filter (where d.state = 'failed')::integer as deliveries_failed,
      count(*) filter (where d.state = 'held')::integer as deliveries_held
    from (
      select state
      from deliveries
      where project_id = ${projectId} and created_at >= to_timestamp(${sinceMs} / 1000.0)
      order by created_at desc, id desc
      limit ${countedMax}
    ) d`;
  if (row === undefined) throw new Error('counting gave no row');
  return row;
}
