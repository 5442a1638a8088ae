import { isIP } from 'node:net';
import type { ProbedResponse } from '#shared/assertions/evaluate.ts';
import type { CheckErrorCode, FailureSource, ResponseWarning, Timings } from '#shared/check-result.ts';
import type { Clock } from '#shared/clock.ts';
import { type AddressPolicy, isAllowed } from '#shared/network/guard.ts';
import { type Addresses, ResolveError, type Resolver, type ServerState } from '#shared/network/resolver.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { classifyFailure, type Failure, type Phase } from './classify-failure.ts';
import { Cookies } from './cookies.ts';
import { Deadline, DeadlineError } from './deadline.ts';
import { type Connection, DialError, type DialOptions, dial } from './dial.ts';
import { BodyError, type ReadBody, type TakeBytes } from './http/body-reader.ts';
import { codingName } from './http/coding-name.ts';
import { ExchangeError, exchange, type HttpResponse, type Seen } from './http/exchange.ts';
import { headerText } from './http/header-text.ts';
import type { ResponseHeaders } from './http/response-headers.ts';
import type { NetworkHealth } from './network-health.ts';
import { followRedirect, type Hop, hopsMax } from './redirect.ts';
import { SeenCertificates, type Way } from './seen-certificates.ts';
import type { StandStillWatch } from './stand-still.ts';
import type { Trust } from './trust.ts';

/** What every probe of an agent shares. */
export type ProbeTools = Readonly<{
  resolver: Resolver;
  trust: Trust;
  policy: AddressPolicy;
  health: NetworkHealth;
  clock: Clock;
  standStill: StandStillWatch;
}>;

/** The request to send. `takeBytes`: where the memory of the body comes from; null if no assertion reads it. */
export type ProbeRequest = Pick<Assignment, 'url' | 'method' | 'headers' | 'body'> & {
  timeoutMs: number;
  followRedirects: boolean;
  takeBytes: TakeBytes | null;
};

/**
 * The outcome of one probe: `response`, or `error` and `failureSource` beside what was seen until then: the last status
 * code, phases and bytes. `tls` and `remoteIp` are of the last host; `remoteIp` is null if no address of it was tried.
 */
export type ProbeOutcome = {
  response: ProbedResponse | null;
  statusCode: number | null;
  error: { code: CheckErrorCode; message: string } | null;
  failureSource: FailureSource | null;
  latencyMs: number;
  timings: Timings;
  remoteIp: string | null;
  bytes: number;
  truncated: boolean;
  tls: Connection['tls'];
  way?: Way;
  /** Of all hops, each once. */
  warnings: readonly ResponseWarning[];
};

/**
 * Requests a target once, redirects included, over new connections and within one deadline. Every address is checked
 * against the policy first. Never throws because of anything a target does.
 */
export async function probe(request: ProbeRequest, tools: ProbeTools): Promise<ProbeOutcome> {
  const startedMs = performance.now();
  const outcome = emptyOutcome();
  using deadline = new Deadline(request.timeoutMs);
  const endedMs = await followHops(request, tools, deadline, outcome).catch(error => {
    const { code, message, source } = failureOf(error, tools, outcome.remoteIp);
    Object.assign(outcome, { response: null, error: { code, message }, failureSource: source });
    return performance.now();
  });
  outcome.latencyMs = endedMs - startedMs;
  return outcome;
}

/** Returns when the last byte was received. */
async function followHops(
  request: ProbeRequest,
  tools: ProbeTools,
  deadline: Deadline,
  outcome: ProbeOutcome,
): Promise<number> {
  const { url, method, headers, body, followRedirects, takeBytes } = request;
  const certificates = new SeenCertificates(new URL(url).host);
  const cookies = new Cookies();
  const shared = { followRedirects, takeBytes, eventMs: () => tools.standStill.eventMs() };
  let hop: Hop = { url: new URL(url), method, headers, body };
  for (let hops = 0; ; hops++) {
    const connection = await connect(hop.url, tools, deadline, outcome);
    certificates.note(hop.url.host, connection.tls, outcome);
    const options = { hop, cookies: cookies.headerFor(hop.url), socket: connection.socket, ...shared };
    const seen: Seen = { statusCode: null, firstByteMs: null, bytes: 0, warnings: [] };
    const response = await exchange(options, deadline, seen).finally(() => noteSeen(seen, outcome));
    if (response.body !== null) {
      certificates.finish(outcome);
      noteResponse(response, outcome);
      return response.endedMs;
    }
    if (hops === hopsMax) throw new ProbeRefusal('too_many_redirects', `more than ${hopsMax} redirects`);
    cookies.take(hop.url, response.headers.all('set-cookie'), tools.clock.now());
    const next = followRedirect(hop, response.statusCode, response.headers.get('location') ?? '');
    if (typeof next === 'string') throw new ProbeRefusal('protocol_error', next);
    hop = next;
  }
}

function noteSeen(seen: Seen, outcome: ProbeOutcome): void {
  outcome.statusCode = seen.statusCode ?? outcome.statusCode;
  outcome.bytes = seen.bytes;
  if (seen.warnings.length > 0) outcome.warnings = [...new Set([...outcome.warnings, ...seen.warnings])];
  if (seen.firstByteMs !== null) addTiming(outcome.timings, 'first_byte_ms', seen.firstByteMs);
}

