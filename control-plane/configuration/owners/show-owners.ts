import type { Sql } from '../../platform/db/sql.ts';
import type { Answer, Endpoint, Request } from '../../platform/http/endpoint/endpoint.ts';
import { orderedKinds } from '../kinds/kinds.ts';
import { findOwners } from './store.ts';

type Shown = { id: string; key: unknown; managed_by: unknown };

/** The endpoint, with who manages what it answers with: `key` and `managed_by` of each resource. */
export function showingOwners(declared: Endpoint): Endpoint {
  if (declared.kind !== 'transaction' || !orderedKinds.some(({ path }) => isOf(path, declared.path))) return declared;
  return {
    ...declared,
    handle: async (request: Request<unknown, unknown, unknown>) => {
      const answer = await declared.handle(request);
      return withOwners(request.sql, request.caller.projectId, answer);
    },
  };
}

function isOf(list: string, path: string): boolean {
  return path === list || path.startsWith(`${list}/{id}`);
}

async function withOwners(sql: Sql, projectId: string, answer: Answer): Promise<Answer> {
  const { body } = answer;
  const { data } = (body ?? {}) as { data?: unknown };
  const shown = (Array.isArray(data) ? data : [body]).filter(isShown);
  if (shown.length === 0) return answer;
  const ids = shown.map(({ id }) => id);
  const owners = new Map((await findOwners(sql, projectId, ids)).map(owner => [owner.resource_id, owner]));
  if (owners.size === 0) return answer;
  const owned = (value: unknown) => {
    const owner = isShown(value) ? owners.get(value.id) : undefined;
    return owner === undefined ? value : { ...(value as Shown), key: owner.key, managed_by: owner.managed_by };
  };
  return { ...answer, body: Array.isArray(data) ? { ...(body as object), data: data.map(owned) } : owned(body) };
}

function isShown(value: unknown): value is Shown {
  return typeof value === 'object' && value !== null && 'managed_by' in value && 'id' in value;
}
