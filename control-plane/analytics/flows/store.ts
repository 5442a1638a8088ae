import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, identifier, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { FlowRule, FlowVersion, FlowVersionKey, Step } from './flow.ts';

/** A flow with the rule of its current version. */
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

const columns = fragment`f.id, f.project_id, f.name, f.version, v.steps, v.window_seconds, v.ordering,
      f.created_at, f.updated_at`;

/** Inserts a flow with its first version. */
export async function insertFlow(
  sql: Sql,
  projectId: string,
  name: string,
  rule: FlowRule,
  nowMs: number,
  completeFrom: number | null = null,
): Promise<FlowRow> {
  const id = newId('flow');
  await sql.run`
    insert into flows (id, project_id, name, version, created_at, updated_at)
    values (${id}, ${projectId}, ${name}, 1, ${instant(nowMs)}, ${instant(nowMs)})`;
  await insertVersion(sql, { flowId: id, projectId, version: 1 }, rule, nowMs, completeFrom);
  return (await findFlow(sql, projectId, id)) as FlowRow;
}

/** `completeFrom`: entries before are lost already; null if none are. */
export async function insertVersion(
  sql: Sql,
  { flowId, projectId, version }: FlowVersionKey,
  rule: FlowRule,
  nowMs: number,
  completeFrom: number | null,
): Promise<void> {
  await sql.run`
    insert into flow_versions (
      flow_id, version, project_id, steps, window_seconds, ordering, complete_from, created_at
    )
    values (
      ${flowId}, ${version}, ${projectId}, ${JSON.stringify(rule.steps)}, ${rule.windowSeconds}, ${rule.order},
      ${instant(completeFrom)}, ${instant(nowMs)}
    )`;
}

/** Sets name and current version. The version must be stored already. */
export async function updateFlow(sql: Sql, id: string, name: string, version: number, nowMs: number): Promise<void> {
  await sql.run`
    update flows
    set name = ${name}, version = ${version}, updated_at = ${instant(nowMs)}
    where id = ${id}`;
}

/**
 * Locks the flow until the transaction ends, so that concurrent changes get versions of their own. False if there is
 * none.
 */
export async function lockFlow(sql: Sql, projectId: string, id: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from flows
    where project_id = ${projectId}
      and id = ${id}
    for update`;
  return row !== null;
}

/** The flow with its current rule; null if there is none. */
export async function findFlow(sql: Sql, projectId: string, id: string): Promise<FlowRow | null> {
  return sql.row<FlowRow>`
    select ${columns}
    from flows f
    join flow_versions v on v.flow_id = f.id and v.version = f.version
    where f.project_id = ${projectId}
      and f.id = ${id}`;
}

/** Newest first: one more than the page. */
export async function listFlows(sql: Sql, projectId: string, page: Page): Promise<FlowRow[]> {
  return sql.rows<FlowRow>`
    select ${columns}
    from flows f
    join flow_versions v on v.flow_id = f.id and v.version = f.version
    where f.project_id = ${projectId}
      and ${olderThan(page, fragment`f.created_at, f.id`)}
    order by f.created_at desc, f.id desc
    limit ${page.limit + 1}`;
}

/** Deletes versions up to and including this one, with their hours. */
export async function deleteVersionsUpTo(sql: Sql, id: string, version: number): Promise<void> {
  for (const table of ['events_hourly', 'flow_recompute', 'flow_versions'])
    await sql.run`
      delete from ${identifier(table)}
      where flow_id = ${id}
        and version <= ${version}`;
}

/** Deletes a flow with its versions and hours. */
export async function deleteFlow(sql: Sql, projectId: string, id: string): Promise<void> {
  await sql.run`
    delete from flows
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Deletes all flows of a project with their versions and hours, and returns how many. */
export async function deleteFlowsOf(sql: Sql, projectId: string): Promise<number> {
  return sql.run`delete from flows where project_id = ${projectId}`;
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

const versionColumns = fragment`flow_id, project_id, version, steps, window_seconds, ordering, filled_at,
      complete_from`;

/** Null if there is no such version, or not any more. */
export async function findVersion(sql: Sql, flowId: string, version: number): Promise<FlowVersion | null> {
  const row = await sql.row<VersionRow>`
    select ${versionColumns}
    from flow_versions
    where flow_id = ${flowId}
      and version = ${version}`;
  return row === null ? null : toVersion(row);
}

/**
 * A version's work: whether its hours are listed, minutes were postponed, and hours are to be computed; how often it
 * failed since it was last up to date, and when it is tried again.
 */
export type VersionWork = FlowVersionKey & {
  isFilled: boolean;
  isBehind: boolean;
  isDirty: boolean;
  failures: number;
  retryAtMs: number | null;
};

type WorkRow = {
  flow_id: string;
  version: number;
  filled: boolean;
  behind: boolean;
  dirty: boolean;
  failures: number;
  retry_at: number | null;
};

/** Every stored version of every flow of a project, without its rule: all rules may be too large for memory. */
export async function listVersions(sql: Sql, projectId: string): Promise<VersionWork[]> {
  const rows = await sql.rows<WorkRow>`
    select
      flow_id,
      version,
      strikes as failures,
      rests_until as retry_at,
      filled_at is not null as filled,
      exists (select from flow_arrivals a where a.flow_id = v.flow_id and a.version = v.version) as behind,
      exists (select from flow_recompute r where r.flow_id = v.flow_id and r.version = v.version) as dirty
    from flow_versions v
    where project_id = ${projectId}
    order by flow_id, version`;
  return rows.map(row => ({
    flowId: row.flow_id,
    version: row.version,
    projectId,
    isFilled: row.filled,
    isBehind: row.behind,
    isDirty: row.dirty,
    failures: row.failures,
    retryAtMs: row.retry_at,
  }));
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

/** A flow as the API shows it: a step without a name is named after its event. */
export function viewFlow(row: FlowRow) {
  const { ordering, created_at, updated_at, steps, ...rest } = row;
  return {
    ...rest,
    key: null,
    managed_by: null,
    steps: steps.map(step => ({ ...step, name: step.name ?? step.event })),
    order: ordering,
    created_at: toTimestamp(created_at),
    updated_at: toTimestamp(updated_at),
  };
}