function noteResponse({ headers, statusCode, downloadMs, body }: HttpResponse, outcome: ProbeOutcome): void {
  addTiming(outcome.timings, 'download_ms', downloadMs ?? 0);
  outcome.bytes = body?.bytes ?? 0;
  outcome.truncated = body?.truncated ?? false;
  outcome.response = toProbedResponse(headers, statusCode, body);
}

/** Resolves the host and connects to the first of its allowed addresses that answers. */
async function connect(url: URL, tools: ProbeTools, deadline: Deadline, outcome: ProbeOutcome): Promise<Connection> {
  const { policy, health, trust } = tools;
  // If this host fails, the certificate and the address of the one before are not its own.
  outcome.tls = null;
  outcome.remoteIp = null;
  const host = url.hostname.replace(/^\[(.+)\]$/, '$1');
  const found = await resolve(host, tools.resolver, deadline, outcome.timings);
  const allow = (addresses: readonly string[]) => addresses.filter(address => isAllowed(address, policy));
  const addresses = { known: allow(found.known), later: found.later === null ? null : found.later.then(allow) };
  outcome.remoteIp = addresses.known[0] ?? null;
  const secure = url.protocol === 'https:';
  const options: DialOptions = {
    addresses,
    port: Number(url.port) || (secure ? 443 : 80),
    serverName: secure ? host : null,
    trust,
    isAllowed: address => isAllowed(address, policy),
    onConnect: (address, connectMs) => {
      health.noteReached();
      outcome.remoteIp = address;
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
  return connection;
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

function noteRefusal(code: string, host: string, address: string, health: NetworkHealth): void {
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') health.noteReached();
  // Many hosts have IPv4 alone: that they cannot reach an IPv6 address says nothing about their network.
  else if (code === 'ENETUNREACH' || code === 'EHOSTUNREACH') {
    if (health.hasRoute(address)) health.noteUnreachable(host);
  } else if (code === 'ETIMEDOUT') health.noteSilent(host);
}

/** A rule of our own refuses to go on: too many redirects or an invalid one. */
class ProbeRefusal extends Error {
  override name = 'ProbeRefusal';
  readonly code: CheckErrorCode;
  constructor(code: CheckErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

function failureOf(error: unknown, tools: ProbeTools, remoteIp: string | null): Failure {
  const classify = (phase: Phase, code: string, servers: ServerState = 'answering') =>
    classifyFailure(phase, code, {
      hasRoute: tools.health.hasRoute(remoteIp ?? ''),
      isLocalOutage: tools.health.isLocalOutage(),
      servers,
    });
  const target = (code: CheckErrorCode, message: string): Failure => ({ code, source: 'target', message });
  if (error instanceof ProbeRefusal) return target(error.code, error.message);
  if (error instanceof DeadlineError) return target('timeout', 'no complete response within the time limit');
  if (error instanceof ResolveError) return classify('dns', error.code, error.servers);
  if (error instanceof DialError && error.code === 'EBLOCKED')
    return target('blocked_address', 'this agent may not connect to that address');
  if (error instanceof DialError) return classify(error.phase, error.code);
  if (error instanceof BodyError && error.code === 'EBODYTOOLARGE')
    return target('body_too_large', 'the body is larger than 10 MiB');
  if (error instanceof BodyError && error.code === 'ECHUNKS')
    return target('body_too_large', 'the body has too many chunks: it is larger than 10 MiB with 64 bytes for each');
  if (error instanceof BodyError && error.code === 'ENOROOM')
    return { code: 'body_too_large', source: 'probe', message: 'the agent holds too many bodies at this moment' };
  if (error instanceof ExchangeError && error.code === 'ESTATUS')
    return target('protocol_error', 'the status code is not between 100 and 599');
  if (error instanceof BodyError) return target('protocol_error', `the body is not valid ${codingName(error.coding)}`);
  if (error instanceof ExchangeError) return classify('exchange', error.code);
  return target('protocol_error', 'the request could not be made');
}

function toProbedResponse(received: ResponseHeaders, statusCode: number, body: ReadBody | null): ProbedResponse {
  let headers: ReadonlyMap<string, readonly string[]> | null = null;
  return {
    statusCode,
    bodyText: body?.text ?? '',
    truncated: body?.truncated ?? false,
    // Most checks read no header, so the map is built only on first use.
    get headers() {
      headers ??= new Map([...received.byName()].map(([name, values]) => [name, values.map(headerText)]));
      return headers;
    },
  };
}

function addTiming(timings: Timings, phase: keyof Timings, ms: number): void {
  timings[phase] = Math.round(((timings[phase] ?? 0) + ms) * 1000) / 1000;
}

function emptyOutcome(): ProbeOutcome {
  return {
    response: null,
    statusCode: null,
    error: null,
    failureSource: null,
    latencyMs: 0,
    timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, download_ms: null },
    remoteIp: null,
    bytes: 0,
    truncated: false,
    tls: null,
    warnings: [],
  };
}
