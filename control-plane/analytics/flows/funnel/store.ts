import { integerLiteral, joinFragments } from '../../../platform/db/compose-sql.ts';
import { type Fragment, fragment, identifier, instant, type Sql } from '../../../platform/db/sql.ts';
import { limits } from '../../events/event.ts';
import { type ActorSource, actorsOf } from '../../links/actor-store.ts';
import { type FlowRule, namesOf } from '../flow.ts';
import { matchSql } from './match-sql.ts';
import { type ByValue, bucketCount, valueBucketSql, valueSql } from './value-sql.ts';

/**
 * What to count from raw events: entries in [bounds[0], bounds.at(-1)), by the bucket between two neighbouring bounds
 * (1 is the first), of all users or of the given ones.
 */
export type FunnelQuery = {
  projectId: string;
  rule: FlowRule;
  bounds: readonly number[];
  /** Events that arrived earlier are past their retention. */
  rawFromMs: number;
  actors: readonly number[] | null;
  /** Instead of times: buckets are values of the entry's property. There are two bounds then. */
  byValue?: ByValue;
};

/** How many steps a user reached with the entries of one bucket. */
export type Depth = { actor: number; bucket: number; depth: number };

const fetchRows = 5000;

/** Users by bucket and depth, counted by the database. Only for rules in which no event can match two steps. */
export async function countDepths(
  sql: Sql,
  query: FunnelQuery,
): Promise<{ bucket: number; depth: number; users: number }[]> {
  const depths = depthsSql(query, await actorsOf(sql, query.projectId, query.actors));
  return joinBySorting(
    sql,
    () => sql.once`
      ${depths}
      select bucket, depth, count(*) as users
      from depths
      group by bucket, depth`,
  );
}

/** The same, user by user: `each` is called in no order. Needs a transaction. */
export async function eachDepth(sql: Sql, query: FunnelQuery, each: (depth: Depth) => void): Promise<void> {
  const depths = depthsSql(query, await actorsOf(sql, query.projectId, query.actors));
  await eachRow<Depth>(sql, fragment`${depths} select actor, bucket, depth from depths`, each);
}

/**
 * An event of a user; `steps` has a bit for each step that it matches. `value_bucket` is that of its property's value,
 * 0 unless buckets are values.
 */
export type StepEventRow = { actor: number; at_ms: number; steps: number; value_bucket: number };

/** Every event that matters to the rule, user by user, each in order of time. Needs a transaction. */
export async function eachStepEvent(sql: Sql, query: FunnelQuery, each: (event: StepEventRow) => void): Promise<void> {
  const source = await actorsOf(sql, query.projectId, query.actors);
  const steps = query.rule.steps.map(
    (step, index) => fragment`coalesce((${matchSql(step)})::integer, 0) * ${integerLiteral(2 ** index)}`,
  );
  const rows = fragment`
    with ${entrantsSql(query, source)}
    select
      actor,
      (extract(epoch from timestamp) * 1000)::float8 as at_ms,
      ${joinFragments(steps, ' + ')} as steps,
      ${query.byValue === undefined ? integerLiteral(0) : valueBucketSql(query.byValue)} as value_bucket
    from ${eventsOf(query, source)}
    where ${rangeSql(query)}
      and actor in (select actor from entrants)
    order by actor, timestamp`;
  await eachRow<StepEventRow>(sql, rows, each);
}

/**
 * One window per step over one sort: along a user's events, column e<n> holds the latest entry that reached step n so
 * far. Events of one instant are peers in the window, so their order does not matter.
 */
function depthsSql(query: FunnelQuery, source: ActorSource): Fragment {
  const { rule, bounds, byValue } = query;
  const isOneBucket = bounds.length === 2 && byValue === undefined;
  const boundCount = byValue === undefined ? bounds.length : bucketCount(byValue) + 1;
  const partition = isOneBucket ? fragment`actor` : fragment`actor, bucket`;
  const cases = rule.steps.map((step, index) => fragment`when ${matchSql(step)} then ${integerLiteral(index + 1)}`);
  const reached = rule.steps.map((_, index) => reachedSql(index + 1, windowSql(rule), partition));
  const depth = rule.steps.map((_, index) => fragment`(max(${entryOf(index + 1)}) is not null)::integer`);
  return fragment`
    with matched as materialized (
      select
        actor,
        timestamp as at,
        case ${joinFragments(cases, ' ')} end as step,
        ${bucketSql(query)} as bucket
      from ${eventsOf(query, source)}
      where ${rangeSql(query)}
    ),
    ${isOneBucket ? oneBucket : severalBuckets(windowSql(rule), boundCount)},
    ${joinFragments(reached, ', ')},
    depths as (
      select actor, bucket, ${joinFragments(depth, ' + ')} as depth
      from ${reachedBy(rule.steps.length)}
      group by actor, bucket
      having max(e1) is not null
    )`;
}

function bucketSql({ bounds, byValue }: FunnelQuery): Fragment {
  const between = fragment`width_bucket(timestamp, ${bounds.map(ms => instant(ms))}::timestamptz[])`;
  return byValue === undefined
    ? between
    : fragment`case when ${between} = 1 then ${valueBucketSql(byValue)} else 0 end`;
}

const entryOf = (step: number): Fragment => identifier(`e${step}`);
const reachedBy = (step: number): Fragment => identifier(`reached_${step}`);
const windowSql = (rule: FlowRule): Fragment => fragment`${`${rule.windowSeconds} seconds`}::interval`;

