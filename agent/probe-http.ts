import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { ProbedResponse } from '#shared/assertions/evaluate.ts';
import type { CheckErrorCode, FailureSource, Timings } from '#shared/check-result.ts';
import { type AddressPolicy, isAllowed } from '#shared/network/guard.ts';
import { ResolveError, type Resolver } from '#shared/network/resolver.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { BodyError } from './body-reader.ts';
import { classifyFailure, type Failure, type Phase } from './classify-failure.ts';
import { Deadline, DeadlineError } from './deadline.ts';
import { type Connection, DialError, dial } from './dial.ts';
import { type Answer, ExchangeError, exchange } from './exchange.ts';
import type { NetworkHealth } from './network-health.ts';
import { followRedirect, type Hop, hopsMax } from './redirect.ts';

/** What every probe of an agent shares. */
export type ProbeTools = Readonly<{
  resolver: Resolver;
  trust: SecureContext;
  policy: AddressPolicy;
  health: NetworkHealth;
}>;

/** What to ask for. `wantsText`: some assertion looks at the body. */
export type ProbeRequest = Pick<Assignment, 'url' | 'method' | 'headers' | 'body'> & {
  timeoutMs: number;
  followRedirects: boolean;
  wantsText: boolean;
};

/** What one guarded request came to: a response, or an error and whose fault it is. */
export type ProbeOutcome = {
  response: ProbedResponse | null;
  error: { code: CheckErrorCode; message: string } | null;
  failureSource: FailureSource | null;
  latencyMs: number;
  timings: Timings;
  remoteIp: string | null;
  bytes: number;
  truncated: boolean;
  tls: Connection['tls'];
};

const addressesTriedMax = 3;

/** Asks a target once, on fresh connections, all within one deadline. Never throws for what a target does. */
export async function probe(request: ProbeRequest, tools: ProbeTools): Promise<ProbeOutcome> {
  const startedMs = performance.now();
  const outcome = emptyOutcome();
  using deadline = new Deadline(request.timeoutMs);
  try {
    await run(request, tools, deadline, outcome);
  } catch (error) {
    const failure = failureOf(error, tools, outcome.remoteIp);
    outcome.response = null;
    outcome.error = { code: failure.code, message: failure.message };
    outcome.failureSource = failure.source;
  }
  outcome.latencyMs = performance.now() - startedMs;
  return outcome;
}

async function run(request: ProbeRequest, tools: ProbeTools, deadline: Deadline, outcome: ProbeOutcome): Promise<void> {
  const { url, method, headers, body, followRedirects, wantsText } = request;
  let hop: Hop = { url: new URL(url), method, headers, body };
  for (let hops = 0; ; hops++) {
    const connection = await connect(hop.url, tools, deadline, outcome);
    const answer = await exchange({ hop, socket: connection.socket, followRedirects, wantsText }, deadline);
    addTiming(outcome.timings, 'first_byte_ms', answer.firstByteMs);
    if (answer.body === null) {
      if (hops === hopsMax) throw new ProbeRefusal('too_many_redirects', `more than ${hopsMax} redirects`);
      const next = followRedirect(hop, answer.statusCode, answer.message.headers.location ?? '');
      if (typeof next === 'string') throw new ProbeRefusal('protocol_error', next);
      hop = next;
    } else {
      return accept(answer, outcome);
    }
  }
}

function accept(answer: Answer, outcome: ProbeOutcome): void {
  addTiming(outcome.timings, 'download_ms', answer.downloadMs ?? 0);
  outcome.bytes = answer.body?.bytes ?? 0;
  outcome.truncated = answer.body?.truncated ?? false;
  outcome.response = toResponse(answer.message, answer.statusCode, answer.body?.text ?? '');
}

