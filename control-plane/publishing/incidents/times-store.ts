import { instant, type Sql } from '../../platform/db/sql.ts';

type IncidentTimes = { started_at: number; resolved_at: number | null };
type Span = { fromMs: number; toMs: number };

/** Null when the project has no such incident. */
export async function findTimes(sql: Sql, projectId: string, id: string): Promise<IncidentTimes | null> {
  return sql.row<IncidentTimes>`
    select started_at, resolved_at
    from incidents
    where project_id = ${projectId}
      and id = ${id}
      and deleted_at is null`;
}

/** The grave incidents of the project at any time of the span; open ones last until now. */
export async function listGrave(sql: Sql, projectId: string, { fromMs, toMs }: Span, nowMs: number): Promise<Span[]> {
  const rows = await sql.rows<IncidentTimes>`
    select started_at, resolved_at
    from incidents
    where project_id = ${projectId}
      and deleted_at is null
      and severity in ('p1', 'p2')
      and started_at < ${instant(toMs)}
      and coalesce(resolved_at, ${instant(nowMs)}) > ${instant(fromMs)}`;
  return rows.map(row => ({ fromMs: row.started_at, toMs: row.resolved_at ?? nowMs }));
}
