import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { CountedType } from '../cells/cell.ts';
import { limits } from '../events/event.ts';

/** What to count from raw events, in the buckets between neighbouring bounds. */
export type RawQuery = {
  projectId: string;
  type: CountedType;
  names: readonly string[];
  bounds: readonly number[];
  /** Events that arrived earlier are past their retention. */
  rawFromMs: number;
};

/**
 * The count of a bucket, from 0; null for the whole range. `value`: of the property, as JSON; null where it is missing
 * or not asked for, '' for all other values.
 */
export type RawCount = { name: string; value: string | null; bucket: number | null; events: number; users: number };

type Grouped = Omit<RawCount, 'bucket'> & { bin: number | null };

/** Events and distinct users by name, value and bucket, and over all buckets. The values are those with most events. */
export async function countRaw(
  sql: Sql,
  query: RawQuery,
  byValue: { property: string; valuesMax: number } | null,
): Promise<RawCount[]> {
  await sql.run`set local work_mem = '64MB'`;
  const { sql: bin, indexOf } = binOf(query.bounds);
  const grouped = await sql.once<Grouped>`
    with ${byValue === null ? plainSql(query, bin) : valuedSql(query, bin, byValue)}
    select name, value, bin, sum(events)::bigint as events, count(actor) as users
    from counted
    group by name, value, bin
    union all
    select name, value, null, sum(events)::bigint, count(actor)
    from (
      select name, value, actor, sum(events) as events
      from counted
      group by name, value, actor
    ) as of_all
    group by name, value`;
  return grouped.map(({ bin, ...row }) => ({ ...row, bucket: bin === null ? null : indexOf(bin) }));
}

function plainSql(query: RawQuery, bin: Fragment): Fragment {
  return fragment`counted as materialized (
      select name, null::text as value, ${bin} as bin, actor, count(*) as events
      from events
      where ${rangeSql(query)}
      group by 1, 3, 4
    )`;
}

/**
 * The property is read once, and rules are for the values that were found: that is half of the time. Values that are
 * not among the most frequent are put together at the end.
 */
function valuedSql(
  query: RawQuery,
  bin: Fragment,
  { property, valuesMax }: { property: string; valuesMax: number },
): Fragment {
  return fragment`valued as materialized (
      select name, (props -> ${property}::text)::text as json, ${bin} as bin, actor, count(*) as events
      from events
      where ${rangeSql(query)}
      group by 1, 2, 3, 4
    ), frequent as materialized (
      select json
      from valued
      where ${isValueSql}
      group by json
      order by sum(events) desc, json
      limit ${valuesMax}::integer
    ), counted as materialized (
      select
        name,
        case when json is null or json in (select json from frequent) then json else '' end as value,
        bin,
        actor,
        sum(events) as events
      from valued
      group by 1, 2, 3, 4
    )`;
}

/** Only scalars of up to 100 characters are values of their own, as in funnels. */
const isValueSql = fragment`left(json, 1) not in ('{', '[')
        and (length(json) <= 100 or length(json::json #>> '{}') <= 100)`;

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
  const rows = await sql.once<{ name: string; actors: (string | number)[] }>`
    select name, array_agg(distinct actor) as actors
    from events
    where ${rangeSql(query)}
      and actor is not null
    group by name`;
  return rows.map(row => ({ name: row.name, actors: row.actors.map(Number) }));
}

function rangeSql({ projectId, type, names, bounds, rawFromMs }: RawQuery): Fragment {
  const fromMs = bounds[0] ?? 0;
  return fragment`project_id = ${projectId}::text
        and type = ${type}::text
        and name = any(${names}::text[])
        and timestamp >= ${instant(fromMs)}::timestamptz
        and timestamp < ${instant(bounds.at(-1) ?? 0)}::timestamptz
        and ingested_at >= ${instant(Math.max(rawFromMs, fromMs - limits.aheadMs))}::timestamptz`;
}
