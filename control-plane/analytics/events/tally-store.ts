import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { refilled } from '../../platform/http/limits/stored-bucket.ts';
import type { IngestBucket } from './limits.ts';
import type { Tally } from './tally.ts';

/** Adds to what is stored. Replicas write in one order, so that no two wait for each other. */
export async function addTallies(sql: Sql, tallies: readonly Tally[]): Promise<void> {
  await sql.run`
    insert into ingest_tallies as stored (project_id, minute, outcome, events)
    select project_id, minute, outcome, events
    from unnest(
      ${tallies.map(tally => tally.projectId)}::text[],
      ${tallies.map(tally => instant(tally.minuteMs))}::timestamptz[],
      ${tallies.map(tally => tally.outcome)}::text[],
      ${tallies.map(tally => tally.events)}::bigint[]
    ) as t (project_id, minute, outcome, events)
    order by project_id, minute, outcome
    on conflict (project_id, minute, outcome) do update set events = stored.events + excluded.events`;
}

export type TallyRow = { minute: number; outcome: string; events: number };

/** From the minute on, ascending. */
export async function listTallies(sql: Sql, projectId: string, fromMs: number): Promise<TallyRow[]> {
  return sql.rows<TallyRow>`
    select minute, outcome, events
    from ingest_tallies
    where project_id = ${projectId}
      and minute >= ${instant(fromMs)}
    order by minute, outcome`;
}

export async function deleteTalliesBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`
    delete from ingest_tallies
    where minute < ${instant(beforeMs)}`;
}

/** The tokens in these buckets now, in their order; one that nobody used lately is full. */
export async function readLevels(sql: Sql, buckets: readonly IngestBucket[]): Promise<number[]> {
  const bucket = { capacity: fragment`w.capacity`, perSecond: fragment`w.per_second` };
  const rows = await sql.rows<{ tokens: number }>`
    select coalesce(${refilled(fragment`b`, bucket, fragment`clock.at`)}, w.capacity) as tokens
    from unnest(
      ${buckets.map(each => each.key)}::text[],
      ${buckets.map(each => each.capacity)}::float8[],
      ${buckets.map(each => each.perSecond)}::float8[]
    ) with ordinality as w (key, capacity, per_second, position)
    cross join (select ingest_clock() as at) clock
    left join ingest_buckets b on b.key = w.key
    order by w.position`;
  return rows.map(({ tokens }) => tokens);
}
