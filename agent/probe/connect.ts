import { isIP } from 'node:net';
import type { Timings } from '#shared/check-result.ts';
import type { IpFamily } from '#shared/checks/egress.ts';
import { isAllowed } from '#shared/network/guard.ts';
import { type Addresses, ResolveError, type Resolver } from '#shared/network/resolver.ts';
import type { AddressTurn } from './addresses/address-turn.ts';
import { inOrder } from './addresses/in-order.ts';
import { addTiming, type ProbeOutcome, type ProbeTools } from './attempt.ts';
import { Deadline, within } from './deadline.ts';
import { type Connection, DialError, type DialOptions, dial, needsHybrid } from './dial.ts';
import { type Egress, tlsFor } from './egress/egress.ts';
import type { HandshakeOptions } from './handshake.ts';
import type { NetworkHealth } from './network-health.ts';
import { ProbeRefusal } from './probe-refusal.ts';
import { isRefusedByName, type ProxyServer } from './proxy/proxy.ts';
import { openTunnel } from './proxy/tunnel.ts';
import { secure as secureSocket } from './secure.ts';

/**
 * A host, without brackets, and a port to connect to. `secure`: with TLS at once, for a certificate of that host.
 * `isPlainHttp`: for one request in clear text, which HTTP proxies forward.
 */
export type Target = Endpoint & { secure: boolean; isPlainHttp?: boolean; alpn?: HandshakeOptions['alpn'] };
type Endpoint = { host: string; port: number };

type Tools = Pick<ProbeTools, 'resolver' | 'policy' | 'health' | 'source'>;

/**
 * Connects by the monitor’s egress: to the first of the host's allowed addresses that answers, or through a proxy,
 * which resolves the host itself.
 */
export async function connect(
  target: Target,
  egress: Egress,
  tools: ProbeTools,
  deadline: Deadline,
  outcome: ProbeOutcome,
): Promise<Connection> {
  // If this host fails, the certificate and the address of the one before are not its own.
  outcome.tls = null;
  outcome.remoteIp = null;
  outcome.host = hostAndPort(target.host, target.port);
  const { proxy, family } = egress;
  const turn = egress.target?.host === target.host ? egress.turn : null;
  const connection =
    proxy === null
      ? await reach(target, tlsOf(target, egress), { family, turn, tools, deadline, outcome })
      : await connectThrough(proxy, target, egress, { family, turn: null, tools, deadline, outcome });
  outcome.tls = connection.tls;
  outcome.phase = 'request';
  return connection;
}

type Way = { family: IpFamily; turn: AddressTurn | null; tools: Tools; deadline: Deadline; outcome: ProbeOutcome };

/** Resolves a host and connects to the first of its allowed addresses that answers. */
async function reach({ host, port }: Endpoint, tls: DialOptions['tls'], way: Way): Promise<Connection> {
  const { turn, tools, deadline, outcome } = way;
  const { policy, health, source } = tools;
  const addresses = turn === null ? await findAllowed(host, way) : await ofTurn(turn, host, way);
  outcome.remoteIp = addresses.known[0] ?? null;
  outcome.phase = 'connect';
  const options: DialOptions = {
    addresses,
    port,
    source,
    tls,
    isAllowed: address => isAllowed(address, policy),
    onConnect: (address, connectMs) => {
      health.noteReached();
      outcome.remoteIp = address;
      outcome.phase = tls === null ? 'request' : 'tls';
      addTiming(outcome.timings, 'connect_ms', connectMs);
    },
    onRefusal: (address, code) => {
      noteRefusal(code, host, address, health);
      outcome.remoteIp ??= address;
    },
  };
  using limit = turn?.hasNext === true ? new Deadline(Math.min(turn.limitMs, deadline.leftMs)) : null;
  const connection = await dial(options, limit ?? deadline);
  if (connection.tlsMs !== null) addTiming(outcome.timings, 'tls_ms', connection.tlsMs);
  return connection;
}