/** Resolves, checks and pins an address, and tries the next one when it cannot be connected. */
async function connect(url: URL, tools: ProbeTools, deadline: Deadline, outcome: ProbeOutcome): Promise<Connection> {
  const host = url.hostname.replace(/^\[(.+)\]$/, '$1');
  const addresses = await resolve(host, tools.resolver, deadline, outcome.timings);
  const allowed = addresses.filter(address => isAllowed(address, tools.policy)).slice(0, addressesTriedMax);
  if (allowed.length === 0) throw blocked();
  const secure = url.protocol === 'https:';
  let first: unknown = null;
  for (const [index, address] of allowed.entries()) {
    outcome.remoteIp = address;
    try {
      const connection = await dial(
        {
          address,
          port: Number(url.port) || (secure ? 443 : 80),
          serverName: secure ? host : null,
          trust: tools.trust,
          isAllowed: candidate => isAllowed(candidate, tools.policy),
        },
        deadline,
        // A silent address must leave time for the next one.
        deadline.leftMs / (allowed.length - index),
      );
      tools.health.noteReached();
      noteConnection(outcome, connection);
      return connection;
    } catch (error) {
      note(error, host, tools.health);
      first ??= error;
      if (!(error instanceof DialError) || error.phase !== 'connect' || deadline.leftMs <= 0) throw error;
    }
  }
  outcome.remoteIp = allowed[0] ?? null;
  throw first;
}

async function resolve(host: string, resolver: Resolver, deadline: Deadline, timings: Timings) {
  if (isIP(host) !== 0) return [host];
  const startedMs = performance.now();
  const late = Promise.withResolvers<never>();
  deadline.onExpiry(() => late.reject(new ResolveError('ETIMEOUT')));
  const addresses = await Promise.race([resolver.resolve(host), late.promise]);
  deadline.onExpiry(() => undefined);
  addTiming(timings, 'dns_ms', performance.now() - startedMs);
  return addresses;
}

function note(error: unknown, host: string, health: NetworkHealth): void {
  if (!(error instanceof DialError) || error.phase === 'tls') return health.noteReached();
  if (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET') health.noteReached();
  else if (error.code === 'ENETUNREACH' || error.code === 'EHOSTUNREACH') health.noteUnreachable(host);
  else if (error.code === 'ETIMEDOUT') health.noteSilent(host);
}

function noteConnection(outcome: ProbeOutcome, connection: Connection): void {
  addTiming(outcome.timings, 'connect_ms', connection.connectMs);
  if (connection.tlsMs !== null) addTiming(outcome.timings, 'tls_ms', connection.tlsMs);
  outcome.tls = connection.tls;
}

/** Something the rules of a check refuse, whatever the network says. */
class ProbeRefusal extends Error {
  override name = 'ProbeRefusal';
  readonly code: CheckErrorCode;
  constructor(code: CheckErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

function blocked(): ProbeRefusal {
  return new ProbeRefusal('blocked_address', 'the address is not one this agent may reach');
}

function failureOf(error: unknown, tools: ProbeTools, remoteIp: string | null): Failure {
  const known = (phase: Phase, code: string) =>
    classifyFailure(phase, code, {
      hasRoute: tools.health.hasRoute(remoteIp ?? ''),
      isCut: tools.health.isCut(),
      resolverAnswers: tools.resolver.answersLately(),
    });
  const target = (code: CheckErrorCode, message: string): Failure => ({ code, source: 'target', message });
  if (error instanceof ProbeRefusal) return target(error.code, error.message);
  if (error instanceof DeadlineError) return target('timeout', 'no complete answer within the time limit');
  if (error instanceof ResolveError) return known('dns', error.code);
  if (error instanceof DialError && error.code === 'EBLOCKED') return target('blocked_address', blocked().message);
  if (error instanceof DialError) return known(error.phase, error.code);
  if (error instanceof BodyError && error.code === 'EBODYTOOLARGE')
    return target('body_too_large', 'the body is larger than 10 MiB');
  if (error instanceof BodyError || error instanceof ExchangeError) return known('exchange', error.code);
  return target('protocol_error', 'the request could not be made');
}

function toResponse(message: IncomingMessage, statusCode: number, bodyText: string): ProbedResponse {
  let headers: ReadonlyMap<string, readonly string[]> | null = null;
  return {
    statusCode,
    bodyText,
    // Most checks look at no header: the map is made when it is asked for.
    get headers() {
      headers ??= new Map(Object.entries(message.headersDistinct).map(([name, values]) => [name, values ?? []]));
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
    error: null,
    failureSource: null,
    latencyMs: 0,
    timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, download_ms: null },
    remoteIp: null,
    bytes: 0,
    truncated: false,
    tls: null,
  };
}
