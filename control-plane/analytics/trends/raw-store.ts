import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { CountedType } from '../cells/cell.ts';
import { limits } from '../events/event.ts';
import { actorsOf } from '../links/actor-store.ts';

/** What to count from raw events, in the buckets between neighbouring bounds. */
export type RawQuery = {
  projectId: string;
  type: CountedType;
  names: readonly string[];
  bounds: readonly number[];
  /** Events that arrived earlier are past their retention. */
  rawFromMs: number;
};

/** The count of a bucket, from 0; null for the whole range. */
export type RawCount = { name: string; bucket: number | null; events: number; users: number };

type Grouped = Omit<RawCount, 'bucket'> & { bin: number | null };

/** Events and distinct users by name and bucket, and over all buckets. */
export async function countRaw(sql: Sql, query: RawQuery): Promise<RawCount[]> {
  await sql.run`set local work_mem = '64MB'`;
  const source = await actorsOf(sql, query.projectId);
  const { sql: bin, indexOf } = binOf(query.bounds);
  const grouped = await sql.once<Grouped>`
    with counted as materialized (
      select name, ${bin} as bin, actor, count(*) as events
      from ${source.events(spanOf(query))}
      where ${rangeSql(query)}
      group by 1, 2, 3
    )
    select name, bin, sum(events)::bigint as events, count(actor) as users
    from counted
    group by name, bin
    union all
    select name, null, sum(events)::bigint, count(actor)
    from (
      select name, actor, sum(events) as events
      from counted
      group by name, actor
    ) as of_all
    group by name`;
  return grouped.map(({ bin, ...row }) => ({ ...row, bucket: bin === null ? null : indexOf(bin) }));
}

type Bin = { sql: Fragment; indexOf(bin: number): number };

/**
 * The bucket of an event. Buckets of one length, of which the first and the last may be cut, need no search: that is a
 * third of the time.
 */
function binOf(bounds: readonly number[]): Bin {
  const [first = 0, origin = first] = bounds;
  const inner = bounds.slice(1, -1);
  const length = (inner[1] ?? bounds.at(-1) ?? origin) - (inner[0] ?? first);
  const isEven =
    inner.length > 1 &&
    inner.every((at, index) => at === origin + index * length) &&
    origin - first <= length &&
    (bounds.at(-1) ?? 0) - (inner.at(-1) ?? 0) <= length;
  if (!isEven)
    return {
      sql: fragment`width_bucket(timestamp, ${bounds.map(ms => instant(ms))}::timestamptz[])`,
      indexOf: bin => bin - 1,
    };
  return {
    sql: fragment`date_bin(${`${length} milliseconds`}::interval, timestamp, ${instant(origin)}::timestamptz)`,
    indexOf: bin => (bin - origin) / length + 1,
  };
}

/** The distinct users of each name over the whole range. */
export async function listRawActors(sql: Sql, query: RawQuery): Promise<{ name: string; actors: number[] }[]> {
  const source = await actorsOf(sql, query.projectId);
  const rows = await sql.once<{ name: string; actors: (string | number)[] }>`
    select name, array_agg(distinct actor) as actors
    from ${source.events(spanOf(query))}
    where ${rangeSql(query)}
      and actor is not null
    group by name`;
  return rows.map(row => ({ name: row.name, actors: row.actors.map(Number) }));
}

/** How long the range is. */
export function spanOf({ bounds }: Pick<RawQuery, 'bounds'>): number {
  return (bounds.at(-1) ?? 0) - (bounds[0] ?? 0);
}

/** Which events are counted. */
export function rangeSql({ projectId, type, names, bounds, rawFromMs }: RawQuery): Fragment {
  const fromMs = bounds[0] ?? 0;
  return fragment`project_id = ${projectId}::text
        and type = ${type}::text
        and name = any(${names}::text[])
        and timestamp >= ${instant(fromMs)}::timestamptz
        and timestamp < ${instant(bounds.at(-1) ?? 0)}::timestamptz
        and ingested_at >= ${instant(Math.max(rawFromMs, fromMs - limits.aheadMs))}::timestamptz`;
}
