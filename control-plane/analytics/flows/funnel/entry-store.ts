import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { limits } from '../../events/event.ts';
import { actorsOf } from '../../links/actor-store.ts';
import { type FlowRule, namesOf } from '../flow.ts';

/**
 * Users with any event of the rule in [fromMs, toMs): those whom an arrival there can have moved. In a strict flow
 * every event counts, and no index finds all events of a range; users whose window covers the range are looked up one
 * by one instead.
 */
export async function listActors(
  sql: Sql,
  projectId: string,
  rule: FlowRule,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const names = namesOf(rule);
  if (names === null) return listActorsByEntry(sql, projectId, rule, fromMs, toMs);
  const source = await actorsOf(sql, projectId);
  const rows = await sql.rows<{ actor: number }>`
    select distinct actor
    from ${source.events()}
    where project_id = ${projectId}
      and type = 'track'
      and actor is not null
      and timestamp >= ${instant(fromMs)}
      and timestamp < ${instant(toMs)}
      and ingested_at >= ${instant(fromMs - limits.aheadMs)}
      and name = any(${names}::text[])`;
  return rows.map(row => row.actor);
}

async function listActorsByEntry(
  sql: Sql,
  projectId: string,
  rule: FlowRule,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const enteredFromMs = fromMs - rule.windowSeconds * 1000;
  const source = await actorsOf(sql, projectId);
  const rows = await sql.rows<{ actor: number }>`
    with entered as materialized (
      select distinct actor
      from ${source.events()}
      where project_id = ${projectId}
        and type = 'track'
        and actor is not null
        and name = ${rule.steps[0]?.event ?? ''}
        and timestamp >= ${instant(enteredFromMs)}
        and timestamp < ${instant(toMs)}
        and ingested_at >= ${instant(enteredFromMs - limits.aheadMs)}
    )
    select actor
    from entered
    where exists (
      select 1
      from ${source.storedAs(fragment`entered.actor`)} as own
      join events e on e.project_id = ${projectId} and e.actor = own.actor
      where e.type = 'track'
        and e.timestamp >= ${instant(fromMs)}
        and e.timestamp < ${instant(toMs)}
        and e.ingested_at >= ${instant(fromMs - limits.aheadMs)}
    )`;
  return rows.map(row => row.actor);
}

/** Hours in which a user entered the funnel, in no order; of all users if `actor` is null. */
export async function listEntryHours(
  sql: Sql,
  projectId: string,
  rule: FlowRule,
  rawFromMs: number,
  actor: number | null,
): Promise<number[]> {
  const rows = await sql.rows<{ hour: number }>`
    select distinct date_bin('1 hour', timestamp, '2000-01-01Z') as hour
    from events
    where project_id = ${projectId}
      and type = 'track'
      and name = ${rule.steps[0]?.event ?? ''}
      and ingested_at >= ${instant(rawFromMs)}
      and actor is not null
      and (${actor}::bigint is null or actor = ${actor}::bigint)`;
  return rows.map(row => row.hour);
}
