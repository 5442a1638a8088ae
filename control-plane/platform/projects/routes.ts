import { z } from 'zod';
import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../http/endpoint/endpoint.ts';
import { hasChanges } from '../http/endpoint/has-changes.ts';
import { listOf, pageOf, pageParameters, readPage } from '../http/endpoint/pagination.ts';
import { Problem } from '../http/problem.ts';
import { listQuotaUse, type RowCounts, requireQuota, tokenCount } from '../project-limits/quota-store.ts';
import { createToken } from './create-token.ts';
import { type ProjectView, projectPatchSchema, projectViewSchema } from './project.ts';
import { revokeTokens } from './revoke-token.ts';
import { findProject, listTokens, lockProject, toTokenView, updateProject } from './store.ts';
import { auditToken, tokenPostSchema, tokenSchema } from './token.ts';
import { findToken } from './token-store.ts';
import { validateToken } from './validate-token.ts';

/** `counts`: how each quota is counted, of all wings. */
export const projectEndpoints = (counts: RowCounts): readonly Endpoint[] => [
  endpoint({
    method: 'get',
    path: '/v0/project',
    summary: 'Get the project of the token',
    tag: 'Projects',
    scope: 'project:read',
    answers: { 200: projectViewSchema },
    handle: async ({ sql, caller }) => ({ status: 200, body: await showProject(sql, counts, caller.projectId) }),
  }),
  endpoint({
    method: 'patch',
    path: '/v0/project',
    summary: 'Update the name, the allowed origins, or the settings of notices, grouping and sessions',
    tag: 'Projects',
    scope: 'project:write',
    body: projectPatchSchema,
    answers: { 200: projectViewSchema },
    audit: ['project.updated'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      const before = await lockProject(sql, caller.projectId);
      const isChanged = before === null || hasChanges(body, before);
      const after = isChanged ? await updateProject(sql, caller.projectId, body, nowMs) : before;
      const name = after?.name ?? null;
      await record({ action: 'project.updated', subject: caller.projectId, name, before, after });
      return { status: 200, body: await showProject(sql, counts, caller.projectId) };
    },
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
    summary: 'Create a token; its secret is shown only once',
    tag: 'Tokens',
    scope: 'tokens:write',
    confirmed: true,
    body: tokenPostSchema,
    check: async (fields, { caller, nowMs }) => validateToken(fields, caller, nowMs),
    answers: { 201: tokenSchema },
    audit: ['token.created'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      await requireQuota(sql, caller.projectId, tokenCount);
      const { name, scopes, expires_at: expiresAt = caller.expiresAt } = body;
      const made = { projectId: caller.projectId, name, scopes, expiresAt, createdBy: makerOf(caller) };
      const token = await createToken(sql, made, nowMs);
      await record({ action: 'token.created', subject: token.id, name, before: null, after: auditToken(token) });
      return { status: 201, body: token, headers: { Location: `/v0/tokens/${token.id}` } };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/tokens/{id}',
    summary: 'Get a token, without its secret',
    tag: 'Tokens',
    scope: 'tokens:read',
    params: z.object({ id: z.string().max(40) }),
    answers: { 200: tokenSchema },
    handle: async ({ sql, caller, params }) => {
      const row = await findToken(sql, caller.projectId, params.id);
      if (row === null) throw new Problem('not_found');
      return { status: 200, body: toTokenView(row) };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/tokens/{id}',
    summary: 'Revoke a token and, unless `descendants=keep`, all tokens created with it',
    operation: 'revokeToken',
    tag: 'Tokens',
    scope: 'tokens:write',
    params: z.object({ id: z.string().max(40) }),
    query: z.strictObject({ descendants: z.enum(['revoke', 'keep']).default('revoke') }),
    answers: { 204: null },
    audit: ['token.revoked'],
    handle: async ({ sql, caller, params, query, nowMs, record }) => {
      const target = { projectId: caller.projectId, id: params.id, keepDescendants: query.descendants === 'keep' };
      const revoked = await revokeTokens(sql, target, nowMs);
      if (revoked === null) throw new Problem('not_found');
      await record(revoked);
      return { status: 204 };
    },
  }),
];

/** Who makes a token: what a token makes ends with it, also with one of a person. */
function makerOf({ actor: { type, id, token } }: Caller): { type: 'token' | 'person'; id: string } {
  return token === undefined ? { type, id } : { type: 'token', id: token.id };
}

async function showProject(sql: Sql, counts: RowCounts, id: string): Promise<ProjectView | null> {
  const project = await findProject(sql, id);
  return project === null ? null : { ...project, quotas: await listQuotaUse(sql, id, counts) };
}
