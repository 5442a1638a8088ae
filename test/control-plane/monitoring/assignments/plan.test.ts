import test from 'ava';
import fc from 'fast-check';
import { Moves } from '#control-plane/monitoring/assignments/moves.ts';
import { Plan, type PlannedMonitor } from '#control-plane/monitoring/assignments/plan.ts';
import { foldId, weightOf } from '#control-plane/monitoring/assignments/weight.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

/** The rule itself, in full: of the live agents that can, the one with the highest weight, of equals the lower id. */
function ownerOf(monitorId: string, needs: string, agents: ReadonlyMap<string, string>): string | null {
  const words = needs === '' ? [] : needs.split(' ');
  const able = [...agents].filter(([, can]) => words.every(word => can.split(' ').includes(word)));
  const ranked = able
    .map(([id]) => id)
    .map(id => ({ id, weight: weightOf(foldId(id), foldId(monitorId)) }))
    .sort((left, right) => right.weight - left.weight || (left.id < right.id ? -1 : 1));
  return ranked[0]?.id ?? null;
}

type Step =
  | { type: 'put'; monitor: number; version: number; regions: string[]; needs: string }
  | { type: 'remove'; monitor: number }
  | { type: 'change'; region: string; come: number[]; go: number[]; able: string }
  | { type: 'open' | 'close'; region: string };

const region = fc.constantFrom('a', 'b', 'c');
const number = fc.nat(8);
const numbers = fc.uniqueArray(number, { maxLength: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('put' as const),
      monitor: number,
      version: fc.integer({ min: 1, max: 3 }),
      regions: fc.uniqueArray(region),
      needs: fc.constantFrom('', '', 'ping', 'dns ping', 'tcp'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), monitor: number }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      region,
      come: numbers,
      go: numbers,
      able: fc.constantFrom('', 'dns ping tcp', 'ping', 'tcp ping'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('open' as const, 'close' as const), region }) },
);

type World = {
  plan: Plan;
  monitors: Map<string, PlannedMonitor>;
  /** Live agents by region, with what each can do. */
  agents: Map<string, Map<string, string>>;
  open: Set<string>;
  /** What each agent has of open regions, from what was noted for it. */
  shares: Map<string, Map<string, number>>;
};

test('whatever comes and goes, in any order, the owners are those of the rule, and every change is noted', t => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      const world: World = {
        plan: new Plan(),
        monitors: new Map(),
        agents: new Map(['a', 'b', 'c'].map(code => [code, new Map()])),
        open: new Set(),
        shares: new Map(),
      };
      for (const next of steps) {
        const moves = new Moves(() => true);
        apply(next, world, moves);
        follow(world, moves);
      }
      const { plan, monitors, agents, open, shares } = world;
      for (const [code, ids] of agents) {
        const isOpen = open.has(code);
        for (const [id, monitor] of monitors) {
          t.is(plan.owner(id, code), isOpen && monitor.regions.includes(code) ? ownerOf(id, monitor.needs, ids) : null);
        }
        for (const [agentId, owned] of plan.ownedBy(ids.keys(), code)) {
          t.deepEqual(owned.sort(), [...(shares.get(agentId) ?? [])].sort());
        }
      }
      const held = [...monitors.values()].filter(({ regions }) => regions.some(code => open.has(code)));
      t.is(plan.size, held.length);
      t.deepEqual([...plan.ids()].sort(), held.map(({ id }) => id).sort());
      for (const monitor of held)
        t.deepEqual(plan.monitor(monitor.id), { ...monitor, regions: monitor.regions.toSorted() });
      t.is(plan.regionLists, new Set(held.map(({ regions, needs }) => `${regions.toSorted().join()} ${needs}`)).size);
    }),
    { numRuns: 300 },
  );
});

/** Each agent applies what was noted for it to what it had. */
function follow({ plan, shares }: World, moves: Moves): void {
  for (const [agentId, ids] of moves) {
    const share = shares.get(agentId) ?? new Map();
    shares.set(agentId, share);
    for (const id of ids) {
      if (plan.owner(id, agentId.slice(0, 1)) === agentId) share.set(id, plan.monitor(id)?.version);
      else share.delete(id);
    }
  }
}

