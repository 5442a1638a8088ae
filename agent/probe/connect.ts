import { isIP } from 'node:net';
import type { Timings } from '#shared/check-result.ts';
import type { IpFamily } from '#shared/checks/egress.ts';
import { isAllowed } from '#shared/network/guard.ts';
import { type Addresses, ResolveError, type Resolver } from '#shared/network/resolver.ts';
import { addTiming, type ProbeOutcome, type ProbeTools } from './attempt.ts';
import { type Deadline, within } from './deadline.ts';
import { type Connection, type DialOptions, dial } from './dial.ts';
import { type Egress, tlsFor } from './egress/egress.ts';
import type { HandshakeOptions } from './handshake.ts';
import type { NetworkHealth } from './network-health.ts';
import { ProbeRefusal } from './probe-refusal.ts';

/** A host, without brackets, and a port to connect to. `secure`: with TLS at once, for a certificate of that host. */
export type Target = { host: string; port: number; secure: boolean; alpn?: HandshakeOptions['alpn'] };

/** Resolves the host and connects to the first of its allowed addresses that answers, by the monitor’s egress. */
export async function connect(
  { host, port, secure, alpn }: Target,
  egress: Egress,
  tools: ProbeTools,
  deadline: Deadline,
  outcome: ProbeOutcome,
): Promise<Connection> {
  const { policy, health, source } = tools;
  // If this host fails, the certificate and the address of the one before are not its own.
  outcome.tls = null;
  outcome.remoteIp = null;
  outcome.host = hostAndPort(host, port);
  const addresses = await allowedAddresses(host, tools, deadline, outcome, egress.family);
  outcome.remoteIp = addresses.known[0] ?? null;
  outcome.phase = 'connect';
  const options: DialOptions = {
    addresses,
    port,
    source,
    tls: secure ? { ...tlsFor(egress, { host, port }), alpn } : null,
    isAllowed: address => isAllowed(address, policy),
    onConnect: (address, connectMs) => {
      health.noteReached();
      outcome.remoteIp = address;
      outcome.phase = secure ? 'tls' : 'request';
      addTiming(outcome.timings, 'connect_ms', connectMs);
    },
    onRefusal: (address, code) => {
      noteRefusal(code, host, address, health);
      outcome.remoteIp ??= address;
    },
  };
  const connection = await dial(options, deadline);
  if (connection.tlsMs !== null) addTiming(outcome.timings, 'tls_ms', connection.tlsMs);
  outcome.tls = connection.tls;
  outcome.phase = 'request';
  return connection;
}

/** The addresses of a host that the policy permits, perhaps none. Throws ResolveError. */
export async function allowedAddresses(
  host: string,
  { resolver, policy }: Pick<ProbeTools, 'resolver' | 'policy'>,
  deadline: Deadline,
  outcome: Pick<ProbeOutcome, 'phase' | 'timings'>,
  family: IpFamily = 'any',
): Promise<Addresses> {
  outcome.phase = 'dns';
  const found = await ofFamily(family, await resolve(host, resolver, deadline, outcome.timings), deadline);
  const allow = (addresses: readonly string[]) => addresses.filter(address => isAllowed(address, policy));
  return { known: allow(found.known), later: found.later === null ? null : found.later.then(allow) };
}

/** Those of one family. Throws ProbeRefusal if there are none. */
async function ofFamily(family: IpFamily, { known, later }: Addresses, deadline: Deadline): Promise<Addresses> {
  if (family === 'any') return { known, later };
  const version = family === 'ipv4' ? 4 : 6;
  const of = (addresses: readonly string[]) => addresses.filter(address => isIP(address) === version);
  const first = of(known);
  if (first.length > 0) return { known: first, later: later === null ? null : later.then(of) };
  const rest = later === null ? [] : of(await within(deadline, later));
  if (rest.length === 0) throw new ProbeRefusal('dns_failure', 'no address of that family');
  return { known: rest, later: null };
}

/** `host:port`, with brackets around an IPv6 address. */
export function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

async function resolve(host: string, resolver: Resolver, deadline: Deadline, timings: Timings): Promise<Addresses> {
  if (isIP(host) !== 0) return { known: [host], later: null };
  const startedMs = performance.now();
  const expiry = Promise.withResolvers<never>();
  deadline.onExpiry(() => expiry.reject(new ResolveError('ETIMEOUT', resolver.serverState(host, startedMs))));
  const addresses = await Promise.race([resolver.find(host), expiry.promise]);
  deadline.onExpiry(() => undefined);
  addTiming(timings, 'dns_ms', performance.now() - startedMs);
  return addresses;
}

/** What a refused connection says of this host's own network. */
export function noteRefusal(code: string, host: string, address: string, health: NetworkHealth): void {
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') health.noteReached();
  // Many hosts have IPv4 alone: that they cannot reach an IPv6 address says nothing about their network.
  else if (code === 'ENETUNREACH' || code === 'EHOSTUNREACH') {
    if (health.hasRoute(address)) health.noteUnreachable(host);
  } else if (code === 'ETIMEDOUT') health.noteSilent(host);
}
