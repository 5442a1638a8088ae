import test from 'ava';
import fc from 'fast-check';
import type { AdmittedAgent } from '#control-plane/monitoring/agents/store.ts';
import { stateOf } from '#control-plane/monitoring/assignments/agent-state.ts';
import { AssignmentSet } from '#control-plane/monitoring/assignments/assignment-set.ts';
import { Moves } from '#control-plane/monitoring/assignments/moves.ts';
import { Plan } from '#control-plane/monitoring/assignments/plan.ts';
import { previouslyOwned } from '#control-plane/monitoring/assignments/previous-owners.ts';

/** What an agent of the plan is to run while these agents are live. */
function ownedBy(agentId: string, live: readonly string[], monitors: readonly string[]): Map<string, number> {
  const plan = new Plan();
  plan.openRegion(
    'r',
    live.map(id => ({ id, able: '' })),
  );
  for (const id of monitors) plan.put({ id, version: 1, regions: ['r'], needs: '' }, new Moves(() => false));
  return new Map(plan.ownedBy([agentId], 'r').get(agentId));
}

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}_${index}`);
const agents = names('agt', 12);
const monitors = names('mon', 60);

test('what an agent ran before others went is what the plan gave it then', t => {
  fc.assert(
    fc.property(fc.subarray(agents, { minLength: 1 }), fc.nat(11), fc.subarray(agents), (live, place, others) => {
      const agentId = live[place % live.length] ?? '';
      const gone = others.filter(id => !live.includes(id));
      const wanted = ownedBy(agentId, live, monitors);
      const before = ownedBy(agentId, [...live, ...gone], monitors);
      t.deepEqual(previouslyOwned(agentId, wanted, gone), gone.length === 0 ? null : before);
    }),
  );
});

test('an agent that comes back while others are gone is sent only what it takes over from them', t => {
  const [agentId = '', ...others] = agents;
  const gone = others.slice(0, 3);
  const before = ownedBy(agentId, agents, monitors);
  const wanted = ownedBy(
    agentId,
    agents.filter(id => !gone.includes(id)),
    monitors,
  );
  const added = [...wanted.keys()].filter(id => !before.has(id));
  t.true(added.length > 0 && before.size > 0);
  const held = { revision: 3, digest: AssignmentSet.of(before).digest };
  const agent = { id: agentId } as AdmittedAgent;
  const state = stateOf({ held, agent }, AssignmentSet.of(wanted), null, gone);
  t.false(state.sendSnapshot);
  t.deepEqual([...state.changedIds].sort(), added.sort());
  const unknown = stateOf({ held, agent }, AssignmentSet.of(wanted), null, []);
  t.true(unknown.sendSnapshot, 'not knowing who went, everything');
});
