import {
  type AlertRules,
  alertRulesSchema,
  defaultAlertRules,
} from '#control-plane/monitoring/monitors/alert-rules.ts';
import { type Fault, planExchanges, planFaults, planHandOver } from './fault.ts';
import { type JobPlan, planAbsences, planJobs } from './job.ts';
import { Random } from './random.ts';
import type { Expiry, Outage } from './targets.ts';

export type MonitorPlan = {
  id: string;
  regions: readonly string[];
  quorum: number;
  intervalMs: number;
  timeoutMs: number;
  alertRules: AlertRules;
  /** What its agents must be able to do, as in the catalogue. */
  needs: string;
  /** Whether its target has a certificate. */
  isSecure: boolean;
};

/** What an operator does to a monitor. */
export type Edit = { at: number; monitorId: string; change: 'pause' | 'target' | 'quorum' };

/** A monitor stands for `each` monitors of every project: a quarantine takes at least twenty. */
export type Tenancy = { projects: number; each: number };

/** All that a seed decides before the simulation begins. Instants are milliseconds from its start. */
export type Scenario = {
  seed: number;
  intake: 'postgres' | 'nats';
  streams: number;
  agents: readonly { id: string; region: string; spoolBytesMax: number; isOld: boolean }[];
  gateways: readonly string[];
  workers: readonly string[];
  monitors: readonly MonitorPlan[];
  jobs: readonly JobPlan[];
  tenancy: Tenancy;
  outages: readonly Outage[];
  expiries: readonly Expiry[];
  edits: readonly Edit[];
  faults: readonly Fault[];
};

/** The second quarantines for all projects only, the third for all and for each. */
const tenancies: readonly Tenancy[] = [
  { projects: 1, each: 10 },
  { projects: 3, each: 7 },
  { projects: 3, each: 10 },
];
const regions = ['eu', 'us', 'ap'];
/** Faults and edits are over, and no reader of a stream falls silent any more. */
export const healedMs = 100_000;
/** Everything has arrived, and is judged. */
export const settledMs = healedMs + 68_000;
/** The last outage, which nothing disturbs, is over. */
export const recoveredMs = settledMs + 33_000;
export const endMs = recoveredMs + 37_000;
/** What follows a fact is done by then. */
export const followedMs = 10_000;

export function planScenario(seed: number): Scenario {
  const random = new Random(seed, 'scenario');
  const agents = regions.flatMap(region =>
    Array.from({ length: random.chance(0.4) ? 2 : 1 }, (_, index) => ({
      id: `agent-${region}-${index + 1}`,
      region,
      spoolBytesMax: random.chance(0.1) ? 6000 : 1_000_000,
    })),
  );
  const gateways = Array.from({ length: random.between(1, 2) }, (_, index) => `gateway-${index + 1}`);
  const workers = Array.from({ length: random.between(1, 2) }, (_, index) => `worker-${index + 1}`);
  const monitors = Array.from({ length: 2 }, (_, index) => planMonitor(random, index));
  const ids = agents.map(({ id }) => id);
  const replicas = [...gateways, ...workers];
  const processes = [...ids, ...replicas];
  const intake = random.chance(0.5) ? 'postgres' : 'nats';
  const handOver = intake === 'nats' && random.chance(0.3) ? planHandOver(random, workers, healedMs) : [];
  const faults = planFaults(random, { processes, regions, agents: ids, replicas, untilMs: healedMs });
  const versions = planVersions(seed, ids);
  const jobs = planJobs(seed, { healedMs, recoveredMs });
  const absences = planAbsences(seed, jobs, [gateways, workers]);
  return {
    seed,
    intake,
    streams: 2,
    agents: agents.map(agent => ({ ...agent, isOld: versions.old.has(agent.id) })),
    gateways,
    workers,
    monitors: monitors.map((monitor, index) => (index === 0 ? monitor : { ...monitor, needs: versions.needs })),
    jobs,
    tenancy: random.pick(tenancies),
    outages: planOutages(random, monitors),
    expiries: planExpiries(random, monitors),
    edits: planEdits(random, monitors),
    faults: [...faults, ...handOver, ...versions.exchanges, ...absences].sort((left, right) => left.at - right.at),
  };
}

function planMonitor(random: Random, index: number): MonitorPlan {
  const isSecure = random.chance(0.4);
  const inVerdict = isSecure && random.chance(0.6);
  const alertRules =
    !inVerdict && random.chance(0.5)
      ? defaultAlertRules
      : alertRulesSchema.parse({
          certificate: { in_verdict: inVerdict },
          degraded: inVerdict ? { after_seconds: random.between(0, 15) } : null,
          confirm_seconds: random.between(0, 10),
          recover_seconds: random.between(0, 15),
          flap: random.chance(0.5) ? { changes: 3, window_seconds: 300 } : null,
        });
  const id = `mon_${String(index + 1).padStart(26, '0')}`;
  return {
    id,
    regions,
    quorum: random.pick([1, 2, 2, 2, 3]),
    intervalMs: 10_000,
    timeoutMs: 2000,
    alertRules,
    needs: '',
    isSecure,
  };
}

/** In some worlds the second monitor needs what agents of an old version cannot do. By random numbers of its own. */
function planVersions(seed: number, agents: readonly string[]) {
  const random = new Random(seed, 'versions');
  if (!random.chance(0.3)) return { needs: '', old: new Set<string>(), exchanges: [] };
  const old = new Set(agents.filter(() => random.chance(0.4)));
  return { needs: 'tcp', old, exchanges: planExchanges(random, agents, healedMs) };
}

function planOutages(random: Random, monitors: readonly MonitorPlan[]): Outage[] {
  const planned = monitors.flatMap(({ id: monitorId }) =>
    Array.from({ length: random.between(0, 2) }, () => {
      const from = random.between(15_000, healedMs - 10_000);
      const failing = random.chance(0.6) ? regions : [random.pick(regions)];
      return { monitorId, regions: failing, from, until: from + random.between(2000, 60_000) };
    }),
  );
  const last = monitors[0]?.id ?? '';
  const from = random.between(15_000, healedMs - 40_000);
  const failing = [random.pick(regions)];
  const until = from + random.between(15_000, 60_000);
  const ofRegion = random.chance(0.35)
    ? monitors.map(({ id }) => ({ monitorId: id, regions: failing, from, until }))
    : [];
  return [...planned, ...ofRegion, { monitorId: last, regions, from: settledMs, until: recoveredMs }];
}

/** The last one, which nothing disturbs, lasts as long as the last outage. */
function planExpiries(random: Random, monitors: readonly MonitorPlan[]): Expiry[] {
  return monitors
    .filter(({ isSecure }) => isSecure)
    .flatMap(({ id: monitorId }) => {
      const from = random.between(10_000, healedMs - 20_000);
      return [
        { monitorId, from, until: Math.min(healedMs, from + random.between(5000, 60_000)) },
        { monitorId, from: settledMs, until: recoveredMs },
      ];
    });
}

function planEdits(random: Random, monitors: readonly MonitorPlan[]): Edit[] {
  return Array.from({ length: random.chance(0.4) ? random.between(1, 2) : 0 }, () => ({
    at: random.between(20_000, healedMs - 10_000),
    monitorId: random.pick(monitors).id,
    change: random.pick(['pause', 'target', 'quorum'] as const),
  })).sort((left, right) => left.at - right.at);
}
