import { plural } from '../../kit/plural.ts';
import type { Agent, RegionDetails } from '../../session/api-types.ts';
import { formatDuration } from '../../session/time.ts';

const staleMs = 30_000;
const clockMaxMs = 1000;

/** What needs somebody's attention at an agent, the gravest first; empty if nothing does. */
export function agentFaults(agent: Agent, nowMs: number): string[] {
  const faults: string[] = [];
  if (agent.spool_failing) faults.push('cannot write its spool: waiting results would be lost with it');
  if (agent.results_dropped > 0) faults.push(`${plural(agent.results_dropped, 'result')} dropped`);
  if (Math.abs(agent.clock_offset_ms ?? 0) > clockMaxMs) faults.push('its clock is wrong');
  const lag = agentLagMs(agent, nowMs);
  if (agent.state === 'online' && lag !== null && lag > staleMs) faults.push(`not seen for ${formatDuration(lag)}`);
  return faults;
}

/** How long ago the agent was last heard; null if it never was. */
export function agentLagMs({ last_seen_at }: Pick<Agent, 'last_seen_at'>, nowMs: number): number | null {
  return last_seen_at === null ? null : Math.max(0, nowMs - Date.parse(last_seen_at));
}

/** `+12 ms`, `−1.4 s`; a dash before it was measured. */
export function formatOffsetMs(ms: number | null): string {
  if (ms === null) return '–';
  const sign = ms < 0 ? '−' : '+';
  const size = Math.abs(ms);
  return size < 1000 ? `${sign}${Math.round(size)} ms` : `${sign}${(size / 1000).toFixed(1)} s`;
}

const capabilityWords: Readonly<Record<string, string>> = {
  'tls.facts': 'certificates',
  'probe.now': 'tests',
  'dns.own': 'name servers of its own',
  'assert.2': 'newer assertions',
  'assert.3': 'the newest assertions',
  'http.2': 'HTTP/2',
  'secrets.1': 'secrets of the project',
  'egress.1': 'families of addresses, own authorities and client certificates',
  'egress.proxy': 'proxies',
  'auth.oauth2': 'OAuth 2',
  'auth.steps': 'OAuth 2 in checks of several steps',
  'egress.each': 'every address of a name',
  'egress.steps': 'proxies and certificates of checks of several steps',
  tcp: 'TCP',
  tls: 'TLS',
  dns: 'DNS',
  ping: 'ping',
  grpc: 'gRPC',
  websocket: 'WebSocket',
};

/** What an agent can do beside HTTP checks; a word that this page does not know is shown as it is. */
export function describeCapabilities(capabilities: readonly string[]): string {
  return ['HTTP', ...capabilities.map(capabilityWord)].join(', ');
}

/** What a capability is called; its word on the wire if this page does not know it. */
export function capabilityWord(capability: string): string {
  return capabilityWords[capability] ?? capability;
}

/** The agents' versions, the most frequent first: `1.4.0`, or `1.4.0 (3), 1.3.2 (1)`; a dash before any connected. */
export function describeVersions(agents: readonly Pick<Agent, 'version'>[]): string {
  const known = agents.flatMap(({ version }) => version ?? []);
  const counts = [...Map.groupBy(known, version => version)].map(([version, all]) => ({ version, count: all.length }));
  if (counts.length === 0) return '–';
  counts.sort((left, right) => right.count - left.count || right.version.localeCompare(left.version));
  return counts.length === 1
    ? counts.map(({ version }) => version).join()
    : counts.map(({ version, count }) => `${version} (${count})`).join(', ');
}

/** How a region does: its verdict, and why in a few words. */
export function describeRegion(region: RegionDetails): { vote: 'up' | 'warn' | 'down' | 'unknown'; text: string } {
  const { agents_online, agents_total, monitors, monitors_without_vote: silent, quarantined_since } = region;
  if (quarantined_since !== null) return { vote: 'warn', text: 'Quarantined' };
  if (agents_total === 0) return { vote: 'unknown', text: 'No agents' };
  if (agents_online === 0) return { vote: monitors > 0 ? 'down' : 'unknown', text: 'No agent online' };
  if (silent > 0) return { vote: 'warn', text: `${silent} without a vote` };
  return agents_online < agents_total ? { vote: 'warn', text: 'Some agents offline' } : { vote: 'up', text: 'Online' };
}

/** The worst first, then by code. */
export function byTrouble(left: RegionDetails, right: RegionDetails): number {
  const order = ['down', 'warn', 'unknown', 'up'];
  const rank = (region: RegionDetails) => order.indexOf(describeRegion(region).vote);
  return rank(left) - rank(right) || left.code.localeCompare(right.code);
}
