import type { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { badParameter } from '../flows/report/query.ts';
import { floorHour } from '../flows/roll-up/dirty-hours.ts';
import { sizeOf } from '../user-sets/user-set.ts';
import { endOfRange } from './buckets.ts';
import { mergeCells, type NameCounts } from './merge-cells.ts';
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
  const toMs = endOfRange(to ?? Math.max(nowMs, from ?? 0));
  const fromMs = floorHour(from ?? toMs - defaultMs);
  if (toMs - fromMs > maxMs) throw badParameter('from', 'out_of_range', 'must be at most 400 days before to');
  return { fromMs, toMs };
}

/** Names whose users are united at once: each takes memory. */
const namesAtOnce = 10;

/** Names with the numbers of their users in the range, in their order. */
export async function viewNames(
  sql: Sql,
  projectId: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  rows: readonly NameRow[],
): Promise<NameView[]> {
  const views = new Map<NameRow, NameView>();
  for (const [type, ofType] of Map.groupBy(rows, row => row.type))
    for (let start = 0; start < ofType.length; start += namesAtOnce) {
      const some = ofType.slice(start, start + namesAtOnce);
      const names = some.map(({ name }) => name);
      const counts = await mergeCells(sql, { projectId, type, names }, [{ label: '', fromMs, toMs }]);
      for (const row of some) views.set(row, viewName(row, counts.get(row.name)));
    }
  return rows.flatMap(row => views.get(row) ?? []);
}

type NameView = z.infer<typeof eventNameSchema>;

function viewName({ name, type, count, first_seen_at, last_seen_at }: NameRow, counts?: NameCounts): NameView {
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
