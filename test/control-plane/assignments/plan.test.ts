import test from 'ava';
import fc from 'fast-check';
import { type Moves, Plan } from '#control-plane/assignments/plan.ts';
import { foldId, weightOf } from '#control-plane/assignments/weight.ts';

type Monitor = { regions: readonly string[] };

/** The rule itself, in full: the live agent with the highest weight, of equals the lower id. */
function ownerOf(monitorId: string, agentIds: Iterable<string>): string | null {
  const ranked = [...agentIds]
    .map(id => ({ id, weight: weightOf(foldId(id), foldId(monitorId)) }))
    .sort((left, right) => right.weight - left.weight || (left.id < right.id ? -1 : 1));
  return ranked[0]?.id ?? null;
}

type Step =
  | { type: 'put'; monitor: number; regions: string[] }
  | { type: 'remove'; monitor: number }
  | { type: 'come' | 'go'; agent: number; region: string };

const region = fc.constantFrom('a', 'b', 'c');
const number = fc.nat(8);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('put' as const), monitor: number, regions: fc.uniqueArray(region) }),
  fc.record({ type: fc.constant('remove' as const), monitor: number }),
  fc.record({ type: fc.constantFrom('come' as const, 'go' as const), agent: number, region }),
);

test('whatever comes and goes, in any order, the owners are those of the rule, and every change is noted', t => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const plan = new Plan<Monitor>();
      const monitors = new Map<string, Monitor>();
      const agents = new Map<string, Set<string>>(['a', 'b', 'c'].map(code => [code, new Set()]));
      const shares = new Map<string, Set<string>>();
      for (const next of steps) {
        const moves: Moves = new Map();
        apply(next, plan, monitors, agents, moves);
        // Each agent applies what was noted for it to what it had: it must then have exactly its share.
        for (const [agentId, ids] of moves) {
          const share = shares.get(agentId) ?? new Set();
          shares.set(agentId, share);
          for (const id of ids) {
            const code = agentId.slice(0, 1);
            if (plan.owner(id, code) === agentId) share.add(id);
            else share.delete(id);
          }
        }
      }
      for (const [code, ids] of agents) {
        for (const [id, monitor] of monitors) {
          t.is(plan.owner(id, code), monitor.regions.includes(code) ? ownerOf(id, ids) : null);
        }
        for (const agentId of ids) {
          const owned = [...plan.ownedBy(agentId, code)].map(([id]) => id).sort();
          t.deepEqual(owned, [...(shares.get(agentId) ?? [])].sort());
        }
      }
      t.is(plan.size, monitors.size);
    }),
    { numRuns: 300 },
  );
});

function apply(
  next: Step,
  plan: Plan<Monitor>,
  monitors: Map<string, Monitor>,
  agents: Map<string, Set<string>>,
  moves: Moves,
): void {
  switch (next.type) {
    case 'put': {
      const id = `mon_${next.monitor}`;
      monitors.set(id, { regions: next.regions });
      return plan.put(id, { regions: next.regions }, moves);
    }
    case 'remove':
      monitors.delete(`mon_${next.monitor}`);
      return plan.remove(`mon_${next.monitor}`, moves);
    case 'come':
      agents.get(next.region)?.add(`${next.region}_agent_${next.agent}`);
      return plan.addAgent(`${next.region}_agent_${next.agent}`, next.region, moves);
    case 'go':
      agents.get(next.region)?.delete(`${next.region}_agent_${next.agent}`);
      return plan.removeAgent(`${next.region}_agent_${next.agent}`, next.region, moves);
    default:
      return next satisfies never;
  }
}

function planOf(monitorCount: number, agentIds: readonly string[]): Plan<Monitor> {
  const plan = new Plan<Monitor>();
  const regions = ['a'];
  for (let index = 0; index < monitorCount; index++) plan.put(`mon_${index}`, { regions }, new Map());
  for (const id of agentIds) plan.addAgent(id, 'a', new Map());
  return plan;
}

test('shares are even: of twenty agents none has more than a quarter above or below its part', t => {
  const agents = Array.from({ length: 20 }, (_, index) => `agt_${index}`);
  const plan = planOf(20_000, agents);
  for (const id of agents) {
    const share = [...plan.ownedBy(id, 'a')].length;
    t.true(share > 750 && share < 1250, `${id} has ${share}`);
  }
});

test('an agent that comes takes monitors only for itself, and one that goes gives up only its own', t => {
  const plan = planOf(2000, ['agt_1', 'agt_2', 'agt_3']);
  const before = new Map([...Array(2000).keys()].map(index => [`mon_${index}`, plan.owner(`mon_${index}`, 'a')]));
  const coming: Moves = new Map();
  plan.addAgent('agt_4', 'a', coming);
  for (const id of coming.get('agt_4') ?? []) t.is(plan.owner(id, 'a'), 'agt_4');
  const going: Moves = new Map();
  plan.removeAgent('agt_4', 'a', going);
  t.deepEqual(going.get('agt_4'), coming.get('agt_4'));
  for (const [id, owner] of before) t.is(plan.owner(id, 'a'), owner);
});

test('500 agents that come one after the other to 3,000 monitors cost less than a second of CPU', t => {
  const { user } = process.threadCpuUsage();
  const plan = planOf(
    3000,
    Array.from({ length: 500 }, (_, index) => `agt_${index}`),
  );
  t.is(plan.size, 3000);
  t.true(process.threadCpuUsage({ user, system: 0 }).user < 1_000_000);
});
