import type { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import type { Project } from '../../platform/projects/project.ts';
import { findProject } from '../../platform/projects/store.ts';
import { analyticsCounts } from '../quotas/store.ts';
import type { FlowRule, flowPatchSchema, flowPostSchema } from './flow.ts';
import { completeFrom, rawFrom } from './roll-up/dirty-hours.ts';
import {
  deleteVersionsUpTo,
  type FlowRow,
  findFlow,
  insertFlow,
  insertVersion,
  lockFlow,
  updateFlow,
} from './store.ts';

const daySeconds = 86_400;
/** Each arrival is evaluated in every version of every flow. */
const versionsMax = 20;

/** Throws `validation_failed` if the window is too long, and `limit_reached`. */
export async function createFlow(
  sql: Sql,
  projectId: string,
  body: z.output<typeof flowPostSchema>,
  nowMs: number,
): Promise<FlowRow> {
  const project = await findProject(sql, projectId);
  checkWindow(project, body.window_seconds);
  await requireQuota(sql, projectId, analyticsCounts.flows);
  const rule = { steps: body.steps, windowSeconds: body.window_seconds, order: body.order };
  return insertFlow(sql, projectId, body.name, rule, nowMs, lostBefore(project, nowMs));
}

/** A change of steps, window or order creates a new version; the last 20 stay readable. Throws `not_found`. */
export async function changeFlow(
  sql: Sql,
  { projectId, id, expectedUpdate }: { projectId: string; id: string; expectedUpdate: number | null },
  body: z.output<typeof flowPatchSchema>,
  nowMs: number,
): Promise<{ before: FlowRow; flow: FlowRow }> {
  if (!(await lockFlow(sql, projectId, id))) throw new Problem('not_found');
  const before = (await findFlow(sql, projectId, id)) as FlowRow;
  requireUnchanged(expectedUpdate, before.updated_at);
  const old: FlowRule = { steps: before.steps, windowSeconds: before.window_seconds, order: before.ordering };
  const rule: FlowRule = {
    steps: body.steps ?? old.steps,
    windowSeconds: body.window_seconds ?? old.windowSeconds,
    order: body.order ?? old.order,
  };
  const project = await findProject(sql, projectId);
  if (rule.windowSeconds !== old.windowSeconds) checkWindow(project, rule.windowSeconds);
  const version = isSameRule(old, rule) ? before.version : before.version + 1;
  if (version !== before.version) {
    await insertVersion(sql, { flowId: id, projectId, version }, rule, nowMs, lostBefore(project, nowMs));
    await deleteVersionsUpTo(sql, id, version - versionsMax);
  }
  const name = body.name ?? before.name;
  if (name === before.name && version === before.version) return { before, flow: before };
  await updateFlow(sql, id, name, version, nowMs);
  return { before, flow: (await findFlow(sql, projectId, id)) as FlowRow };
}

/** Events of entries before are past their retention when a version is created now; null if the project is younger. */
function lostBefore(project: Project | null, nowMs: number): number | null {
  return project === null ? null : completeFrom(Date.parse(project.created_at), rawFrom(project, nowMs));
}

/** Otherwise the raw events of an entry would be deleted before its last step can arrive. */
function checkWindow(project: Project | null, windowSeconds: number): void {
  const windowMax = ((project?.event_retention_days ?? 30) - 1) * daySeconds;
  if (windowSeconds > windowMax)
    throw fieldProblem(
      '/window_seconds',
      'out_of_range',
      `must be at most ${windowMax}: one day less than the retention of raw events`,
    );
}

function isSameRule(left: FlowRule, right: FlowRule): boolean {
  return (
    left.windowSeconds === right.windowSeconds &&
    left.order === right.order &&
    canonical(left.steps) === canonical(right.steps)
  );
}

/** JSON with sorted keys: jsonb does not preserve their order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort())
      : item,
  );
}
