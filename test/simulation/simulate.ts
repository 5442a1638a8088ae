import { inject } from './inject.ts';
import { commitInvariants } from './invariants.ts';
import { runJob, watchFronts } from './job.ts';
import type { Mutation } from './mutation.ts';
import { createMonitor, edit } from './operator.ts';
import { Process } from './process.ts';
import { requireEnd, requireOutageTold, requireSettled } from './quiet.ts';
import { endMs, followedMs, healedMs, recoveredMs, type Scenario, settledMs } from './scenario.ts';
import { World } from './world.ts';

/** How a simulation went: the first violation, if there was one, and what happened. */
export type Outcome = { violation: string | null; elapsedMs: number; events: number; results: number; alerts: number };

export type Options = { mutation?: Mutation | null; trace?: (line: string) => void };

/** Runs a scenario to its end, or to the first violation. */
export async function simulate(scenario: Scenario, { mutation = null, trace }: Options = {}): Promise<Outcome> {
  const world = new World(scenario, { mutation, trace: trace ?? null, onCommit: commitInvariants() });
  const { rows } = world.database;
  const isNeedless = mutation === 'agents get what they cannot do';
  for (const monitor of [...scenario.monitors, ...scenario.jobs.map(job => job.monitor)])
    createMonitor(rows, isNeedless ? { ...monitor, needs: '' } : monitor, world.time.now);
  for (const { id, region } of scenario.agents)
    rows.agents.put(id, {
      id,
      region,
      online: false,
      sessionId: null,
      able: '',
      lastSeenAt: 0,
      disconnectedAt: null,
      xid: 0,
    });
  rows.journal.length = 0;
  const operator = new Process('operator', world.time);
  for (const fault of scenario.faults) world.time.after(fault.at, () => inject(world, fault));
  world.time.after(healedMs, () => world.broker.calm());
  for (const planned of scenario.edits) world.time.after(planned.at, () => void edit(world, operator, planned));
  for (const name of [...scenario.gateways, ...scenario.workers, ...scenario.agents.map(({ id }) => id)])
    world.time.after(world.random.between(0, 2000), () => world.start(name));
  for (const job of scenario.jobs) void runJob(world, job);
  if (scenario.jobs.length > 0) void watchFronts(world);
  await world.run(settledMs);
  requireSettled(world);
  await world.run(recoveredMs);
  requireOutageTold(world);
  await world.run(endMs);
  const facts = [...rows.facts.keys()];
  await world.run(endMs + followedMs);
  requireEnd(world, facts);
  const { violation } = world.ledger;
  world.over.abort();
  return {
    violation: violation?.message ?? null,
    elapsedMs: world.elapsedMs,
    events: world.time.events,
    results: [...rows.results.values()].length,
    alerts: [...rows.alerts.values()].length,
  };
}
