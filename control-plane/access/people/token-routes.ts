import { z } from 'zod';
import { dayMs } from '#shared/duration.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type CheckRequest, type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { originOf } from '../../platform/http/endpoint/recording.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import { requireQuota, tokenCount } from '../../platform/project-limits/quota-store.ts';
import { createToken } from '../../platform/projects/create-token.ts';
import { revokeTokens } from '../../platform/projects/revoke-token.ts';
import { scopesOfRole } from '../../platform/projects/roles.ts';
import { toTokenView } from '../../platform/projects/store.ts';
import { auditToken, ownTokenPostSchema, tokenSchema } from '../../platform/projects/token.ts';
import { validateToken } from '../../platform/projects/validate-token.ts';
import { lockMembership } from '../members/store.ts';
import { findProjectOfToken, pageOfPersonalTokens } from '../tokens/store.ts';

const own = { tag: 'People', scope: null, peopleOnly: true, anywhere: true, pool: 'people' } as const;
const defaultDays = 90;
const mostDays = 400;

type TokenPost = z.output<typeof ownTokenPostSchema>;

/** One's own tokens: each does in its project what it was given, as far as one's role of now allows. */
export function ownTokenEndpoints({ recordChange }: { recordChange: RecordChange }): readonly Endpoint[] {
  return [
    endpoint({
      ...own,
      method: 'get',
      path: '/v0/me/tokens',
      summary: 'List your personal tokens of all projects, newest first',
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(tokenSchema) },
      handle: async ({ sql, caller, query }) => {
        const rows = await pageOfPersonalTokens(sql, caller.actor.id, readPage('own tokens', query));
        return { status: 200, body: pageOf('own tokens', query, rows, row => [row.created_at, row.id], toTokenView) };
      },
    }),
    endpoint({
      ...own,
      method: 'post',
      path: '/v0/me/tokens',
      summary: 'Create a personal token for one of your projects; its secret is shown only once',
      operation: 'createOwnToken',
      confirmed: true,
      body: ownTokenPostSchema,
      check: errorsOf,
      answers: { 201: tokenSchema },
      audit: ['token.created'],
      handle: async ({ sql, caller, body, nowMs, requestId }) => {
        const { project_id: projectId, name, scopes, expires_at: expiresAt = nowMs + defaultDays * dayMs } = body;
        await requireQuota(sql, projectId, tokenCount);
        const { id: personId } = caller.actor;
        const createdBy = { type: 'person', id: personId } as const;
        const token = await createToken(sql, { projectId, name, scopes, expiresAt, createdBy, personId }, nowMs);
        const change = { action: 'token.created', subject: token.id, name, before: null } as const;
        const origin = { ...originOf({}, caller, requestId), projectId };
        await recordChange(sql, origin, { ...change, after: auditToken(token) }, nowMs);
        return { status: 201, body: token };
      },
    }),
    endpoint({
      ...own,
      method: 'delete',
      path: '/v0/me/tokens/{id}',
      summary: 'Revoke one of your personal tokens, with all tokens created with it',
      operation: 'revokeOwnToken',
      params: z.object({ id: z.string().max(40) }),
      answers: { 204: null },
      audit: ['token.revoked'],
      handle: async ({ sql, caller, params: { id }, nowMs, requestId }) => {
        const projectId = await findProjectOfToken(sql, caller.actor.id, id);
        const revoked =
          projectId === null ? null : await revokeTokens(sql, { projectId, id, keepDescendants: false }, nowMs);
        if (revoked === null) throw new Problem('not_found');
        await recordChange(sql, { ...originOf({}, caller, requestId), projectId }, revoked, nowMs);
        return { status: 204 };
      },
    }),
  ];
}

/** Errors of a new token: a project that is not the person's, a scope beyond their role, an end too far away. */
async function errorsOf(
  fields: ValidFields<TokenPost>,
  { sql, caller, nowMs }: Pick<CheckRequest<unknown>, 'sql' | 'nowMs'> & { caller: Caller },
): Promise<FieldError[]> {
  const { project_id: projectId, expires_at: expiresAt } = fields;
  const errors: FieldError[] = [];
  if (typeof expiresAt === 'number' && expiresAt > nowMs + mostDays * dayMs)
    errors.push({ pointer: '/expires_at', code: 'out_of_range', detail: `must be at most ${mostDays} days ahead` });
  if (projectId === undefined) return errors;
  const member = await lockMembership(sql, projectId, caller.actor.id);
  if (member === null)
    return [...errors, { pointer: '/project_id', code: 'unknown_reference', detail: 'is none of your projects' }];
  const scopes = scopesOfRole(member.role, member.operator);
  return [...errors, ...validateToken(fields, { scopes, expiresAt: null }, nowMs)];
}
