import test from 'ava';
import { enrolmentsOf } from '#control-plane/web/dashboard/app/features/regions/enrolment.ts';
import {
  agentFaults,
  agentLagMs,
  byTrouble,
  capabilityWord,
  describeCapabilities,
  describeRegion,
  describeVersions,
  formatOffsetMs,
} from '#control-plane/web/dashboard/app/features/regions/words.ts';
import type { Agent, RegionDetails } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { nowMs } from '../../samples.ts';

const region: RegionDetails = {
  code: 'eu',
  name: 'eu',
  agents_online: 2,
  agents_total: 2,
  capabilities: [],
  private: false,
  quarantined_since: null,
  monitors: 10,
  monitors_without_vote: 0,
  last_result_at: null,
};
const agent: Agent = {
  id: 'agt_1',
  region: 'eu',
  name: 'eu-1',
  version: '0.5.0',
  state: 'online',
  last_seen_at: '2026-11-21T09:59:58.000Z',
  clock_offset_ms: 3,
  assignments: 1,
  checks_per_second: 0.1,
  queue_depth: 0,
  missed_slots: 0,
  late_starts: 0,
  results_dropped: 0,
  spool_count: 0,
  spool_failing: false,
  private: true,
  capabilities: [],
  incapable: [],
  created_at: '2026-11-20T10:00:00.000Z',
};

test('a region is never called online while something is missing', t => {
  const cases: [Partial<RegionDetails>, string][] = [
    [{}, 'up Online'],
    [{ agents_online: 1 }, 'warn Some agents offline'],
    [{ monitors_without_vote: 3 }, 'warn 3 without a vote'],
    [{ agents_online: 0 }, 'down No agent online'],
    [{ agents_online: 0, monitors: 0 }, 'unknown No agent online'],
    [{ agents_online: 0, agents_total: 0 }, 'unknown No agents'],
    [{ quarantined_since: '2026-11-21T09:00:00.000Z' }, 'warn Quarantined'],
  ];
  for (const [changes, expected] of cases) {
    const { vote, text } = describeRegion({ ...region, ...changes });
    t.is(`${vote} ${text}`, expected);
  }
  const down = { ...region, code: 'us', agents_online: 0 };
  t.deepEqual([region, down].toSorted(byTrouble), [down, region]);
});

test('an agent’s faults are named, the gravest first', t => {
  t.deepEqual(agentFaults(agent, nowMs), []);
  const bad = { ...agent, spool_failing: true, results_dropped: 1, clock_offset_ms: -1500 };
  t.is(agentFaults(bad, nowMs).length, 3);
  t.deepEqual(agentFaults(agent, nowMs + 60_000), ['not seen for 1 min']);
  t.deepEqual(agentFaults({ ...agent, state: 'offline' }, nowMs + 60_000), []);
  t.is(agentLagMs({ last_seen_at: null }, nowMs), null);
  t.deepEqual([null, 12.4, -1400].map(formatOffsetMs), ['–', '+12 ms', '−1.4 s']);
});

test('what agents can do and run is named, also by words of later versions', t => {
  t.is(describeCapabilities([]), 'HTTP');
  t.is(capabilityWord('dns.own'), 'name servers of its own');
  t.is(describeCapabilities(['tls.facts', 'quantum']), 'HTTP, certificates, quantum');
  const of = (...versions: (string | null)[]) => describeVersions(versions.map(version => ({ version })));
  t.is(of(), '–');
  t.is(of(null), '–');
  t.is(of('1.4.0', '1.4.0', null), '1.4.0');
  t.is(of('1.3.2', '1.4.0', '1.4.0'), '1.4.0 (2), 1.3.2 (1)');
});

test('an enrolment holds address and secret, and a name that no shell reads as something else', t => {
  const made = enrolmentsOf({ name: 'Rack 7; rm -rf / $(x)', secret: 'upa_s3cr3t' }, 'https://up.example');
  t.deepEqual(
    made.map(({ label }) => label),
    ['npm', 'Docker', 'systemd'],
  );
  for (const { command } of made) {
    t.true(command.includes('CONTROL_PLANE_URL=https://up.example') && command.includes('AGENT_SECRET=upa_s3cr3t'));
    t.notRegex(command, /rm -rf|\$\(/);
  }
  t.true(enrolmentsOf({ name: '東京', secret: 's' }, 'https://up.example')[0]?.command.includes('upquorum-agent'));
});
