import type { Logger } from '#shared/log.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import { type Beaten, type Vitals, writeHeartbeats } from './heartbeat-store.ts';
import type { AgentSession } from './hooks.ts';
import { listRevoked } from './revoked-store.ts';
import type { Sessions } from './sessions.ts';

/** More would take the seconds that a statement for the API may take. */
const batchMax = 500;

type HeartbeatServices = { sql: Sql; sessions: Sessions; metrics: Metrics; log: Logger };

/**
 * Records that this replica's agents are alive, with their vitals, and reports what they lose; closes sessions that
 * another replica took over, and those of revoked agents.
 */
export function heartbeats(services: HeartbeatServices): (nowMs: number) => Promise<void> {
  const { sql, sessions } = services;
  return async nowMs => {
    const ready = [...sessions].filter(session => session.ready);
    let failingSpools = 0;
    for (let start = 0; start < ready.length; start += batchMax) {
      const batch = ready.slice(start, start + batchMax);
      const { vitals, beaten } = await beat(sql, batch, nowMs);
      report(services, vitals, beaten);
      failingSpools += vitals.filter(agent => agent.spoolFailing).length;
      const ours = new Set(beaten.map(({ id }) => id));
      await closeLost(
        sql,
        batch.filter(({ agent }) => !ours.has(agent.id)),
      );
    }
    services.metrics.failingSpools.set(failingSpools);
    services.metrics.commits.mark('heartbeats');
  };
}

/** An agent that is revoked does not come back; one that another replica has may. */
async function closeLost(sql: Sql, lost: readonly AgentSession[]): Promise<void> {
  if (lost.length === 0) return;
  const ids = lost.map(({ agent }) => agent.id);
  const revoked = new Set(await listRevoked(sql, ids));
  for (const session of lost) if (session.ready) session.close(revoked.has(session.agent.id) ? 'revoked' : 'replaced');
}

async function beat(
  sql: Sql,
  sessions: readonly AgentSession[],
  nowMs: number,
): Promise<{ vitals: readonly Vitals[]; beaten: readonly Beaten[] }> {
  const taken = sessions.map(session => ({ session, vitals: session.takeVitals() }));
  const vitals = taken.map(item => item.vitals);
  try {
    return { vitals, beaten: await writeHeartbeats(sql, vitals, nowMs) };
  } catch (error) {
    for (const { session, vitals } of taken) session.putBackVitals(vitals);
    throw error;
  }
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
  for (const { id, name, region, dropped, startsToFail } of beaten) {
    const agent = { agent: id, name, region };
    if (dropped > 0) log.warn({ ...agent, results: dropped }, 'an agent dropped results because its spool was full');
    if (startsToFail) log.warn(agent, 'an agent cannot write its spool: if it ends, the results that wait are lost');
  }
}
