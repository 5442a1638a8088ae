import { fragment } from '../../platform/db/sql.ts';
import { everyRow, rowCount } from '../../platform/project-limits/quota-store.ts';

/** What counts against the quotas of people: members, and who is invited. */
export const accessCounts = {
  members: rowCount(
    'members',
    fragment`
      (
        select project_id from members where not by_groups or direct_role is not null
        union all
        select project_id
        from invitations
        where accepted_at is null and revoked_at is null and expires_at > now()
      ) as seats`,
    everyRow,
  ),
  group_roles: rowCount('group_roles', fragment`group_roles`, everyRow),
} as const;
