import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { actorsOf } from '../links/actor-store.ts';
import { userBits } from './event-bytes.ts';
import { type RawQuery, rangeSql, spanOf } from './raw-store.ts';

/** `value`: the property's, as JSON; null where it is missing, '' for all that are no value of their own. */
export type ValueEvents = { value: string | null; events: Buffer };

/**
 * The events of each value of the property, and all others together: those that are not among `values`, or, if these
 * are null, that are no scalars of up to 100 characters, as in funnels. At most `max` values, of which each has all of
 * its events. An event is a number of 8 bytes, since a row or a group for each takes most of the time.
 */
export async function listByValue(
  sql: Sql,
  query: RawQuery,
  { property, values, max }: { property: string; values: readonly string[] | null; max: number },
): Promise<ValueEvents[]> {
  await sql.run`set local work_mem = '64MB'`;
  const source = await actorsOf(sql, query.projectId);
  const inner = query.bounds.slice(1, -1).map(ms => instant(ms));
  const bin =
    inner.length === 0 ? fragment`0::bigint` : fragment`width_bucket(timestamp, ${inner}::timestamptz[])::bigint`;
  const isOwn = values === null ? isValueSql : fragment`json = any(${values}::text[])`;
  // Without the bucket among its groups, the plan has few of them and counts in parallel.
  const rows = await sql.once<{ value: string | null; events: string }>`
    select
      case when json is null or ${isOwn} then json else '' end as value,
      encode(string_agg(events, ''::bytea), 'base64') as events
    from (
      select
        (props -> ${property}::text)::text as json,
        string_agg(int8send(coalesce(actor + (${bin} << ${userBits}::integer), -1 - ${bin})), ''::bytea) as events
      from ${source.events(spanOf(query))}
      where ${rangeSql(query)}
      group by 1
    ) as of_json
    group by 1
    limit ${max}::integer`;
  return rows.map(({ value, events }) => ({ value, events: Buffer.from(events, 'base64') }));
}

/** The values with the most events, as JSON. */
export async function findFrequent(sql: Sql, query: RawQuery, property: string, max: number): Promise<string[]> {
  await sql.run`set local work_mem = '64MB'`;
  const rows = await sql.once<{ json: string }>`
    select json
    from (
      select (props -> ${property}::text)::text as json, count(*) as events
      from events
      where ${rangeSql(query)}
      group by 1
    ) as of_json
    where ${isValueSql}
    order by events desc, json collate "C"
    limit ${max}::integer`;
  return rows.map(row => row.json);
}

/** The rules are for the values that were found, not for each event. */
const isValueSql: Fragment = fragment`left(json, 1) not in ('{', '[')
        and (length(json) <= 100 or length(json::json #>> '{}') <= 100)`;
