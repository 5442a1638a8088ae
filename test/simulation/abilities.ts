import { type QuorumVerdict, verdictOf } from '#control-plane/monitoring/verdicts/verdict.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { isVoter, type VoteValue } from '#shared/vocabulary.ts';
import type { World } from './world.ts';

/** What agents of the first versions say of themselves. */
export const oldCapabilities = ['tls.facts', 'probe.now'];

/** An agent never receives a monitor that needs a word it lacks. */
export function requireAble(world: World, id: string, able: readonly string[], put: readonly Assignment[]): void {
  for (const { monitor_id: monitorId } of put)
    if (!isAble(needsOf(world, monitorId), able)) world.ledger.fail(`${id} was given ${monitorId}, which it cannot do`);
}

/** Whether an agent of the region can run the monitor. */
export function isAbleRegion(world: World, monitorId: string, region: string): boolean {
  const needs = needsOf(world, monitorId);
  return [...world.hosts.values()].some(host => host.region === region && (needs === '' || !host.isOld));
}

/** The verdict when all regions that have a vote cast this one. */
export function verdictOfAll(world: World, monitorId: string, vote: VoteValue): QuorumVerdict {
  const rules = world.database.rows.monitors.get(monitorId)?.versions.at(-1)?.stored.rules;
  const { regions = [], quorum = 1 } = rules ?? {};
  return verdictOf(
    regions.map(region => (isVoter(region) || isAbleRegion(world, monitorId, region) ? vote : 'unknown')),
    quorum,
  );
}

function needsOf({ scenario }: World, monitorId: string): string {
  return scenario.monitors.find(({ id }) => id === monitorId)?.needs ?? '';
}

export function isAble(needs: string, able: readonly string[]): boolean {
  return needs === '' || needs.split(' ').every(word => able.includes(word));
}