function reachedSql(step: number, window: Fragment, partition: Fragment): Fragment {
  if (step === 1)
    return fragment`reached_1 as (
      select *, max(case when enters then at end) over w as e1
      from candidates
      window w as (partition by ${partition} order by at)
    )`;
  const [entry, before] = [entryOf(step), entryOf(step - 1)];
  return fragment`${reachedBy(step)} as (
      select
        *,
        max(
          case when step = ${integerLiteral(step)} and at <= ${before} + ${window} then ${before} end
        ) over w as ${entry}
      from ${reachedBy(step - 1)}
      window w as (partition by ${partition} order by at)
    )`;
}

const oneBucket = fragment`candidates as (
      select actor, 1 as bucket, at, step, step = 1 and bucket = 1 as enters
      from matched
      where step is not null
    )`;

/** With several buckets a user's events are repeated for each bucket in which the user entered. */
function severalBuckets(window: Fragment, boundCount: number): Fragment {
  return fragment`entries as (
      select actor, bucket, min(at) as first_at, max(at) as last_at
      from matched
      where step = 1
        and bucket > 0
        and bucket < ${integerLiteral(boundCount)}
      group by actor, bucket
    ), candidates as (
      select m.actor, e.bucket, m.at, m.step, m.step = 1 and m.bucket = e.bucket as enters
      from entries e
      join matched m on m.actor = e.actor and m.at >= e.first_at and m.at <= e.last_at + ${window}
      where m.step is not null
    )`;
}

/** The most frequent values of a property of entries as JSON, by users, and at most `max`. */
export async function listEntryValues(sql: Sql, query: FunnelQuery, property: string, max: number): Promise<string[]> {
  const source = await actorsOf(sql, query.projectId, query.actors);
  const rows = await sql.once<{ value: string }>`
    with entries as (
      select distinct actor, ${valueSql(property)} as value
      from ${eventsOf(query, source)}
      where ${entriesSql(query)}
    )
    select value
    from entries
    where value <> ''
    group by value
    order by count(*) desc, value
    limit ${max}`;
  return rows.map(row => row.value);
}

function entrantsSql(query: FunnelQuery, source: ActorSource): Fragment {
  return fragment`entrants as materialized (
      select distinct actor
      from ${eventsOf(query, source)}
      where ${entriesSql(query)}
    )`;
}

function eventsOf({ bounds, rule }: FunnelQuery, source: ActorSource): Fragment {
  return source.events((bounds.at(-1) ?? 0) - (bounds[0] ?? 0) + rule.windowSeconds * 1000);
}

/** Events of the first step in the range. */
function entriesSql({ projectId, rule, bounds, rawFromMs, actors }: FunnelQuery): Fragment {
  const [first] = rule.steps;
  return fragment`project_id = ${projectId}::text
        and type = 'track'
        and actor is not null
        and timestamp >= ${instant(bounds[0] ?? 0)}::timestamptz
        and timestamp < ${instant(bounds.at(-1) ?? 0)}::timestamptz
        and ingested_at >= ${instant(rawFromMs)}::timestamptz
        and ${first === undefined ? fragment`false` : matchSql(first)}
        ${andAmong(actors)}`;
}

/** Events that may matter: from the first entry to the end of the last entry's window. */
function rangeSql({ projectId, rule, bounds, rawFromMs, actors }: FunnelQuery): Fragment {
  const names = namesOf(rule);
  const fromMs = bounds[0] ?? 0;
  const toMs = (bounds.at(-1) ?? 0) + rule.windowSeconds * 1000;
  return fragment`project_id = ${projectId}::text
        and type = 'track'
        and actor is not null
        ${names === null ? fragment`` : fragment`and name = any(${names}::text[])`}
        and timestamp >= ${instant(fromMs)}::timestamptz
        and timestamp <= ${instant(toMs)}::timestamptz
        and ingested_at >= ${instant(Math.max(rawFromMs, fromMs - limits.aheadMs))}::timestamptz
        ${andAmong(actors)}`;
}

function andAmong(actors: readonly number[] | null): Fragment {
  return actors === null ? fragment`` : fragment`and actor = any(${actors}::bigint[])`;
}

/** Reads any number of rows in bounded memory, through a cursor. */
function eachRow<Row>(sql: Sql, rows: Fragment, each: (row: Row) => void): Promise<void> {
  return joinBySorting(sql, async () => {
    // Every row is wanted: by default a cursor is planned for its first tenth.
    await sql.run`set local cursor_tuple_fraction = 1`;
    await sql.once`declare funnel_rows no scroll cursor for ${rows}`;
    for (;;) {
      const fetched = await sql.once<Row>`fetch ${integerLiteral(fetchRows)} from funnel_rows`;
      for (const row of fetched) each(row);
      if (fetched.length < fetchRows) break;
    }
    await sql.once`close funnel_rows`;
  });
}

/**
 * Sorting millions of events on disk takes half as long again. Of events that have just come PostgreSQL expects one,
 * and would join each with each.
 */
async function joinBySorting<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  await sql.run`set local work_mem = '64MB'`;
  await sql.run`set local enable_nestloop = off`;
  const result = await work();
  await sql.run`set local enable_nestloop = on`;
  return result;
}
