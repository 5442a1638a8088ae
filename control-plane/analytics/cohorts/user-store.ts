import { instant, type Sql } from '../../platform/db/sql.ts';
import { actorsOf } from '../links/actor-store.ts';
import type { Bucket } from '../trends/buckets.ts';
import type { UserList } from './user-list.ts';

const bytesPerUser = 8;

/** The distinct users of a name's stored events in a period; null if these are more than `max`. */
export async function listStoredUsers(
  sql: Sql,
  { projectId, name }: { projectId: string; name: string },
  { fromMs, toMs }: Omit<Bucket, 'label'>,
  max: number,
): Promise<UserList | null> {
  const source = await actorsOf(sql, projectId);
  // As bytes: the driver reads a large array of numbers a hundred times slower.
  const row = await sql.row<{ users: Buffer | null }>`
    select string_agg(int8send(actor), ''::bytea order by actor) as users
    from (
      select distinct actor
      from ${source.events(toMs - fromMs)}
      where project_id = ${projectId}
        and type = 'track'
        and name = ${name}
        and timestamp >= ${instant(fromMs)}
        and timestamp < ${instant(toMs)}
        and actor is not null
      limit ${max + 1}
    ) as a`;
  const bytes = row?.users ?? Buffer.alloc(0);
  const users = new Float64Array(bytes.length / bytesPerUser);
  for (let index = 0; index < users.length; index++) users[index] = Number(bytes.readBigInt64BE(index * bytesPerUser));
  return users.length > max ? null : users;
}
