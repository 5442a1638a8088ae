import { instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { ResultRow } from '../checks/result.ts';
import type { VerdictRow } from './verdict-row.ts';

/** `since` in [from, to); null does not filter. */
export type VerdictFilter = {
  monitorId: string;
  fromMs: number | null;
  toMs: number | null;
  verdicts: readonly string[] | null;
};

/** A page of a monitor's history, newest first. */
export async function listVerdicts(
  sql: Sql,
  projectId: string,
  filter: VerdictFilter,
  page: Page,
): Promise<VerdictRow[]> {
  const [afterMs = null] = page.after ?? [];
  return sql.once<VerdictRow>`
    select c.verdict, c.since, c.decided_at, c.cause, c.revised, c.quorum, c.config_version, c.votes, c.ballots,
      (
        select min(next.since)
        from verdict_changes next
        where next.monitor_id = c.monitor_id and next.since > c.since
      ) as until
    from verdict_changes c
    where c.monitor_id = ${filter.monitorId}
      and c.project_id = ${projectId}
      and (${filter.verdicts}::text[] is null or c.verdict = any(${filter.verdicts}::text[]))
      and (${instant(filter.fromMs)}::timestamptz is null or c.since >= ${instant(filter.fromMs)}::timestamptz)
      and (${instant(filter.toMs)}::timestamptz is null or c.since < ${instant(filter.toMs)}::timestamptz)
      and (${instant(afterMs)}::timestamptz is null or c.since < ${instant(afterMs)}::timestamptz)
    order by c.since desc
    limit ${page.limit + 1}`;
}

type CheckKey = Pick<ResultRow, 'monitor_id' | 'scheduled_at' | 'region' | 'kind' | 'attempt'> & { as_of: number };

/** The checks of these regions that ended at these instants, by our clock: their slots are at most ten minutes away. */
export async function findChecksOf(
  sql: Sql,
  monitorId: string,
  votes: readonly { region: string; asOf: number }[],
): Promise<CheckKey[]> {
  return sql.rows<CheckKey>`
    select r.monitor_id, r.scheduled_at, r.region, r.kind, r.attempt, wanted.as_of
    from unnest(
      ${votes.map(vote => vote.region)}::text[],
      ${votes.map(vote => instant(vote.asOf))}::timestamptz[]
    ) as wanted (region, as_of)
    cross join lateral (
      select monitor_id, scheduled_at, region, kind, attempt
      from check_results
      where monitor_id = ${monitorId}
        and region = wanted.region
        and scheduled_at > wanted.as_of - interval '10 minutes'
        and scheduled_at <= wanted.as_of + interval '10 minutes'
        and least(completed_at, received_at) = wanted.as_of
      limit 1
    ) as r`;
}
