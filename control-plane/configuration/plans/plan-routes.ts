import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { hourMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import type { Sql } from '../../platform/db/sql.ts';
import {
  type Answer,
  type Endpoint,
  endpoint,
  largeBody,
  stepEndpoint,
} from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { backtestDays } from '../backtest/backtest.ts';
import { backtestPlan } from '../backtest/run.ts';
import { isReaderOf } from '../kinds/scopes.ts';
import { carryOut } from './carry-out.ts';
import { addDrift } from './drift.ts';
import { planMarkdown } from './markdown.ts';
import { countsOf } from './outcome.ts';
import { type Plan, type PlanRequest, planRequestSchema, planSchema } from './plan.ts';
import type { Outcome, Wanted } from './run.ts';
import { documentsProblem } from './sources.ts';
import { insertPlan, takePlanPlace } from './store.ts';
import { documentHash, type PlanServices, readPlan, type StoredPlan, sealPart, wantedOf } from './stored-plan.ts';

const tag = 'Configuration';
const answers = { 200: planSchema };

export function planEndpoints({ keyring, pepper, endpoints }: PlanServices): readonly Endpoint[] {
  return [
    stepEndpoint({
      method: 'post',
      path: '/v0/config/plan',
      operation: 'planConfig',
      summary: 'Plan what documents would change; nothing is changed',
      tag,
      scope: null,
      body: planRequestSchema,
      bodyLimits: largeBody,
      answers,
      handle: async ({ body, caller, requestId, transact, save, charge, now }) => {
        const wanted = wantedOf(body, caller.projectId);
        const types = [...new Set(wanted.merged.items.map(({ type }) => type))];
        const byReader = isReaderOf(types, caller.scopes);
        // Who may not apply a plan locks no less by it.
        await charge(Math.floor(wanted.merged.items.length / (byReader ? 10 : 100)));
        const nowMs = now();
        const hash = await documentHash(pepper);
        const record = async () => true;
        const tryOut = async (sql: Sql) => {
          if (!(await takePlanPlace(sql, caller.projectId, byReader)))
            throw new Problem('rate_limited', { retryAfter: 2, detail: 'two plans of the project are being made' });
          const transacted = { sql, caller, nowMs, requestId, record };
          const tried = await carryOut({ endpoints, keyring, hash }, transacted, wanted, false);
          await addDrift(sql, caller.projectId, tried.watched);
          return tried;
        };
        const outcome = await transact(tryOut, { undo: true });
        if (outcome.errors.length > 0) throw documentsProblem(outcome.errors);
        const days = backtestDays[body.backtest];
        const read = <Result>(work: (sql: Sql) => Promise<Result>) => transact(work, { undo: true });
        const reading = { keyring, projectId: caller.projectId, nowMs, transact: read };
        const backtest = days === 0 ? null : await backtestPlan(reading, outcome.tried, days);
        const plan = planOf(caller.projectId, body, wanted, { ...outcome, backtest }, nowMs);
        const answer: Answer = { status: 200, body: plan };
        await transact(async sql => {
          const { id, manager } = plan;
          const stored: StoredPlan = { plan, basis: outcome.basis, types };
          const sealed = {
            sealed_request: sealPart(keyring, id, 'request', body),
            sealed_plan: sealPart(keyring, id, 'plan', stored),
          };
          const times = { created_at: nowMs, expires_at: nowMs + hourMs, by_reader: byReader };
          await insertPlan(sql, caller.projectId, { id, manager, ...sealed, ...times });
          await save(sql, answer);
        });
        return answer;
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/config/plans/{id}',
      operation: 'getConfigPlan',
      summary: 'Get a plan',
      tag,
      scope: null,
      params: z.object({ id: z.string().max(40) }),
      answers,
      mediaTypes: ['application/json', 'text/markdown'],
      handle: async ({ sql, caller, params, nowMs, accept }) => {
        const { plan } = await readPlan(sql, keyring, caller, params.id, nowMs);
        const headers = { Vary: 'Accept' };
        if (!/\btext\/markdown\b/.test(accept)) return { status: 200, body: plan, headers };
        return { status: 200, headers, text: { type: 'text/markdown', content: planMarkdown(plan) } };
      },
    }),
  ];
}

function planOf(
  projectId: string,
  { partial }: PlanRequest,
  { merged }: Wanted,
  { actions, unchanged, remaining, backtest, isUncompared, warnings }: Outcome & Pick<Plan, 'backtest'>,
  nowMs: number,
): Plan {
  const reasons: Plan['reasons'] = [];
  if (actions.some(({ action }) => action === 'conflict')) reasons.push('conflicts');
  if (remaining > 0 && !partial) reasons.push('too_many_changes');
  if (isUncompared) reasons.push('uncompared');
  return {
    id: newId('pln', nowMs),
    project_id: projectId,
    manager: merged.manager,
    created_at: toTimestamp(nowMs),
    expires_at: toTimestamp(nowMs + hourMs),
    applied_at: null,
    applicable: reasons.length === 0,
    reasons,
    counts: countsOf(actions, unchanged),
    remaining,
    // What was created is undone: it has no id yet.
    actions: actions.map(action => (action.action === 'create' ? { ...action, id: null } : action)),
    backtest,
    warnings: warnings.slice(0, 100),
  };
}
