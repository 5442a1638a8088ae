import { removeGroupRole } from '../../access/group-roles/follow.ts';
import { auditGroupRole, groupRolePostSchema, viewGroupRole } from '../../access/group-roles/group-role.ts';
import { insertGroupRole, listGroupRoles } from '../../access/group-roles/store.ts';
import { accessCounts } from '../../access/quotas/store.ts';
import { Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import type { Command } from './command-type.ts';
import { type Options, requireOption } from './options.ts';
import { requireProject } from './projects.ts';
import { madeEntry } from './record.ts';
import type { CommandServices } from './services.ts';

const listedMax = 10_000;

/** What the operator does with roles that groups give. */
export const groupRoleCommands: Readonly<Record<string, Command>> = {
  'group-role list': {
    options: '--project ID',
    summary: 'List the roles that groups of the identity provider give in a project.',
    reads: true,
    run: async (options, { sql }) => {
      const { id } = await requireProject(options, sql);
      return (await listGroupRoles(sql, id, { limit: listedMax, after: null })).map(viewGroupRole);
    },
  },
  'group-role add': {
    options: '--project ID --group NAME --role viewer|responder|editor|admin',
    summary: 'Give the members of a group a role in a project from their next sign-in on.',
    run: addOne,
  },
  'group-role remove': {
    options: '--project ID --id ID',
    summary: 'Take the role from a group, at once.',
    run: removeOne,
  },
};

async function addOne(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const { id: projectId } = await requireProject(options, sql);
  const given = { group: requireOption(options, 'group'), role: requireOption(options, 'role') };
  const parsed = groupRolePostSchema.safeParse(given);
  if (!parsed.success)
    throw new Error('--group must have 1 to 256 characters, --role be one of viewer, responder, editor, admin.');
  await requireQuota(sql, projectId, accessCounts.group_roles);
  const row = await insertGroupRole(sql, { projectId, ...parsed.data }, nowMs);
  if (row === null) throw new Error('The group has a role in the project already: remove it first.');
  await record(projectId, madeEntry('group_role.created', row.id, row.group, auditGroupRole(row)));
  return viewGroupRole(row);
}

async function removeOne(options: Options, { sql, nowMs, record, membersChanged }: CommandServices): Promise<unknown> {
  const { id: projectId } = await requireProject(options, sql);
  const id = requireOption(options, 'id');
  try {
    await record(projectId, await removeGroupRole(sql, { projectId, id }, membersChanged, nowMs));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'not_found')
      throw new Error('The project has no such role. `group-role list` lists them.', { cause: error });
    if (error.code === 'last_admin')
      throw new Error('Nobody would be left to administer it. Make somebody else admin first.', { cause: error });
    throw error;
  }
  return { removed: id };
}
