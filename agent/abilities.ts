import { type Capability, capabilities, hostCapabilities } from '#shared/capabilities.ts';
import type { AgentMessage } from '#shared/protocol/messages.ts';
import type { AgentConfig } from './config.ts';
import { PingLimit } from './probe/kinds/ping/ping-limit.ts';
import type { PingTools } from './probe/kinds/ping/run-ping.ts';
import { tryPing } from './probe/kinds/ping/trial.ts';

type HostCapability = (typeof hostCapabilities)[number];
type Hello = Extract<AgentMessage, { type: 'hello' }>;

/** What the agent can do on this host, and why not the rest. `ping` is null if the host cannot. */
export type Abilities = Readonly<{
  words: readonly Capability[];
  incapable: NonNullable<Hello['incapable']>;
  ping: PingTools | null;
}>;

const reasonMax = 200;

/** Tries what depends on the host; `lanes` share the pings that may run at a time. */
export async function findAbilities(
  { dnsCheckServers, pingConcurrency, programPath: path, source }: AgentConfig,
  lanes: () => number,
): Promise<Abilities> {
  const trial = await tryPing(path, source);
  const reasons: Record<HostCapability, string | null> = {
    ping: 'reason' in trial ? trial.reason : null,
    'dns.own': dnsCheckServers.length === 0 ? 'DNS_CHECK_SERVERS is not set' : null,
  };
  return {
    words: [...capabilities, ...hostCapabilities.filter(word => reasons[word] === null)],
    incapable: hostCapabilities.flatMap(word => {
      const reason = reasons[word];
      return reason === null ? [] : [{ word, reason: reason.slice(0, reasonMax) }];
    }),
    ping: 'reason' in trial ? null : { ...trial, path, source, limit: new PingLimit(pingConcurrency, lanes) },
  };
}
