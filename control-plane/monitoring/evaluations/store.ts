import type { Assertion } from '#shared/assertions/assertion.ts';
import { fragment, type Sql } from '../../platform/db/sql.ts';
import { isLeftOut } from '../../platform/failures/store.ts';
import type { WholeEvents } from '../monitors/kinds/events.ts';

/** A monitor of events whose instant `at` is to be judged: the last one of which late events were waited for. */
export type Due = {
  id: string;
  project_id: string;
  own: WholeEvents;
  assertions: Assertion[];
  config_version: number;
  configured_at: number;
  at: number;
};

/** Of a new monitor the instant before it was made is judged, too; of others none before the version in force. */
const dueSql = (untilMs: number, nowMs: number) => fragment`
    from monitors m
    join monitor_states s on s.monitor_id = m.id
    cross join lateral (
      select (m.own->>'settle_seconds')::float8 as settle, m.interval_seconds::float8 as interval
    ) as own
    cross join lateral (
      select 1000 * own.interval * floor((${untilMs}::float8 / 1000 - own.settle) / own.interval) as at
    ) as due
    where m.kind = 'events'
      and m.deleted_at is null
      and m.enabled
      and due.at > coalesce((s.votes->'events'->>'judged_at')::float8, 0)
      and (m.config_version = 1 or due.at >= extract(epoch from m.configured_at) * 1000)
      and due.at + 1000 * (3 * own.interval + own.settle) > ${nowMs}::float8`;

/** What is due once everything is stored that arrived until `untilMs`, but what failed lately. */
export async function listDue(sql: Sql, untilMs: number, nowMs: number, limit: number): Promise<Due[]> {
  return sql.rows<Due>`
    select m.id, m.project_id, m.own, m.assertions, m.config_version, m.configured_at, due.at
    ${dueSql(untilMs, nowMs)}
      and not ${isLeftOut('deadlines', fragment`m.id`, nowMs)}
    order by due.at, m.id
    limit ${limit}`;
}

/** How many instants of which late events were waited for until `untilMs` are not judged. */
export async function countDue(sql: Sql, untilMs: number, nowMs: number): Promise<number> {
  const row = await sql.row<{ late: number }>`select count(*) as late ${dueSql(untilMs, nowMs)}`;
  return row?.late ?? 0;
}
