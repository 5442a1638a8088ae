import { isTrusted } from '../platform/db/clock.ts';
import type { Listening } from '../platform/db/listen.ts';
import type { SeriesStore } from '../platform/db/series/series.ts';
import { sqlOf } from '../platform/db/sql.ts';
import type { Keyring } from '../platform/secrets/keyring.ts';
import type { Services } from '../platform/services.ts';
import { startTimers, type TimerServices } from '../platform/timers/start.ts';
import { findSession } from './agents/directory-store.ts';
import { type Gateway, openGateway } from './agents/gateway.ts';
import { receiveUpgrades } from './agents/hand-over.ts';
import { ReadBudgets } from './agents/read-budgets.ts';
import { Sessions } from './agents/sessions.ts';
import { Catalogue } from './assignments/catalogue.ts';
import { unpackConfirmations } from './assignments/check-now.ts';
import { Distributor } from './assignments/distribute.ts';
import { loadAssignments } from './assignments/load.ts';
import { AskedChecks } from './checks/intake/asked-checks.ts';
import type { RecordServices } from './checks/intake/record.ts';
import type { Recorder } from './checks/intake/recorder.ts';
import type { MonitoringHooks } from './hooks.ts';
import type { ConditionSource } from './notices/conditions.ts';
import { ProbeDispatcher } from './probes/dispatcher.ts';
import { recordServices } from './record-services.ts';
import { gatewayTimers } from './timers.ts';

/** How results get to the database, and how processes notify each other. */
type ResultIntake = Pick<RecordServices, 'confirm'> & {
  results(record: () => RecordServices): Recorder;
  subscribe(listening: Listening): AsyncDisposable;
  isBehind(): Promise<boolean>;
  storedUntil(kind: 'results', nowMs: number): Promise<number>;
  outlivesDatabase: boolean;
};

type OpenServices = Services & {
  series: SeriesStore;
  keyring: Keyring;
  timing: TimerServices;
  hooks: MonitoringHooks;
  intake: ResultIntake;
  baseUrl: string;
  sweepHoldMs: number;
  operatorProject: string | null;
  /** What later wings find wrong, for notices. */
  conditions: readonly ConditionSource[];
};

export type OpenGateway = AsyncDisposable & Pick<Gateway, 'upgrade'> & Pick<Recorder, 'waitingMs'>;

const stopRecordingMs = 5000;

/**
 * Holds agents' sockets, gives them their assignments, records and judges what they report. Disposing it disconnects
 * the agents, commits and acknowledges what they sent, and closes what is left.
 */
export async function openAgentGateway(services: OpenServices): Promise<OpenGateway> {
  const { pools, series, keyring, hooks, intake, baseUrl, clock, log, metrics } = services;
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
  const recording = { pools, series, hooks: hooks.checks, confirm: intake.confirm };
  const recorder = intake.results(() => recordServices(recording, asked));
  const probes = new ProbeDispatcher({ sql: background, sessions, keyring, clock, log });
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
      probe: payload => void probes.notified(payload),
    }),
  );
  const timers = gatewayTimers({
    pools,
    series,
    checkHooks: hooks.checks,
    verdictHooks: hooks.verdicts,
    sessions,
    readBudgets,
    distributor,
    metrics,
    clock,
    log,
    sweepHoldMs: services.sweepHoldMs,
    operatorProject: services.operatorProject,
    conditions: services.conditions,
    // Nor does a vote run out by a clock that may be hours wrong.
    isBehind: async () => !isTrusted(clock) || (await intake.isBehind()),
    signalsStoredUntil: async nowMs => (isTrusted(clock) ? intake.storedUntil('results', nowMs) : -Infinity),
    waitingMs: recorder.waitingMs,
  });
  await distributor.refresh();
  opening.use(startTimers(timers, services.timing));

  const gateway = openGateway({
    pool: pools.front,
    clock,
    log,
    metrics,
    sessions,
    readBudgets,
    assignments: distributor,
    results: recorder,
    probes,
    baseUrl,
    outlivesDatabase: intake.outlivesDatabase,
  });
  // An agent that connects while the others disconnect gets a 503 and tries again.
  opening.defer(receiveUpgrades(gateway.upgrade));
  opening.defer(() => gateway.close());
  opening.defer(() => recorder.stop(stopRecordingMs));
  opening.defer(() => gateway.drain());
  const running = opening.move();
  const { upgrade } = gateway;
  return { upgrade, waitingMs: recorder.waitingMs, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
