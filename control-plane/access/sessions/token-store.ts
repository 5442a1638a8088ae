import { fragment, type Sql } from '../../platform/db/sql.ts';
import type { FoundToken } from './token-caller.ts';

/** The person `p` as requests read them; null if there is none. */
export const personOfRow = fragment`
  case when p.id is not null then json_build_object(
    'id', p.id, 'name', p.name, 'operator', p.operator or p.operator_by_provider or p.operator_by_list, 'state', p.state
  ) end`;

/** Null if no token has this hash. Revoked and expired ones are found, too. */
export async function findBearer(
  sql: Sql,
  hash: Uint8Array,
): Promise<(FoundToken & { last_used_at: number | null }) | null> {
  return sql.row`
    select t.id, t.name, t.project_id, coalesce(t.personal_scopes, t.scopes) as scopes, t.expires_at, t.revoked_at,
      t.last_used_at, m.role, ${personOfRow} as person
    from tokens t
    left join people p on p.id = t.person_id
    left join members m on m.person_id = t.person_id and m.project_id = t.project_id
    where t.hash = ${hash}`;
}
