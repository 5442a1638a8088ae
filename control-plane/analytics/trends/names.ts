import type { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { badParameter } from '../flows/report/query.ts';
import { ceilHour, floorHour } from '../flows/roll-up/dirty-hours.ts';
import { sizeOf } from '../user-sets/user-set.ts';
import { mergeCells } from './merge-cells.ts';
import type { NameRow } from './name-list-store.ts';
import type { eventNameSchema } from './schema.ts';

const defaultMs = 7 * dayMs;
/** Each name of a page unites the users of its hours. */
const maxMs = 400 * dayMs;

/** The range of whole hours; throws `invalid_parameter` if it is longer than 400 days. */
export function nameRange(
  { from, to }: { from?: number | undefined; to?: number | undefined },
  nowMs: number,
): { fromMs: number; toMs: number } {
  const toMs = ceilHour(to ?? Math.max(nowMs, from ?? 0));
  const fromMs = floorHour(from ?? toMs - defaultMs);
  if (toMs - fromMs > maxMs) throw badParameter('from', 'out_of_range', 'must be at most 400 days before to');
  return { fromMs, toMs };
}

/** A name with the number of its users in the range. */
export async function viewName(
  sql: Sql,
  projectId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { name, type, count, first_seen_at, last_seen_at }: NameRow,
): Promise<z.infer<typeof eventNameSchema>> {
  const counts = (await mergeCells(sql, { projectId, type, names: [name] }, [{ label: '', fromMs, toMs }])).get(name);
  return {
    name,
    type,
    count,
    users: counts === undefined ? 0 : sizeOf(counts.users),
    users_estimated: counts?.estimated === true,
    first_seen_at: first_seen_at === null ? null : toTimestamp(first_seen_at),
    last_seen_at: last_seen_at === null ? null : toTimestamp(last_seen_at),
  };
}
