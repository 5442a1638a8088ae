import { type AlertRules, alertRulesSchema, defaultAlertRules } from '#control-plane/monitors/alert-rules.ts';
import { type Fault, planFaults } from './fault.ts';
import { Random } from './random.ts';
import type { Outage } from './targets.ts';

export type MonitorPlan = {
  id: string;
  regions: readonly string[];
  quorum: number;
  intervalMs: number;
  timeoutMs: number;
  alertRules: AlertRules;
};

/** What an operator does to a monitor. */
export type Edit = { at: number; monitorId: string; change: 'pause' | 'target' | 'quorum' };

/** All that a seed decides before the simulation begins. Instants are milliseconds from its start. */
export type Scenario = {
  seed: number;
  intake: 'postgres' | 'nats';
  shards: number;
  agents: readonly { id: string; region: string; spoolBytesMax: number }[];
  gateways: readonly string[];
  workers: readonly string[];
  monitors: readonly MonitorPlan[];
  outages: readonly Outage[];
  edits: readonly Edit[];
  faults: readonly Fault[];
};

const regions = ['eu', 'us', 'ap'];
/** Faults and edits are over. */
export const healedMs = 120_000;
/** Everything has arrived, and is judged. */
export const settledMs = healedMs + 75_000;
/** The last outage, which nothing disturbs, is over. */
export const recoveredMs = settledMs + 35_000;
export const endMs = recoveredMs + 45_000;

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
  return {
    seed,
    intake: random.chance(0.5) ? 'postgres' : 'nats',
    shards: 2,
    agents,
    gateways,
    workers,
    monitors,
    outages: planOutages(random, monitors),
    edits: planEdits(random, monitors),
    faults: planFaults(random, { processes, regions, agents: ids, replicas, untilMs: healedMs }),
  };
}

function planMonitor(random: Random, index: number): MonitorPlan {
  const alertRules = random.chance(0.5)
    ? defaultAlertRules
    : alertRulesSchema.parse({
        confirm_seconds: random.between(0, 10),
        recover_seconds: random.between(0, 15),
        flap: random.chance(0.5) ? { changes: 3, window_seconds: 300 } : null,
      });
  const id = `mon_${String(index + 1).padStart(26, '0')}`;
  return { id, regions, quorum: random.pick([1, 2, 2, 2, 3]), intervalMs: 10_000, timeoutMs: 2000, alertRules };
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
  return [...planned, { monitorId: last, regions, from: settledMs, until: recoveredMs }];
}

function planEdits(random: Random, monitors: readonly MonitorPlan[]): Edit[] {
  return Array.from({ length: random.chance(0.4) ? random.between(1, 2) : 0 }, () => ({
    at: random.between(20_000, healedMs - 10_000),
    monitorId: random.pick(monitors).id,
    change: random.pick(['pause', 'target', 'quorum'] as const),
  })).sort((left, right) => left.at - right.at);
}
