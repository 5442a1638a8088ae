import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { FlowRule, FlowVersion, Step } from './flow.ts';

export type FlowRow = {
  id: string;
  project_id: string;
  name: string;
  version: number;
  steps: Step[];
  window_seconds: number;
  ordering: FlowRule['order'];
  created_at: number;
  updated_at: number;
};

const flowColumns =
  'f.id, f.project_id, f.name, f.version, v.steps, v.window_seconds, v.ordering, f.created_at, f.updated_at';
const current = 'flows f join flow_versions v on v.flow_id = f.id and v.version = f.version';

export async function insertFlow(
  sql: Sql,
  projectId: string,
  name: string,
  rule: FlowRule,
  nowMs: number,
): Promise<FlowRow> {
  const id = newId('flow');
  await sql.run(
    'insert into flows (id, project_id, name, version, created_at, updated_at) values ($1, $2, $3, 1, $4, $4)',
    [id, projectId, name, instant(nowMs)],
  );
  await insertVersion(sql, { flowId: id, projectId, version: 1 }, rule, nowMs);
  return (await findFlow(sql, projectId, id)) as FlowRow;
}

export async function insertVersion(
  sql: Sql,
  { flowId, projectId, version }: { flowId: string; projectId: string; version: number },
  rule: FlowRule,
  nowMs: number,
): Promise<void> {
  await sql.run(
    `insert into flow_versions (flow_id, version, project_id, steps, window_seconds, ordering, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
    [flowId, version, projectId, JSON.stringify(rule.steps), rule.windowSeconds, rule.order, instant(nowMs)],
  );
}

/** Names and counts up; `version` is the one that the new rule was stored under. */
export async function updateFlow(sql: Sql, id: string, name: string, version: number, nowMs: number): Promise<void> {
  await sql.run('update flows set name = $2, version = $3, updated_at = $4 where id = $1', [
    id,
    name,
    version,
    instant(nowMs),
  ]);
}

/** Locked until the transaction ends, so that of two changes at once each makes a version of its own. */
export async function lockFlow(sql: Sql, projectId: string, id: string): Promise<boolean> {
  return (await sql.row('select 1 from flows where project_id = $1 and id = $2 for update', [projectId, id])) !== null;
}

export async function findFlow(sql: Sql, projectId: string, id: string): Promise<FlowRow | null> {
  return sql.row<FlowRow>(`select ${flowColumns} from ${current} where f.project_id = $1 and f.id = $2`, [
    projectId,
    id,
  ]);
}

export async function listFlows(sql: Sql, projectId: string, page: Page): Promise<FlowRow[]> {
  return sql.rows<FlowRow>(
    `select ${flowColumns} from ${current} where f.project_id = $1 and ($2::timestamptz is null or (f.created_at, f.id) < ($2, $3))
     order by f.created_at desc, f.id desc limit $4`,
    [projectId, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
}

export async function countFlows(sql: Sql, projectId: string): Promise<number> {
  const row = await sql.row<{ count: number }>('select count(*) as count from flows where project_id = $1', [
    projectId,
  ]);
  return row?.count ?? 0;
}

/** Old versions, with their hours. */
export async function deleteVersionsUpTo(sql: Sql, id: string, version: number): Promise<void> {
  for (const table of ['events_hourly', 'flow_recompute', 'flow_versions'])
    await sql.run(`delete from ${table} where flow_id = $1 and version <= $2`, [id, version]);
}

/** With its versions and hours. */
export async function deleteFlow(sql: Sql, projectId: string, id: string): Promise<boolean> {
  return (await sql.run('delete from flows where project_id = $1 and id = $2', [projectId, id])) === 1;
}

export async function deleteFlowsOf(sql: Sql, projectId: string): Promise<number> {
  return sql.run('delete from flows where project_id = $1', [projectId]);
}

type VersionRow = {
  flow_id: string;
  project_id: string;
  version: number;
  steps: Step[];
  window_seconds: number;
  ordering: FlowRule['order'];
  filled_at: number | null;
  complete_from: number | null;
};

export async function findVersion(sql: Sql, flowId: string, version: number): Promise<FlowVersion | null> {
  const row = await sql.row<VersionRow>('select * from flow_versions where flow_id = $1 and version = $2', [
    flowId,
    version,
  ]);
  return row === null ? null : toVersion(row);
}

/** Every version of every flow of a project. */
export async function listVersions(sql: Sql, projectId: string): Promise<FlowVersion[]> {
  const rows = await sql.rows<VersionRow>(
    'select * from flow_versions where project_id = $1 order by flow_id, version',
    [projectId],
  );
  return rows.map(toVersion);
}

function toVersion(row: VersionRow): FlowVersion {
  return {
    flowId: row.flow_id,
    projectId: row.project_id,
    version: row.version,
    steps: row.steps,
    windowSeconds: row.window_seconds,
    order: row.ordering,
    filledAt: row.filled_at,
    completeFrom: row.complete_from,
  };
}

export function viewFlow(row: FlowRow) {
  const { ordering, created_at, updated_at, steps, ...rest } = row;
  return {
    ...rest,
    steps: steps.map(step => ({ ...step, name: step.name ?? step.event })),
    order: ordering,
    created_at: toTimestamp(created_at),
    updated_at: toTimestamp(updated_at),
  };
}
