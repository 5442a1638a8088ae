import { instant, type Sql } from '../../../platform/db/sql.ts';

/** What came with signals, once. */
export async function insertOutputs(
  sql: Sql,
  outputs: readonly { monitorId: string; at: number; attempt: number; projectId: string; sealed: Buffer }[],
): Promise<void> {
  if (outputs.length === 0) return;
  await sql.run`
    insert into signal_outputs (monitor_id, at, attempt, project_id, sealed_output)
    select monitor_id, at, attempt, project_id, sealed_output
    from unnest(
      ${outputs.map(({ monitorId }) => monitorId)}::text[],
      ${outputs.map(({ at }) => instant(at))}::timestamptz[],
      ${outputs.map(({ attempt }) => attempt)}::smallint[],
      ${outputs.map(({ projectId }) => projectId)}::text[],
      ${outputs.map(({ sealed }) => sealed)}::bytea[]
    ) as given (monitor_id, at, attempt, project_id, sealed_output)
    on conflict do nothing`;
}

export async function listOutputs(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  toMs: number,
): Promise<{ at: number; attempt: number; sealed_output: Buffer }[]> {
  return sql.rows`
    select at, attempt, sealed_output
    from signal_outputs
    where monitor_id = ${monitorId} and at >= ${instant(fromMs)} and at <= ${instant(toMs)}`;
}

export async function deleteOutputsBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`delete from signal_outputs where at < ${instant(beforeMs)}`;
}
