import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { queueWebhookEvent } from '../../delivery/notifications/webhooks/queue-event.ts';
import type { Change } from '../../platform/audit/entry.ts';
import { type Answer, type Endpoint, stepEndpoint } from '../../platform/http/endpoint/endpoint.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { lockKeys } from '../owners/store.ts';
import { carryOut } from './carry-out.ts';
import { applyRequestSchema, type Plan, planSchema } from './plan.ts';
import type { Outcome } from './run.ts';
import { changedOf, isOvertaken, stale } from './stale.ts';
import { lockConfiguration, markApplied } from './store.ts';
import { documentHash, type PlanServices, readPlan, requestOf, sealPart, wantedOf } from './stored-plan.ts';

export function applyEndpoints({ keyring, pepper, endpoints }: PlanServices): readonly Endpoint[] {
  const audit = [...new Set(endpoints.flatMap(declared => declared.audit ?? [])), 'config.applied' as const];
  return [
    stepEndpoint({
      method: 'post',
      path: '/v0/config/apply',
      operation: 'applyConfig',
      summary: 'Apply a plan: all of it, or nothing',
      tag: 'Configuration',
      scope: null,
      body: applyRequestSchema,
      answers: { 200: planSchema },
      audit,
      via: 'apply',
      handle: async ({ body, caller, transact, record: write, requestId, now, save }) => {
        const hash = await documentHash(pepper);
        return transact(async sql => {
          const nowMs = now();
          if (!(await lockConfiguration(sql, caller.projectId))) throw new Problem('apply_in_progress');
          await lockKeys(sql, caller.projectId, 'alone');
          const { row, plan, basis, types } = await readPlan(sql, keyring, caller, body.plan_id, nowMs);
          if (row.applied_at !== null) return { status: 200, body: plan };
          requireApplicable(plan, body.expected_deletes);
          const record = (change: Change) => write(sql, change, nowMs, row.id);
          const wanted = wantedOf(requestOf(keyring, row), caller.projectId);
          const transacted = { sql, caller, nowMs, requestId, record };
          requireFresh(basis, await carryOut({ endpoints, keyring, hash }, transacted, wanted, true).catch(rethrow));
          const applied = { ...plan, applied_at: toTimestamp(nowMs), expires_at: toTimestamp(nowMs + dayMs) };
          if (plan.actions.length > 0) {
            const after = { manager: plan.manager, ...plan.counts };
            await record({ action: 'config.applied', subject: plan.id, name: plan.manager, before: null, after });
            const data = {
              plan_id: plan.id,
              manager: plan.manager,
              counts: plan.counts,
              applied_at: applied.applied_at,
            };
            const { projectId } = caller;
            await queueWebhookEvent(sql, { projectId, kind: 'config.applied', subject: plan.id, data }, nowMs);
          }
          const sealed = sealPart(keyring, row.id, 'plan', { plan: applied, basis: {}, types });
          await markApplied(sql, row.id, sealed, nowMs + dayMs, nowMs);
          const answer: Answer = { status: 200, body: applied };
          await save(sql, answer);
          return answer;
        });
      },
    }),
  ];
}

function requireApplicable({ reasons, counts }: Plan, expectedDeletes: number): void {
  if (reasons.includes('conflicts')) throw new Problem('plan_has_conflicts');
  if (reasons.includes('too_many_changes'))
    throw fieldProblem('/plan_id', 'out_of_range', 'has more than 500 changes; plan with `partial` to apply in parts');
  if (reasons.includes('uncompared'))
    throw new Problem('plan_stale', {
      detail: 'the plan was made by a token that may not compare all values; plan again with one that may write',
      extra: { changed: [] },
    });
  if (counts.delete === expectedDeletes) return;
  const detail = `the plan deletes ${counts.delete}; say so in \`expected_deletes\``;
  throw new Problem('count_changed', { detail, extra: { matched: counts.delete } });
}

/** Throws `plan_stale` unless each resource is as the plan saw it, and nothing was refused. */
function requireFresh(basis: Outcome['basis'], outcome: Outcome): void {
  const names = new Set([...Object.keys(basis), ...Object.keys(outcome.basis)]);
  const changed = [...names]
    .filter(name => basis[name] !== outcome.basis[name])
    .map(name => changedOf(name, outcome.basis[name] ?? basis[name]));
  const isRefused = outcome.errors.length > 0 || outcome.actions.some(({ action }) => action === 'conflict');
  if (changed.length > 0 || isRefused) throw stale(changed);
}

/** A resource that changed between being compared and being written makes the plan stale, too. */
function rethrow(error: unknown): never {
  if (isOvertaken(error)) throw stale([]);
  throw error;
}
