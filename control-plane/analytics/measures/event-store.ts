import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { limits } from '../events/event.ts';
import { type FlowRule, namesOf, type Step } from '../flows/flow.ts';
import { matchSql } from '../flows/funnel/match-sql.ts';
import { actorsOf } from '../links/actor-store.ts';

/** Events from one instant to another, of which those are kept that arrived from `rawFromMs` on. */
type Range = { projectId: string; fromMs: number; toMs: number; rawFromMs: number };

/** Events that match, and their users if they are wanted. At most one more than `max` events are looked at. */
export async function countEvents(
  sql: Sql,
  range: Range,
  { type, ...step }: Step & { type: string },
  { max, withUsers }: { max: number; withUsers: boolean },
): Promise<{ examined: number; events: number; users: number | null }> {
  const source = withUsers ? (await actorsOf(sql, range.projectId)).events() : fragment`events`;
  const users = withUsers ? fragment`count(distinct actor) filter (where matches)` : fragment`null::bigint`;
  const row = await sql.row<{ examined: number; events: number; users: number | null }>`
    with examined as materialized (
      select actor, ${matchSql(step)} as matches
      from ${source}
      where ${rangeSql(range)}
        and type = ${type}::text
        and name = ${step.event}::text
      limit ${max + 1}::integer
    )
    select count(*) as examined, count(*) filter (where matches) as events, ${users} as users
    from examined`;
  return row ?? { examined: 0, events: 0, users: null };
}

/** How many events a funnel looks at, at most one more than `max`. */
export async function countExamined(sql: Sql, range: Range, rule: FlowRule, max: number): Promise<number> {
  const names = namesOf(rule);
  const row = await sql.row<{ examined: number }>`
    select count(*) as examined
    from (
      select
      from events
      where ${rangeSql(range)}
        and type = 'track'
        ${names === null ? fragment`` : fragment`and name = any(${names}::text[])`}
      limit ${max + 1}::integer
    ) as looked`;
  return row?.examined ?? 0;
}

function rangeSql({ projectId, fromMs, toMs, rawFromMs }: Range): Fragment {
  return fragment`project_id = ${projectId}::text
        and timestamp >= ${instant(fromMs)}::timestamptz
        and timestamp < ${instant(toMs)}::timestamptz
        and ingested_at >= ${instant(Math.max(rawFromMs, fromMs - limits.aheadMs))}::timestamptz`;
}
