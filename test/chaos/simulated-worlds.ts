import { setImmediate } from 'node:timers/promises';
import { planScenario, type Scenario } from '#test/simulation/scenario.ts';
import { shrink } from '#test/simulation/shrink.ts';
import { simulate } from '#test/simulation/simulate.ts';
import type { Row, RowRun } from '../bench/row.ts';

const progressEvery = 500;
const shownMax = 5;

/**
 * R15: simulated worlds of agents, gateways, workers, intake and database, each with faults that its seed decides.
 * `R15_SEED` runs one of them: it is shrunk if it fails, and what happens in it is printed.
 */
export async function simulateWorlds({ full, progress }: RowRun): Promise<Row> {
  const one = process.env.R15_SEED;
  if (one !== undefined) await retrace(planScenario(Number(one)), progress);
  const first = one === undefined ? 1 : Number(one);
  const count = one === undefined ? (full ? 100_000 : 1000) : 1;
  const totals = { events: 0, results: 0, alerts: 0 };
  const violated: number[] = [];
  const used = process.cpuUsage();
  for (let seed = first; seed < first + count; seed++) {
    const outcome = await simulate(planScenario(seed));
    for (const name of ['events', 'results', 'alerts'] as const) totals[name] += outcome[name];
    if (outcome.violation !== null) {
      violated.push(seed);
      if (violated.length <= shownMax) progress(`seed ${seed}: ${outcome.violation}`);
    }
    if ((seed - first + 1) % progressEvery === 0) progress(`${seed - first + 1} seeds, ${violated.length} violations`);
    await setImmediate();
  }
  const { user, system } = process.cpuUsage(used);
  const cpuSeconds = Math.round((user + system) / 10_000) / 100;
  return {
    name: 'R15',
    figure: {
      seeds: count,
      violations: violated.length,
      cpuSeconds,
      perMinuteOfCpu: Math.round((count * 60) / cpuSeconds),
    },
    target: { violations: 0 },
    pass: violated.length === 0,
    versions: { node: process.version },
    samples: { ...totals, violated: violated.slice(0, shownMax) },
  };
}

/** Prints what happens in the smallest scenario that still fails; in the whole one if it does not. */
async function retrace(scenario: Scenario, progress: (line: string) => void): Promise<void> {
  const isFailing = (await simulate(scenario)).violation !== null;
  const shown = isFailing ? await shrink(scenario) : scenario;
  const { seed, intake, monitors, faults, edits, outages } = shown;
  progress(`seed ${seed} with intake ${intake}, quorums ${monitors.map(({ quorum }) => quorum).join(' and ')}`);
  for (const [name, parts] of Object.entries({ faults, edits, outages }))
    for (const part of parts) progress(`${name}: ${JSON.stringify(part)}`);
  const { violation } = await simulate(shown, { trace: progress });
  progress(violation ?? 'no violation');
}
