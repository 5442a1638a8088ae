import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { type ConfigType, configTypes } from '#shared/config-types.ts';
import { actorTypes } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { allows, type Caller } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf } from '../../platform/http/endpoint/pagination.ts';
import { listAudit } from '../../platform/projects/audit-store.ts';
import { configKinds } from '../kinds/kinds.ts';
import { countManaged } from './store.ts';

/** Applies that are looked through for the last one of each manager. */
const appliesRead = 200;

const managerSchema = z
  .object({
    manager: z.string(),
    resources: z.array(z.object({ type: z.enum(configTypes), count: z.int() })),
    last_apply: z
      .object({
        at: z.string(),
        plan_id: z.string().nullable(),
        actor: z.object({ type: z.enum(actorTypes), id: z.string(), name: z.string().nullable() }),
      })
      .nullable(),
  })
  .meta({ title: 'ConfigManager' });
type Manager = z.infer<typeof managerSchema>;

export const managerEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/config/managers',
    operation: 'listConfigManagers',
    summary: 'List the managers whose documents describe resources of the project',
    tag: 'Configuration',
    scope: null,
    answers: { 200: listOf(managerSchema) },
    handle: async ({ sql, caller }) => {
      const data = await listManagers(sql, caller);
      return { status: 200, body: { data, pagination: { has_more: false, next_cursor: null } } };
    },
  }),
];

/** Types that the caller may not read are left out, and so are applies if it may not read the audit. */
async function listManagers(sql: Sql, { projectId, scopes }: Caller): Promise<Manager[]> {
  const counts = (await countManaged(sql, projectId)).filter(({ type }) =>
    allows(scopes, `${configKinds[type as ConfigType].scope}:read`),
  );
  const applies = allows(scopes, 'audit:read') ? await lastApplies(sql, projectId) : new Map();
  return [...Map.groupBy(counts, ({ manager }) => manager)].map(([manager, own]) => {
    const resources = own.map(({ type, count }) => ({ type: type as ConfigType, count }));
    return { manager, resources, last_apply: applies.get(manager) ?? null };
  });
}

async function lastApplies(sql: Sql, projectId: string): Promise<Map<string, Manager['last_apply']>> {
  const filter = { subject: null, actor: null, actions: ['config.applied'], fromMs: null, toMs: null };
  const rows = await listAudit(sql, projectId, filter, { after: null, limit: appliesRead });
  const applies = new Map<string, Manager['last_apply']>();
  for (const { name, at, plan_id, actor, actor_type: type, actor_name } of rows) {
    if (name === null || type === null || applies.has(name)) continue;
    applies.set(name, { at: toTimestamp(at), plan_id, actor: { type, id: actor, name: actor_name } });
  }
  return applies;
}
