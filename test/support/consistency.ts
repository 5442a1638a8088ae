import { withSql } from './control-plane.ts';

/**
 * What holds at every commit: a project's states are the last rows of their histories, and its open alerts start with
 * down rows. Throws if not.
 */
export async function requireConsistency(databaseUrl: string, projectId: string): Promise<void> {
  const broken = await withSql(
    databaseUrl,
    sql => sql.rows<{ what: string; id: string }>`
      select 'state' as what, s.monitor_id as id
      from monitor_states s
      left join lateral (
        select verdict, since
        from verdict_changes c
        where c.monitor_id = s.monitor_id
        order by since desc
        limit 1
      ) as last_row on true
      where s.project_id = ${projectId}
        and (s.verdict, s.since) is distinct from (last_row.verdict, last_row.since)
      union all
      select 'alert' as what, a.id
      from alerts a
      where a.project_id = ${projectId}
        and a.state <> 'resolved'
        and not exists (
          select 1
          from verdict_changes c
          where c.monitor_id = a.monitor_id and c.verdict = 'down' and c.since = a.started_at
        )`,
  );
  if (broken.length > 0) throw new Error(`the history is inconsistent: ${JSON.stringify(broken)}`);
}
