import { z } from 'zod';
import { allows } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../platform/http/problem.ts';
import { roles } from '../../platform/projects/roles.ts';
import { memberSchema, viewMember } from './member.ts';
import { changeRole, removeMember } from './remove.ts';
import { findMember, listMembers } from './store.ts';
import type { MembersChanged } from './visits.ts';

const tag = 'Members';
const params = z.object({ person_id: z.string().max(40) });

/** Who is in a project, and what they may do there. */
export const memberEndpoints = ({ membersChanged }: { membersChanged: MembersChanged }): readonly Endpoint[] => [
  endpoint({
    method: 'get',
    path: '/v0/members',
    summary: 'List the people of the project, who joined last first',
    tag,
    scope: 'members:read',
    pool: 'people',
    query: z.strictObject({
      ...pageParameters,
      q: z.string().max(200).describe('Part of a name or an address.').optional(),
      role: z.enum(roles).optional(),
    }),
    answers: { 200: listOf(memberSchema) },
    handle: async ({ sql, caller, query }) => {
      const filter = { q: query.q ?? null, role: query.role ?? null };
      const rows = await listMembers(sql, caller.projectId, filter, readPage('members', query));
      return { status: 200, body: pageOf('members', query, rows, row => [row.joined_at, row.person_id], viewMember) };
    },
  }),
  endpoint({
    method: 'patch',
    path: '/v0/members/{person_id}',
    summary: 'Change what a person may do in the project',
    tag,
    scope: 'members:write',
    peopleOnly: true,
    confirmed: true,
    pool: 'people',
    params,
    body: z.object({ role: z.enum(roles) }),
    answers: { 200: memberSchema },
    audit: ['member.role_changed'],
    handle: async ({ sql, caller, params, body, nowMs, record }) => {
      const target = { projectId: caller.projectId, personId: params.person_id };
      await record(await changeRole(sql, target, body.role, nowMs));
      const row = await findMember(sql, target.projectId, target.personId);
      if (row === null) throw new Problem('not_found');
      return { status: 200, body: viewMember(row) };
    },
  }),
  endpoint({
    method: 'delete',
    path: '/v0/members/{person_id}',
    summary: 'Remove a person from the project, or leave it yourself',
    operation: 'removeMember',
    tag,
    // Anybody may leave.
    scope: null,
    peopleOnly: true,
    confirmed: true,
    pool: 'people',
    params,
    query: z.strictObject({
      tokens: z
        .enum(['keep', 'revoke'])
        .default('keep')
        .describe('What becomes of the tokens of the project that the person made.'),
    }),
    answers: { 204: null },
    audit: ['member.removed', 'member.left'],
    handle: async ({ sql, caller, params, query, nowMs, record }) => {
      const leaves = params.person_id === caller.actor.id;
      if (!leaves && !allows(caller.scopes, 'members:write'))
        throw new Problem('insufficient_scope', { detail: 'this endpoint needs the scope members:write' });
      if (leaves && query.tokens === 'revoke' && !allows(caller.scopes, 'tokens:write'))
        throw new Problem('insufficient_scope', { detail: 'revoking tokens needs the scope tokens:write' });
      const target = { projectId: caller.projectId, personId: params.person_id };
      await record(await removeMember(sql, target, { tokens: query.tokens, leaves }, nowMs));
      await membersChanged(sql, [target.projectId], nowMs);
      return { status: 204 };
    },
  }),
];
