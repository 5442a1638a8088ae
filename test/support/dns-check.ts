import type { Answer } from 'dns-packet';
import type { ProbeTools } from '#agent/probe/attempt.ts';
import { NetworkHealth } from '#agent/probe/network-health.ts';
import type { DnsCheck } from '#shared/checks/check.ts';
import { type Respond, startDnsServer } from './dns-server.ts';
import { namesResolver, probeKindOnce, probeTools } from './probe.ts';

/** On a host that has routes to all addresses. */
export class Routed extends NetworkHealth {
  override hasRoute(): boolean {
    return true;
  }
}

/** The name that checks of the tests ask for. */
export const asked = 'www.example';
const defaults = { kind: 'dns', name: asked, type: 'A', transport: 'udp', recursion: true } as const;

export function dnsTools(changes: Partial<ProbeTools> = {}): ProbeTools {
  return probeTools({ health: new Routed(), resolver: namesResolver({ 'ns.test': [['127.0.0.1']] }), ...changes });
}

type Options = Parameters<typeof probeKindOnce>[2] & { tools?: ProbeTools };

/** One attempt of a check that asks the server at this port. */
export function ask(port: number, changes: Partial<DnsCheck> = {}, { tools = dnsTools(), ...options }: Options = {}) {
  const check = { ...defaults, agree_with: [], server: { host: '127.0.0.1', port }, ...changes };
  return probeKindOnce(check, tools, options);
}

/** One attempt against a server that answers like this. */
export async function askOf(respond: Respond, changes: Partial<DnsCheck> = {}, options: Options = {}) {
  await using server = await startDnsServer(respond);
  return await ask(server.port, changes, options);
}

export function recordA(data: string, name: string = asked, ttl = 60): Answer {
  return { type: 'A', name, ttl, data };
}

export function recordCname(data: string, name: string = asked): Answer {
  return { type: 'CNAME', name, ttl: 60, data };
}

/** A port of 127.0.0.1 where nothing listens. */
export const closedUdpPort = 1;
