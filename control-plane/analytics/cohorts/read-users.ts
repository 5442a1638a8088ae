import { hourMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listCells } from '../cells/cell-store.ts';
import { type Bucket, isAligned } from '../trends/buckets.ts';
import { type Part, partsOf } from '../trends/merge-cells.ts';
import { hasOtherNames } from '../trends/name-list-store.ts';
import type { Known } from './cohorts.ts';
import type { UnknownReason } from './schema.ts';
import { listUsers } from './user-list.ts';
import { listStoredUsers } from './user-store.ts';

/** Users of a period that are counted at once: 8 bytes each. */
const usersMax = 1_000_000;

export type EventOf = { projectId: string; name: string };

/** What is stored: events from `rawStartMs` on, cells from `countedFromMs` on; null from the beginning. */
export type Stored = { rawStartMs: number; countedFromMs: number | null };

/** The users of a period: from its events if all are kept, else from cells, as long as these are exact. */
export async function readUsers(
  sql: Sql,
  event: EventOf,
  period: Bucket,
  stored: Stored,
): Promise<Known<UnknownReason>> {
  if (isKept(period, stored)) {
    const users = await listStoredUsers(sql, event, period, usersMax);
    return users === null ? { unknown: 'too_many_users' } : { users };
  }
  if (!isAligned([period])) return { unknown: 'zone_between_hours' };
  if (period.fromMs < (stored.countedFromMs ?? 0)) return { unknown: 'not_counted' };
  if (await hasOtherNames(sql, event.projectId, 'track', period.fromMs, period.toMs))
    return { unknown: 'too_many_names' };
  const users = new Set<number>();
  for (const part of partsOf([period]))
    if (!(await addCells(sql, event, part, users))) return { unknown: 'too_many_users' };
  return { users: listUsers(users) };
}

/** Whether all events of the period are within their retention. */
export function isKept(period: Bucket, { rawStartMs }: Stored): boolean {
  return period.fromMs >= rawStartMs;
}

/** Adds the users of a part. False if a cell has only a sketch of them: a day's is exact if those of its hours are. */
async function addCells(sql: Sql, { projectId, name }: EventOf, part: Part, users: Set<number>): Promise<boolean> {
  const cells = await listCells(sql, { projectId, type: 'track', names: [name] }, part);
  for (const { start, users: own } of cells) {
    if (own.kind === 'exact') for (const user of own.users) users.add(user);
    else if (part.span === 'hour') return false;
    else {
      const hours: Part = { span: 'hour', fromMs: start, toMs: start + 24 * hourMs };
      if (!(await addCells(sql, { projectId, name }, hours, users))) return false;
    }
  }
  return true;
}
