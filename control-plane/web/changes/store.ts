import { instant, type Sql } from '../../platform/db/sql.ts';
import type { ChangeRow } from './topic.ts';

/**
 * What changed in each project since an instant, by its facts, its verdicts and its audit: at most `limit` rows of each
 * kind a project, the newest.
 */
export async function listChangeRows(
  sql: Sql,
  projectIds: readonly string[],
  sinceMs: number,
  limit: number,
): Promise<(ChangeRow & { project_id: string })[]> {
  const since = instant(sinceMs);
  return sql.rows`
    select wanted.project_id, rows.*
    from unnest(${[...projectIds]}::text[]) as wanted (project_id)
    cross join lateral (
      (
        select 'fact' as source, f.id::text as id, f.kind, f.subject,
          case
            when f.kind = 'incident.updated' then f.payload->>'incident_id'
            when f.kind = 'maintenance.updated' then f.payload->>'maintenance_id'
            when f.kind = 'component.changed' then f.payload->>'status_page_id'
          end as parent
        from facts f
        where f.project_id = wanted.project_id and f.at >= ${since}
        order by f.at desc
        limit ${limit}
      )
      union all
      (
        select 'verdict', v.monitor_id || ' ' || extract(epoch from v.since), '', v.monitor_id, null
        from verdict_changes v
        where v.project_id = wanted.project_id and v.decided_at >= ${since}
        order by v.decided_at desc
        limit ${limit}
      )
      union all
      (
        select 'audit', e.id, e.action, e.subject, null
        from audit_entries e
        where e.project_id = wanted.project_id and e.at >= ${since}
        order by e.at desc
        limit ${limit}
      )
    ) as rows`;
}
