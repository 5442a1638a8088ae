import { instants } from '../db/binary-array.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { FlowVersion } from './flow.ts';

/** Projects with something to roll up: new events, hours to compute again, versions to fill. */
export async function listProjectsWithWork(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ project_id: string }>(
    `select distinct project_id from events_pending union select distinct project_id from flow_recompute
     union select project_id from flow_versions where filled_at is null`,
  );
  return rows.map(row => row.project_id);
}

const lockOf = (projectId: string) => `roll-up ${projectId}`;

/**
 * Until this transaction ends no roll-up of the project runs: one under way knows nothing of what we are about to write,
 * and we see nothing of its hours before it ends.
 */
export async function waitForRollUp(sql: Sql, projectId: string): Promise<void> {
  await sql.run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [lockOf(projectId)]);
}

/** One roll-up a project at a time, however many replicas: false when another has it. */
export async function lockProject(sql: Sql, projectId: string): Promise<boolean> {
  const row = await sql.row<{ taken: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken', [
    lockOf(projectId),
  ]);
  return row?.taken === true;
}

const hourOf = (minute: string) => `date_bin('1 hour', ${minute}, '2000-01-01Z')`;

/**
 * Minutes of events, each once, in order, that arrived first: of at most so many hours, in which work is counted. Taken away
 * with this transaction. `left`: there may be more.
 */
export async function takePendingMinutes(
  sql: Sql,
  projectId: string,
  most: { rows: number; hours: number },
): Promise<{ minutes: number[]; left: boolean }> {
  const found = await sql.rows<{ minute: number; rows: number; hours: number }>(
    `with first as materialized (
       select ctid as place, minute, ${hourOf('minute')} as hour, at from events_pending where project_id = $1 order by at limit $2
     ), hours as materialized (
       select hour from first group by hour order by min(at), hour limit $3
     ), taken as (
       delete from events_pending where ctid = any(array(select place from first where hour in (select hour from hours))) returning minute
     ) select minute, (select count(*) from first) as rows, (select count(*) from hours) as hours from taken group by minute order by minute`,
    [projectId, most.rows, most.hours],
  );
  const [one] = found;
  return {
    minutes: found.map(row => row.minute),
    left: one !== undefined && (one.rows >= most.rows || one.hours >= most.hours),
  };
}

/** When the oldest event arrived that is not rolled up; null when all are. */
export async function findOldestPending(sql: Sql, projectId: string): Promise<number | null> {
  const row = await sql.row<{ at: number | null }>('select min(at) as at from events_pending where project_id = $1', [
    projectId,
  ]);
  return row?.at ?? null;
}

export async function findOldestPendingOfAll(sql: Sql): Promise<number | null> {
  return (await sql.row<{ at: number | null }>('select min(at) as at from events_pending'))?.at ?? null;
}

export async function markHours(
  sql: Sql,
  { flowId, version, projectId }: FlowVersion,
  hours: readonly number[],
): Promise<void> {
  if (hours.length === 0) return;
  await sql.run(
    `insert into flow_recompute (flow_id, version, hour, project_id) select $1, $2, h, $3 from unnest($4::timestamptz[]) as w (h)
     order by 3 on conflict do nothing`,
    [flowId, version, projectId, instants(hours)],
  );
}

/** The newest hours first, since they are looked at first. Taken away with this transaction. */
export async function takeHours(sql: Sql, { flowId, version }: FlowVersion, limit: number): Promise<number[]> {
  const rows = await sql.rows<{ hour: number }>(
    `delete from flow_recompute where flow_id = $1 and version = $2
       and hour in (select hour from flow_recompute where flow_id = $1 and version = $2 order by hour desc limit $3) returning hour`,
    [flowId, version, limit],
  );
  return rows.map(row => row.hour).sort((left, right) => left - right);
}

export async function listMarkedHours(
  sql: Sql,
  { flowId, version }: FlowVersion,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const rows = await sql.rows<{ hour: number }>(
    'select hour from flow_recompute where flow_id = $1 and version = $2 and hour >= $3 and hour < $4 order by hour',
    [flowId, version, instant(fromMs), instant(toMs)],
  );
  return rows.map(row => row.hour);
}

export async function setFilled(
  sql: Sql,
  { flowId, version }: FlowVersion,
  nowMs: number,
  completeFrom: number | null,
): Promise<void> {
  await sql.run('update flow_versions set filled_at = $3, complete_from = $4 where flow_id = $1 and version = $2', [
    flowId,
    version,
    instant(nowMs),
    instant(completeFrom),
  ]);
}