function apply(next: Step, world: World, moves: Moves): void {
  const { plan, monitors, agents, open, shares } = world;
  switch (next.type) {
    case 'put': {
      const id = `mon_${next.monitor}`;
      const { version, regions, needs } = next;
      // The regions of one version never differ.
      const monitor = { id, version: (monitors.get(id)?.version ?? 0) + version, regions, needs };
      monitors.set(id, monitor);
      return plan.put(monitor, moves);
    }
    case 'remove':
      monitors.delete(`mon_${next.monitor}`);
      return plan.remove(`mon_${next.monitor}`, moves);
    case 'change': {
      const live = agents.get(next.region) ?? new Map<string, string>();
      const named = (numbers: readonly number[]) => numbers.map(number => `${next.region}_agent_${number}`);
      const go = named(next.go).filter(id => live.has(id));
      // Who is there already says that it can do something else.
      const come = named(next.come).filter(id => !go.includes(id));
      for (const id of go) live.delete(id);
      for (const id of come) live.set(id, next.able);
      const comers = come.map(id => ({ id, able: next.able }));
      return finish(plan.changeAgents(next.region, comers, go, moves));
    }
    case 'open': {
      if (open.has(next.region)) return;
      open.add(next.region);
      const live = [...(agents.get(next.region) ?? [])].map(([id, able]) => ({ id, able }));
      plan.openRegion(next.region, live);
      for (const monitor of monitors.values()) if (monitor.regions.includes(next.region)) plan.put(monitor, moves);
      return;
    }
    case 'close':
      open.delete(next.region);
      for (const agentId of shares.keys()) if (agentId.startsWith(next.region)) shares.delete(agentId);
      return finish(plan.closeRegion(next.region));
    default:
      return next satisfies never;
  }
}

function finish(work: Generator<void>): void {
  for (const _ of work);
}

function planOf(monitorCount: number, agentIds: readonly string[]): Plan {
  const plan = new Plan();
  plan.openRegion('a', []);
  for (let index = 0; index < monitorCount; index++)
    plan.put({ id: `mon_${index}`, version: 1, regions: ['a'], needs: '' }, new Moves(() => false));
  for (const id of agentIds) finish(plan.changeAgents('a', [{ id, able: '' }], [], new Moves(() => false)));
  return plan;
}

test('shares are even: of twenty agents none has more than a quarter above or below its part', t => {
  const agents = Array.from({ length: 20 }, (_, index) => `agt_${index}`);
  const plan = planOf(20_000, agents);
  for (const id of agents) {
    const share = plan.ownedBy([id], 'a').get(id)?.length ?? 0;
    t.true(share > 750 && share < 1250, `${id} has ${share}`);
  }
});

test('an agent that comes takes monitors only for itself, and one that goes gives up only its own', t => {
  const plan = planOf(2000, ['agt_1', 'agt_2', 'agt_3']);
  const before = new Map([...Array(2000).keys()].map(index => [`mon_${index}`, plan.owner(`mon_${index}`, 'a')]));
  const coming = new Moves(() => true);
  finish(plan.changeAgents('a', [{ id: 'agt_4', able: '' }], [], coming));
  const taken = new Map(coming).get('agt_4') ?? new Set();
  t.true(taken.size > 0);
  for (const id of taken) t.is(plan.owner(id, 'a'), 'agt_4');
  const going = new Moves(() => true);
  finish(plan.changeAgents('a', [], ['agt_4'], going));
  t.deepEqual(new Map(going).get('agt_4'), taken);
  for (const [id, owner] of before) t.is(plan.owner(id, 'a'), owner);
});

test('500 agents that come one after the other to 3,000 monitors cost less than a second of CPU', async t => {
  const agents = Array.from({ length: 500 }, (_, index) => `agt_${index}`);
  const ms = await leastThreadMs(1000, () => t.is(planOf(3000, agents).size, 3000));
  t.true(ms < 1000, `${ms} ms`);
});

test('the order in which regions are named makes no list of its own, and one that nobody uses goes', t => {
  const plan = new Plan();
  const moves = new Moves(() => true);
  const codes = ['a', 'b', 'c', 'd', 'e'];
  for (const code of codes) plan.openRegion(code, [{ id: `${code}_agent`, able: '' }]);
  const put = (id: string, regions: readonly string[]) => plan.put({ id, version: 1, regions, needs: '' }, moves);
  for (let turn = 0; turn < 1000; turn++) put('mon_1', [...codes.slice(turn % 5), ...codes.slice(0, turn % 5)]);
  put('mon_2', codes.toReversed());
  t.is(plan.regionLists, 1);
  for (const code of codes) put('mon_1', [code]);
  t.is(plan.regionLists, 2);
  plan.remove('mon_1', moves);
  t.is(plan.regionLists, 1);
  t.deepEqual(plan.monitor('mon_2')?.regions, codes);
});

test('what all agents of a region can do is run by the same ones as what needs nothing', t => {
  const agents = Array.from({ length: 5 }, (_, index) => ({ id: `agt_${index}`, able: 'dns ping tcp' }));
  const plan = new Plan();
  plan.openRegion('a', agents);
  const owners = (needs: string) =>
    Array.from({ length: 200 }, (_, index) => {
      plan.put({ id: `mon_${index}`, version: needs.length, regions: ['a'], needs }, new Moves(() => false));
      return plan.owner(`mon_${index}`, 'a');
    });
  t.deepEqual(owners('dns ping'), owners(''));
  t.deepEqual(new Set(owners('dns.own')), new Set([null]), 'nobody can');
});
