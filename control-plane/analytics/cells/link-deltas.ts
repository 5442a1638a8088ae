import type { Sql } from '../../platform/db/sql.ts';
import { findUsers } from '../links/actor-store.ts';
import type { Delta } from './cell.ts';

const actorsAtOnce = 20_000;

/** The same deltas with the users of sessions instead of these. Those of one commit are few enough to be exact. */
export async function linkDeltas(sql: Sql, projectId: string, deltas: readonly Delta[]): Promise<Delta[]> {
  const actors = [...new Set(deltas.flatMap(({ users }) => (users.kind === 'exact' ? [...users.users] : [])))];
  const userOf = new Map<number, number>();
  for (let start = 0; start < actors.length; start += actorsAtOnce)
    for (const [session, user] of await findUsers(sql, projectId, actors.slice(start, start + actorsAtOnce)))
      userOf.set(session, user);
  return deltas.map(delta =>
    delta.users.kind === 'exact'
      ? { ...delta, users: { kind: 'exact', users: new Set([...delta.users.users].map(id => userOf.get(id) ?? id)) } }
      : delta,
  );
}
