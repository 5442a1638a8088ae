import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Fields } from '../../platform/audit/entry.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { type Role, roles } from '../../platform/projects/roles.ts';

const groupMax = 256;

export const groupRoleSchema = z
  .object({ id: z.string(), group: z.string(), role: z.enum(roles), created_at: z.string() })
  .meta({ title: 'GroupRole' });

export const groupRolePostSchema = z
  .object({ group: lineSchema(groupMax), role: z.enum(roles) })
  .meta({ [readOnlyKey]: ['id', 'created_at'] });

/** What a group of the identity provider gives in a project. */
export type GroupRoleRow = { id: string; project_id: string; group: string; role: Role; created_at: number };

export function viewGroupRole({ id, group, role, created_at }: GroupRoleRow) {
  return { id, group, role, created_at: toTimestamp(created_at) };
}

export function auditGroupRole({ group, role }: GroupRoleRow): Fields {
  return { group, role };
}
