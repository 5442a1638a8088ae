import { membershipWindows } from '../../monitoring/memberships/window-store.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';

/** What a project has, by state. */
export type Counted = {
  monitors: Record<string, number>;
  /** Those of `monitors` that are in maintenance. */
  in_maintenance: Record<string, number>;
  alerts_open: number;
  alerts_acknowledged: number;
  alerts_held: number;
  incidents_unresolved: number;
  deliveries_failed: number;
  deliveries_held: number;
};

/** Counts in one statement; those of deliveries since `sinceMs`, up to `countedMax`. Held alerts are counted apart. */
export async function countOverview(
  sql: Sql,
  projectId: string,
  { nowMs, sinceMs, countedMax }: { nowMs: number; sinceMs: number; countedMax: number },
): Promise<Counted> {
  const [row] = await sql.rows<Counted>`
    select
      (
        select coalesce(json_object_agg(verdict, count), '{}')
        from (
          select verdict, count(*)::integer as count
          from monitor_states
          where project_id = ${projectId} and not deleted
          group by verdict
        ) counted
      ) as monitors,
      (
        select coalesce(json_object_agg(verdict, count), '{}')
        from (
          select s.verdict, count(*)::integer as count
          from (
            select distinct b.monitor_id
            from ${membershipWindows}
            where m.project_id = ${projectId} and w.starts <= ${instant(nowMs)} and w.ends > ${instant(nowMs)}
          ) inside
          join monitors m on m.id = inside.monitor_id and m.project_id = ${projectId} and m.deleted_at is null
          join monitor_states s on s.monitor_id = m.id
          group by s.verdict
        ) counted
      ) as in_maintenance,
      l.alerts_open,
      l.alerts_acknowledged,
      l.alerts_held,
      (
        select count(*)::integer
        from incidents
        where project_id = ${projectId} and resolved_at is null and deleted_at is null
      ) as incidents_unresolved,
      count(*) filter (where d.state = 'failed')::integer as deliveries_failed,
      count(*) filter (where d.state = 'held')::integer as deliveries_held
    from (
      select
        count(*) filter (where a.current_state = 'open' and not a.held)::integer as alerts_open,
        count(*) filter (where a.current_state = 'acknowledged')::integer as alerts_acknowledged,
        count(*) filter (where a.current_state = 'open' and a.held)::integer as alerts_held
      from alerts a
      where a.project_id = ${projectId}
        and (a.state <> 'resolved' or a.own_state <> 'resolved')
    ) l
    left join (
      select state
      from deliveries
      where project_id = ${projectId} and created_at >= to_timestamp(${sinceMs} / 1000.0)
      order by created_at desc, id desc
      limit ${countedMax}
    ) d on true
    group by l.alerts_open, l.alerts_acknowledged, l.alerts_held`;
  if (row === undefined) throw new Error('counting gave no row');
  return row;
}
