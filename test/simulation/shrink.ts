import type { Mutation } from './mutation.ts';
import type { Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';

/** Leaves out faults, edits and outages one by one, as long as some invariant is violated without them. */
export async function shrink(scenario: Scenario, mutation: Mutation | null = null): Promise<Scenario> {
  let smallest = scenario;
  for (const part of ['faults', 'edits', 'outages'] as const) {
    for (let index = scenario[part].length - 1; index >= 0; index--) {
      // The last outage belongs to every scenario: its alert is waited for.
      if (part === 'outages' && index === scenario.outages.length - 1) continue;
      const without = { ...smallest, [part]: smallest[part].toSpliced(index, 1) };
      if ((await simulate(without, { mutation })).violation !== null) smallest = without;
    }
  }
  return smallest;
}
