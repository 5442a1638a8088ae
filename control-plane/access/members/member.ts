import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { roles } from '../../platform/projects/roles.ts';
import type { MemberRow } from './store.ts';

export const memberSchema = z
  .object({
    person_id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    role: z.enum(roles),
    direct_role: z.enum(roles).nullable(),
    group_roles: z.array(z.object({ group: z.string(), role: z.enum(roles) })),
    joined_at: z.string(),
    last_seen_at: z.string().nullable(),
  })
  .meta({ title: 'Member' });

/** A member as the API shows it. */
export function viewMember({ joined_at, last_seen_at, ...row }: MemberRow) {
  const { person_id, name, email, role, direct_role, group_roles } = row;
  return {
    person_id,
    name,
    email,
    role,
    direct_role,
    group_roles,
    joined_at: toTimestamp(joined_at),
    last_seen_at: last_seen_at === null ? null : toTimestamp(last_seen_at),
  };
}
