import type { DnsFacts } from '#shared/checks/facts.ts';
import { dayOf } from '#shared/duration.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import { findTemplates } from '../storage/template-store.ts';
import type { AnswerRun } from './answers.ts';
import type { ReadRange } from './range-store.ts';

type Island = {
  region: string;
  template: number | null;
  dns: AnswerRun['dns'];
  first_at: number;
  last_at: number;
};
type Facts = Omit<DnsFacts, 'answers'> & { answers: Omit<DnsFacts['answers'][number], 'ttl'>[] };

/**
 * Runs of neighbouring results of a region that are stored alike, oldest first. What is stored differently may be the
 * same answer: order, TTL and outcomes differ, too.
 */
export async function listAnswerRuns(sql: Sql, { monitorId, fromMs, toMs }: ReadRange): Promise<AnswerRun[]> {
  const islands = await sql.rows<Island>`
    with found as materialized (
      select
        scheduled_at,
        region,
        attempt,
        shape,
        case when shape is null then detail #> '{facts,dns}' end as dns
      from check_results
      where monitor_id = ${monitorId}
        and scheduled_at >= ${instant(fromMs)}
        and scheduled_at < ${instant(toMs)}
    ),
    keyed as (
      select scheduled_at, region, attempt, shape, dns, coalesce(shape::text, dns::text, '') as key
      from found
    ),
    neighbours as (
      select
        scheduled_at,
        region,
        attempt,
        shape,
        dns,
        key,
        lag(key) over in_turn as key_before,
        lag(scheduled_at) over in_turn as before,
        max(scheduled_at) over (partition by region) as latest
      from keyed
      window in_turn as (partition by region order by scheduled_at, attempt)
    )
    select
      region,
      shape as template,
      dns,
      scheduled_at as first_at,
      coalesce(lead(before) over (partition by region order by scheduled_at, attempt), latest) as last_at
    from neighbours
    where key is distinct from key_before
    order by scheduled_at, attempt, region`;
  const facts = await factsOf(sql, monitorId, islands);
  return islands.map(({ region, template, dns, first_at, last_at }) => ({
    region,
    firstAt: first_at,
    lastAt: last_at,
    dns: template === null ? dns : (facts.get(template) ?? null),
  }));
}

async function factsOf(sql: Sql, monitorId: string, islands: readonly Island[]): Promise<Map<number, Facts | null>> {
  const hashes = [...new Set(islands.flatMap(({ template }) => template ?? []))];
  if (hashes.length === 0) return new Map();
  const fromDay = dayOf(Math.min(...islands.map(({ first_at }) => first_at)));
  const toDay = dayOf(Math.max(...islands.map(({ last_at }) => last_at)));
  const templates = await findTemplates(sql, monitorId, { fromDay, toDay, hashes });
  return new Map([...templates].map(([hash, { facts }]) => [hash, facts?.dns ?? null]));
}
