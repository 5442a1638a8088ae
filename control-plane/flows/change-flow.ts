import type { z } from 'zod';
import type { Sql } from '../db/sql.ts';
import { fieldProblem, Problem } from '../http/problem.ts';
import { findProject } from '../projects/store.ts';
import type { FlowRule, flowPatchSchema, flowPostSchema } from './flow.ts';
import {
  countFlows,
  deleteVersionsUpTo,
  type FlowRow,
  findFlow,
  insertFlow,
  insertVersion,
  lockFlow,
  updateFlow,
} from './store.ts';

const daySeconds = 86_400;
/** Each arrival is followed in every version of every flow. */
const flowsMax = 100;
const versionsMax = 20;

export async function createFlow(
  sql: Sql,
  projectId: string,
  body: z.output<typeof flowPostSchema>,
  nowMs: number,
): Promise<FlowRow> {
  await checkWindow(sql, projectId, body.window_seconds);
  if ((await countFlows(sql, projectId)) >= flowsMax)
    throw new Problem('validation_failed', { detail: `a project may have at most ${flowsMax} flows` });
  const rule = { steps: body.steps, windowSeconds: body.window_seconds, order: body.order };
  return insertFlow(sql, projectId, body.name, rule, nowMs);
}

/** What changes the counting makes a new version; the last 20 stay readable. */
export async function changeFlow(
  sql: Sql,
  projectId: string,
  id: string,
  body: z.output<typeof flowPatchSchema>,
  nowMs: number,
): Promise<FlowRow> {
  if (!(await lockFlow(sql, projectId, id))) throw new Problem('not_found');
  const before = (await findFlow(sql, projectId, id)) as FlowRow;
  const old: FlowRule = { steps: before.steps, windowSeconds: before.window_seconds, order: before.ordering };
  const rule: FlowRule = {
    steps: body.steps ?? old.steps,
    windowSeconds: body.window_seconds ?? old.windowSeconds,
    order: body.order ?? old.order,
  };
  if (rule.windowSeconds !== old.windowSeconds) await checkWindow(sql, projectId, rule.windowSeconds);
  const version = isSameRule(old, rule) ? before.version : before.version + 1;
  if (version !== before.version) {
    await insertVersion(sql, { flowId: id, projectId, version }, rule, nowMs);
    await deleteVersionsUpTo(sql, id, version - versionsMax);
  }
  await updateFlow(sql, id, body.name ?? before.name, version, nowMs);
  return (await findFlow(sql, projectId, id)) as FlowRow;
}

/** Else the raw events would be gone before the last step may come. */
async function checkWindow(sql: Sql, projectId: string, windowSeconds: number): Promise<void> {
  const project = await findProject(sql, projectId);
  const most = ((project?.event_retention_days ?? 30) - 1) * daySeconds;
  if (windowSeconds > most)
    throw fieldProblem(
      '/window_seconds',
      'out_of_range',
      `must be at most ${most}: a day less than raw events are kept`,
    );
}

function isSameRule(left: FlowRule, right: FlowRule): boolean {
  return (
    left.windowSeconds === right.windowSeconds &&
    left.order === right.order &&
    canonical(left.steps) === canonical(right.steps)
  );
}

/** Stored steps come back with their keys in another order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort())
      : item,
  );
}
