import type { Logger } from '#shared/log.ts';
import type { Sql } from '../db/sql.ts';
import type { Metrics } from '../http/metrics.ts';
import { type Beaten, type Vitals, writeHeartbeats } from './heartbeat-store.ts';
import type { Sessions } from './sessions.ts';

/** More would take the seconds that a statement for the API may take. */
const batchMax = 500;

type HeartbeatServices = { sql: Sql; sessions: Sessions; metrics: Metrics; log: Logger };

/**
 * Records that this replica's agents are alive, with their vitals, and reports what they lose; closes sessions that
 * another replica took over.
 */
export function heartbeats(services: HeartbeatServices): (nowMs: number) => Promise<void> {
  const { sql, sessions } = services;
  return async nowMs => {
    const ready = [...sessions].filter(session => session.ready);
    const vitals = ready.map(session => session.takeVitals());
    const beaten: Beaten[] = [];
    for (let start = 0; start < vitals.length; start += batchMax)
      beaten.push(...(await writeHeartbeats(sql, vitals.slice(start, start + batchMax), nowMs)));
    report(services, vitals, beaten);
    const ours = new Set(beaten.map(({ id }) => id));
    for (const session of ready) if (!ours.has(session.agent.id) && session.ready) session.close('replaced');
  };
}

function report({ metrics, log }: HeartbeatServices, vitals: readonly Vitals[], beaten: readonly Beaten[]): void {
  const sum = (count: (agent: Vitals) => number) => vitals.reduce((total, agent) => total + count(agent), 0);
  metrics.agentLosses.inc(
    { kind: 'missed_slots' },
    sum(agent => agent.missedSlots),
  );
  metrics.agentLosses.inc(
    { kind: 'late_starts' },
    sum(agent => agent.lateStarts),
  );
  metrics.agentLosses.inc(
    { kind: 'results_dropped' },
    beaten.reduce((total, agent) => total + agent.dropped, 0),
  );
  metrics.failingSpools.set(vitals.filter(agent => agent.spoolFailing).length);
  for (const { id, name, region, dropped, startsToFail } of beaten) {
    const agent = { agent: id, name, region };
    if (dropped > 0) log.warn({ ...agent, results: dropped }, 'an agent dropped results because its spool was full');
    if (startsToFail) log.warn(agent, 'an agent cannot write its spool: if it ends, the results that wait are lost');
  }
}
