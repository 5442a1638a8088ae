import test from 'ava';
import { type AgentRow, agentSchema, viewAgent } from '#control-plane/monitoring/agents/agent.ts';

const row: AgentRow = {
  id: 'agt_1',
  region: 'r',
  name: 'r-1',
  version: '0.3.0',
  online: true,
  disconnected_at: null,
  last_seen_at: 1000,
  clock_offset_ms: 1.5,
  assignments: 3,
  checks_per_second: 0.3,
  queue_depth: 0,
  missed_slots: 0,
  late_starts: 0,
  results_dropped: 0,
  spool_count: 0,
  spool_failing: false,
  private: true,
  capabilities: ['tls.facts'],
  incapable: [],
  created_at: 0,
};

for (const [title, changes, state] of [
  ['connected', {}, 'online'],
  ['with a lost connection', { disconnected_at: 900 }, 'draining'],
  ['marked offline', { online: false, disconnected_at: 900 }, 'offline'],
  ['never connected', { online: false, last_seen_at: null, version: null }, 'offline'],
] as const) {
  test(`an agent ${title} is shown as ${state}`, t => {
    const shown = viewAgent({ ...row, ...changes });
    t.is(shown.state, state);
    t.true(agentSchema.strict().safeParse(shown).success, 'and shows only what the API promises');
  });
}

test('the last sign of an agent is a timestamp, null before the first', t => {
  t.is(viewAgent(row).last_seen_at, '1970-01-01T00:00:01.000Z');
  t.is(viewAgent({ ...row, last_seen_at: null }).last_seen_at, null);
});
