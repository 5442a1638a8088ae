import { z } from 'zod';
import { allows, type Caller, type Endpoint, endpoint } from '../http/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/pagination.ts';
import { type FieldError, Problem } from '../http/problem.ts';
import { createToken } from './create-token.ts';
import { projectPatchSchema, projectSchema } from './project.ts';
import { findProject, listTokens, revokeToken, toTokenView, updateProject } from './store.ts';
import { type TokenPost, tokenPostSchema, tokenSchema } from './token.ts';

export const projectEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/project',
    summary: 'The token’s own project',
    tag: 'Projects',
    scope: 'project:read',
    answers: { 200: projectSchema },
    handle: async ({ sql, caller }) => ({ status: 200, body: await findProject(sql, caller.projectId) }),
  }),
  endpoint({
    method: 'patch',
    path: '/v0/project',
    summary: 'Change name and allowed origins',
    tag: 'Projects',
    scope: 'project:write',
    body: projectPatchSchema,
    answers: { 200: projectSchema },
    handle: async ({ sql, caller, body }) => ({ status: 200, body: await updateProject(sql, caller.projectId, body) }),
  }),
  endpoint({
    method: 'get',
    path: '/v0/tokens',
    summary: 'List tokens, newest first',
    tag: 'Tokens',
    scope: 'tokens:read',
    query: z.strictObject(pageParameters),
    answers: { 200: listOf(tokenSchema) },
    handle: async ({ sql, caller, query }) => {
      const rows = await listTokens(sql, caller.projectId, readPage('tokens', query));
      return { status: 200, body: pageOf('tokens', query, rows, row => [row.created_at, row.id], toTokenView) };
    },
  }),
  endpoint({
    method: 'post',
    path: '/v0/tokens',
    summary: 'Make a token; its secret is shown this once',
    tag: 'Tokens',
    scope: 'tokens:write',
    body: tokenPostSchema,
    answers: { 201: tokenSchema },
    handle: async ({ sql, caller, body, nowMs }) => {
      const errors = tokenFaults(body, caller, nowMs);
      if (errors.length > 0) throw new Problem('validation_failed', { errors });
      const token = await createToken(
        sql,
        { projectId: caller.projectId, name: body.name, scopes: body.scopes, expiresAt: body.expires_at },
        nowMs,
      );
      return { status: 201, body: token, headers: { Location: `/v0/tokens/${token.id}` } };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/tokens/{id}',
    summary: 'Revoke a token',
    tag: 'Tokens',
    scope: 'tokens:write',
    params: z.object({ id: z.string().max(40) }),
    answers: { 204: null },
    handle: async ({ sql, caller, params, nowMs }) => {
      if (!(await revokeToken(sql, caller.projectId, params.id, nowMs))) throw new Problem('not_found');
      return { status: 204 };
    },
  }),
];

function tokenFaults(body: TokenPost, caller: Caller, nowMs: number): FieldError[] {
  const faults = body.scopes.flatMap((scope, index): FieldError[] =>
    allows(caller.scopes, scope)
      ? []
      : [{ pointer: `/scopes/${index}`, code: 'not_allowed', detail: 'a token cannot give a scope it does not have' }],
  );
  if (body.expires_at !== null && body.expires_at <= nowMs)
    faults.push({ pointer: '/expires_at', code: 'out_of_range', detail: 'must be in the future' });
  return faults;
}
