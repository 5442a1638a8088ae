import { relayConditions } from '../delivery/notifications/email/relay-condition.ts';
import { openGateway } from '../monitoring/agents/gateway.ts';
import { receiveUpgrades } from '../monitoring/agents/hand-over.ts';
import { ReadBudgets } from '../monitoring/agents/read-budgets.ts';
import { findSession } from '../monitoring/agents/roster-store.ts';
import { Sessions } from '../monitoring/agents/sessions.ts';
import { Catalogue } from '../monitoring/assignments/catalogue.ts';
import { unpackConfirmations } from '../monitoring/assignments/check-now.ts';
import { Distributor } from '../monitoring/assignments/distribute.ts';
import { loadAssignments } from '../monitoring/assignments/load.ts';
import { AskedChecks } from '../monitoring/checks/intake/asked-checks.ts';
import { ProbeDesk } from '../monitoring/probes/desk.ts';
import { gatewayTimers } from '../monitoring/timers.ts';
import { channelConditions } from '../on-call/channels/condition.ts';
import { isTrusted } from '../platform/db/clock.ts';
import { leaseHolder } from '../platform/db/lease.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { startTimers } from '../platform/timers/timers.ts';
import { recordServices } from './record-services.ts';
import type { RoleServices } from './role.ts';

const stopRecordingMs = 5000;

/**
 * Holds agents' sockets, gives them their assignments, records and judges what they report. Disposing it disconnects
 * the agents, commits and acknowledges what they sent, and closes what is left.
 */
export async function openGatewayRole(services: RoleServices): Promise<AsyncDisposable> {
  const { config, pools, keyring, hooks, server, intake, clock, log, metrics } = services;
  await using opening = new AsyncDisposableStack();
  const sessions = new Sessions();
  const readBudgets = new ReadBudgets(sqlOf(pools.front));
  const background = sqlOf(pools.background);
  const distributor = new Distributor({
    catalogue: new Catalogue(background),
    sessions,
    load: (ids, region) => loadAssignments({ pool: pools.background, keyring, log }, ids, region),
    findSession: agentId => findSession(background, agentId),
    clock,
    log,
  });
  const asked = new AskedChecks();
  const recorder = intake.results(() => recordServices(services, asked));
  const desk = new ProbeDesk({ sql: background, sessions, keyring, clock, log });
  services.writers.set('results', recorder.waitingMs);
  metrics.commits.expect('results');
  opening.use(
    intake.subscribe({
      config: () =>
        void distributor.refresh().catch(error => log.warn({ err: error }, 'could not read the configuration')),
      check_now: payload => {
        const checks = unpackConfirmations(payload);
        asked.remember(checks, clock.now());
        distributor.confirm(checks);
      },
      probe: payload => void desk.notified(payload),
    }),
  );
  const timers = gatewayTimers({
    pools,
    verdictHooks: hooks.verdicts,
    sessions,
    readBudgets,
    distributor,
    metrics,
    clock,
    log,
    sweepHoldMs: config.sweepHoldSeconds * 1000,
    operatorProject: config.operatorProject,
    conditions: [channelConditions, relayConditions],
    // Nor does a vote run out by a clock that may be hours wrong.
    isBehind: async () => !isTrusted(clock) || (await intake.isBehind()),
    waitingMs: recorder.waitingMs,
  });
  await distributor.refresh();
  opening.use(startTimers(timers, leaseHolder(background), log));

  const gateway = openGateway({
    pool: pools.front,
    clock,
    log,
    metrics,
    sessions,
    readBudgets,
    assignments: distributor,
    results: recorder,
    probes: desk,
    baseUrl: config.publicUrl,
    outlivesDatabase: intake.outlivesDatabase,
  });
  // An agent that connects while the others disconnect gets a 503 and tries again.
  opening.defer(receiveUpgrades(gateway.upgrade));
  opening.defer(() => gateway.close());
  opening.defer(() => recorder.stop(stopRecordingMs));
  opening.defer(() => gateway.drain());
  server.onUpgrade(gateway.upgrade);
  return opening.move();
}
