import { instant, type Sql } from '../../platform/db/sql.ts';
import { lockedAgents, notifyConfig } from './store.ts';

/** What a session reports about its agent with each heartbeat. */
export type Vitals = {
  agentId: string;
  sessionId: string;
  clockOffsetMs: number | null;
  assignments: number;
  checksPerSecond: number;
  queueDepth: number;
  /** Since the last heartbeat, like `lateStarts`. */
  missedSlots: number;
  lateStarts: number;
  spoolCount: number;
  /** Results that the agent dropped since it started. */
  spoolDropped: number;
  spoolFailing: boolean;
};

/** An agent whose heartbeat was written; `dropped`: results it lost since the one before. */
export type Beaten = { id: string; name: string; region: string; dropped: number; startsToFail: boolean };

/** Writes the vitals of live sessions. Returns the agents whose session in the database is still the given one. */
export async function writeHeartbeats(sql: Sql, vitals: readonly Vitals[], nowMs: number): Promise<Beaten[]> {
  const rows = await sql.rows<Beaten & { revived: boolean }>`
    update agents a
    set last_seen_at = ${instant(nowMs)},
      online = true,
      disconnected_at = null,
      changed_xid = case when before.online then a.changed_xid else pg_current_xact_id() end,
      clock_offset_ms = v.clock_offset_ms,
      assignments = v.assignments,
      checks_per_second = v.checks_per_second,
      queue_depth = v.queue_depth,
      missed_slots = a.missed_slots + v.missed_slots,
      late_starts = a.late_starts + v.late_starts,
      results_dropped = a.results_dropped + dropped_since,
      spool_dropped = v.spool_dropped,
      spool_count = v.spool_count,
      spool_failing = v.spool_failing
    from unnest(
      ${vitals.map(agent => agent.agentId)}::text[],
      ${vitals.map(agent => agent.sessionId)}::uuid[],
      ${vitals.map(agent => agent.clockOffsetMs)}::double precision[],
      ${vitals.map(agent => agent.assignments)}::integer[],
      ${vitals.map(agent => agent.checksPerSecond)}::double precision[],
      ${vitals.map(agent => agent.queueDepth)}::integer[],
      ${vitals.map(agent => agent.missedSlots)}::bigint[],
      ${vitals.map(agent => agent.lateStarts)}::bigint[],
      ${vitals.map(agent => agent.spoolCount)}::bigint[],
      ${vitals.map(agent => agent.spoolDropped)}::bigint[],
      ${vitals.map(agent => agent.spoolFailing)}::boolean[]
    ) as v (
      id, session_id, clock_offset_ms, assignments, checks_per_second, queue_depth, missed_slots, late_starts,
      spool_count, spool_dropped, spool_failing
    )
    join (${lockedAgents(vitals.map(agent => agent.agentId))}) before on before.id = v.id
    cross join lateral (
      select
        case when v.spool_dropped < before.spool_dropped then 0 else before.spool_dropped end as counted
    ) as earlier
    cross join lateral (select v.spool_dropped - earlier.counted as dropped_since) as loss
    where a.id = v.id
      and a.session_id = v.session_id
      and a.revoked_at is null
    returning
      a.id,
      a.name,
      a.region,
      loss.dropped_since as dropped,
      v.spool_failing and not before.spool_failing as "startsToFail",
      not before.online as revived`;
  // An agent marked offline while the database was unreachable gets its assignments back.
  if (rows.some(row => row.revived)) await notifyConfig(sql);
  return rows;
}
