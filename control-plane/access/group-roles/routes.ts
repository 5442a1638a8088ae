import { z } from 'zod';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import type { MembersChanged } from '../members/visits.ts';
import { accessCounts } from '../quotas/store.ts';
import { removeGroupRole } from './follow.ts';
import { auditGroupRole, groupRolePostSchema, groupRoleSchema, viewGroupRole } from './group-role.ts';
import { insertGroupRole, listGroupRoles } from './store.ts';

const tag = 'Members';
const written = { tag, scope: 'members:write', peopleOnly: true, confirmed: true, pool: 'people' } as const;

/** What groups of the identity provider give in a project. */
export const groupRoleEndpoints = ({ membersChanged }: { membersChanged: MembersChanged }): readonly Endpoint[] => [
  endpoint({
    method: 'get',
    path: '/v0/group-roles',
    summary: 'List the roles that groups of the identity provider give, newest first',
    tag,
    scope: 'members:read',
    pool: 'people',
    query: z.strictObject(pageParameters),
    answers: { 200: listOf(groupRoleSchema) },
    handle: async ({ sql, caller, query }) => {
      const rows = await listGroupRoles(sql, caller.projectId, readPage('group-roles', query));
      return { status: 200, body: pageOf('group-roles', query, rows, row => [row.created_at, row.id], viewGroupRole) };
    },
  }),
  endpoint({
    ...written,
    method: 'post',
    path: '/v0/group-roles',
    summary: 'Give the members of a group a role from their next sign-in on',
    body: groupRolePostSchema,
    answers: { 201: groupRoleSchema },
    audit: ['group_role.created'],
    handle: async ({ sql, caller, body, nowMs, record }) => {
      const { projectId } = caller;
      await requireQuota(sql, projectId, accessCounts.group_roles);
      const row = await insertGroupRole(sql, { projectId, ...body }, nowMs);
      if (row === null) throw new Problem('name_taken', { detail: 'the group has a role in the project already' });
      await record({
        action: 'group_role.created',
        subject: row.id,
        name: row.group,
        before: null,
        after: auditGroupRole(row),
      });
      return { status: 201, body: viewGroupRole(row) };
    },
  }),
  endpoint({
    ...written,
    method: 'delete',
    path: '/v0/group-roles/{id}',
    summary: 'Take the role from a group, at once',
    params: z.object({ id: z.string().max(40) }),
    answers: { 204: null },
    audit: ['group_role.deleted'],
    handle: async ({ sql, caller, params: { id }, nowMs, record }) => {
      await record(await removeGroupRole(sql, { projectId: caller.projectId, id }, membersChanged, nowMs));
      return { status: 204 };
    },
  }),
];