/** The address whose turn it is, alone. */
async function ofTurn(turn: AddressTurn, host: string, way: Way): Promise<Addresses> {
  if (!turn.isBegun) {
    const { known, later } = await findAllowed(host, way);
    using limit = new Deadline(Math.min(turn.limitMs, way.deadline.leftMs));
    const others = later === null ? [] : await within(limit, later).catch(() => []);
    const all = [...known, ...others];
    const reachable = inOrder(all, way.tools.health);
    turn.begin(reachable.length > 0 ? reachable : all);
  }
  return { known: turn.current, later: null };
}

function findAllowed(host: string, { family, tools, deadline, outcome }: Way): Promise<Addresses> {
  return allowedAddresses(host, tools, deadline, outcome, family);
}

function tlsOf({ host, port, secure, alpn }: Target, egress: Egress): DialOptions['tls'] {
  return secure ? { ...tlsFor(egress, { host, port }), alpn } : null;
}

/** The outcome's host is that of the proxy while the way to it is what may fail. */
async function connectThrough(proxy: ProxyServer, target: Target, egress: Egress, way: Way): Promise<Connection> {
  const { tools, outcome } = way;
  outcome.phase = 'connect';
  if (isRefusedByName(target.host, tools.policy)) throw new DialError('connect', 'EBLOCKED', null);
  if (target.isPlainHttp === true && proxy.protocol === 'http') {
    const { socket } = await reachProxy(proxy, way);
    const forwardedBy = { proxy, remoteIp: outcome.remoteIp };
    noteTarget(target, outcome);
    return { socket, tlsMs: null, tls: null, forwardedBy };
  }
  const tls = tlsOf(target, egress);
  if (tls === null) return { socket: await tunnelTo(target, proxy, way), tlsMs: null, tls: null };
  const { trust, ...handshake } = tls;
  try {
    return await secureThrough(proxy, target, { ...handshake, context: trust.classic }, way);
  } catch (error) {
    // As `dial` does, a server that accepts hybrid groups alone gets a second connection.
    if (!needsHybrid(error)) throw error;
    return await secureThrough(proxy, target, { ...handshake, context: trust.hybrid }, way);
  }
}

async function secureThrough(
  proxy: ProxyServer,
  target: Target,
  handshake: HandshakeOptions,
  way: Way,
): Promise<Connection> {
  const socket = await tunnelTo(target, proxy, way);
  way.outcome.phase = 'tls';
  const secured = await secureSocket(socket, handshake, way.deadline);
  addTiming(way.outcome.timings, 'tls_ms', secured.tlsMs);
  return secured;
}

async function tunnelTo(target: Target, proxy: ProxyServer, way: Way): Promise<Connection['socket']> {
  const { deadline, outcome } = way;
  const { socket } = await reachProxy(proxy, way);
  const { host, port } = target;
  const startedMs = performance.now();
  try {
    await openTunnel(socket, proxy, { host, port, authority: hostAndPort(host, port) }, deadline);
  } catch (error) {
    // What the proxy says of its own connection is about the target.
    if (error instanceof ProbeRefusal && error.code !== 'proxy_failed') noteTarget(target, outcome, 'connect');
    throw error;
  }
  addTiming(outcome.timings, 'proxy_ms', performance.now() - startedMs);
  noteTarget(target, outcome);
  return socket;
}

async function reachProxy(proxy: ProxyServer, way: Way): Promise<Connection> {
  way.outcome.host = hostAndPort(proxy.host, proxy.port);
  const connection = await reach(proxy, null, way);
  way.outcome.phase = 'proxy';
  return connection;
}

/** From here on the target is what may fail; its address only the proxy knows. */
function noteTarget({ host, port }: Target, outcome: ProbeOutcome, phase: ProbeOutcome['phase'] = 'request'): void {
  outcome.host = hostAndPort(host, port);
  outcome.remoteIp = null;
  outcome.phase = phase;
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
