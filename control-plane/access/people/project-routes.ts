import { z } from 'zod';
import type { RecordChange } from '../../platform/audit/record.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { originOf } from '../../platform/http/endpoint/recording.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { Problem } from '../../platform/http/problem.ts';
import { plans } from '../../platform/projects/project.ts';
import { roles } from '../../platform/projects/roles.ts';
import { insertProject, lockProject } from '../../platform/projects/store.ts';
import { findMember, listAdminIds, listProjectsOf, putMember } from '../members/store.ts';
import type { MembersChanged } from '../members/visits.ts';
import type { EmailPeople } from './account-news.ts';
import { listAllProjects } from './project-store.ts';

const tag = 'Projects';
const own = { tag, scope: null, peopleOnly: true, anywhere: true, pool: 'people' } as const;

const ownProjectSchema = z
  .object({ id: z.string(), name: z.string(), role: z.enum(roles).nullable() })
  .meta({ title: 'OwnProject' });

type OwnProjectServices = { recordChange: RecordChange; membersChanged: MembersChanged; emailPeople: EmailPeople };

/** The projects of a person; operators make new ones, and join others where everybody sees it. */
export function ownProjectEndpoints(services: OwnProjectServices): readonly Endpoint[] {
  const { recordChange, membersChanged, emailPeople } = services;
  return [
    endpoint({
      ...own,
      method: 'get',
      path: '/v0/projects',
      summary: 'List your projects with your role; with `all=true`, for operators, every project',
      query: z.strictObject({ all: z.enum(['true', 'false']).default('false') }),
      answers: { 200: z.object({ data: z.array(ownProjectSchema) }) },
      handle: async ({ sql, caller, query }) => {
        const isAll = query.all === 'true';
        if (isAll && caller.operator !== true)
          throw new Problem('insufficient_scope', { detail: 'only people who run the installation see every project' });
        const { id } = caller.actor;
        return { status: 200, body: { data: isAll ? await listAllProjects(sql, id) : await listProjectsOf(sql, id) } };
      },
    }),
    endpoint({
      ...own,
      method: 'post',
      path: '/v0/projects',
      summary: 'Create a project and become its admin',
      operatorOnly: true,
      confirmed: true,
      body: z.object({ name: lineSchema(200), plan: z.enum(plans).default('team') }),
      answers: { 201: ownProjectSchema },
      audit: ['project.created', 'member.added'],
      handle: async ({ sql, caller, body, nowMs, requestId }) => {
        const project = await insertProject(sql, body.name, body.plan, nowMs);
        await putMember(sql, project.id, caller.actor.id, 'admin', nowMs);
        const origin = { ...originOf({}, caller, requestId), projectId: project.id };
        const { id, name } = project;
        await recordChange(
          sql,
          origin,
          { action: 'project.created', subject: id, name, before: null, after: project },
          nowMs,
        );
        await recordChange(sql, origin, addedEntry(caller.actor), nowMs);
        return { status: 201, body: { id, name, role: 'admin' } };
      },
    }),
    endpoint({
      ...own,
      method: 'post',
      path: '/v0/projects/{id}/join',
      summary: 'Become admin of a project; its audit shows it',
      operation: 'joinProject',
      operatorOnly: true,
      confirmed: true,
      params: z.object({ id: z.string().max(40) }),
      answers: { 200: ownProjectSchema },
      audit: ['member.added', 'member.role_changed'],
      handle: async ({ sql, caller, params: { id }, nowMs, requestId }) => {
        const project = await lockProject(sql, id);
        if (project === null) throw new Problem('not_found');
        const member = await findMember(sql, id, caller.actor.id);
        if (member?.role !== 'admin') {
          await putMember(sql, id, caller.actor.id, 'admin', nowMs);
          const origin = { ...originOf({}, caller, requestId), projectId: id };
          await recordChange(sql, origin, addedEntry(caller.actor, member?.role), nowMs);
          await membersChanged(sql, [id], nowMs);
          const personIds = (await listAdminIds(sql, id)).filter(adminId => adminId !== caller.actor.id);
          await emailPeople(sql, { personIds, projectId: id }, { type: 'operator_joined', by: caller.actor.id }, nowMs);
        }
        return { status: 200, body: { id, name: project.name, role: 'admin' } };
      },
    }),
  ];
}

/** The entry of somebody who is admin now, and may have been less before. */
function addedEntry({ id, name }: { id: string; name: string }, formerRole?: string) {
  const after = { role: 'admin' };
  if (formerRole === undefined) return { action: 'member.added', subject: id, name, before: null, after } as const;
  return { action: 'member.role_changed', subject: id, name, before: { role: formerRole }, after } as const;
}
