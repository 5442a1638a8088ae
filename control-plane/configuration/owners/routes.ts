import { z } from 'zod';
import { configTypes } from '#shared/config-types.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import { requireScopes } from '../kinds/scopes.ts';
import { releaseOwners } from './store.ts';

const releaseSchema = z.object({
  type: z.enum(configTypes).optional(),
  id: z.string().max(40).optional(),
  manager: z.string().max(63).optional(),
});

export const ownerEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/v0/config/release',
    operation: 'releaseConfig',
    summary: 'Release what a manager manages, or one resource; nothing else changes',
    tag: 'Configuration',
    scope: null,
    body: releaseSchema,
    answers: { 204: null },
    audit: ['config.released'],
    handle: async ({ sql, caller, body, record }) => {
      const { manager = null, id = null, type = null } = body;
      if ((manager === null) === (id === null) || (id === null) !== (type === null))
        throw fieldProblem('', 'required', 'needs `manager`, or `type` and `id`');
      const types = await releaseOwners(sql, caller.projectId, { manager, id, type });
      requireScopes(types, caller.scopes, 'write');
      if (types.length > 0) {
        const subject = id ?? caller.projectId;
        const after = { resources: types.length };
        await record({ action: 'config.released', subject, name: manager, before: null, after });
      }
      return { status: 204 };
    },
  }),
];
