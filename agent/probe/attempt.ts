import type { ProbedResponse } from '#shared/assertions/evaluate.ts';
import type { CheckErrorCode, FailureSource, ResponseWarning, Timings } from '#shared/check-result.ts';
import type { Facts } from '#shared/checks/facts.ts';
import type { ErrorPhase } from '#shared/checks/vocabulary.ts';
import type { Clock } from '#shared/clock.ts';
import type { AddressPolicy } from '#shared/network/guard.ts';
import { ResolveError, type Resolver, type ServerState } from '#shared/network/resolver.ts';
import { classifyFailure, type Failure, type Phase } from './classify-failure.ts';
import { Deadline, DeadlineError } from './deadline.ts';
import { type Connection, DialError } from './dial.ts';
import type { SourceAddresses } from './egress/source.ts';
import { BodyError } from './http/body-reader.ts';
import { codingName } from './http/coding-name.ts';
import { ExchangeError } from './http/exchange.ts';
import type { Endpoint } from './kinds/dns/endpoint.ts';
import type { StepsRun } from './kinds/multistep/steps-run.ts';
import type { PingTools } from './kinds/ping/run-ping.ts';
import type { NetworkHealth } from './network-health.ts';
import { ProbeRefusal } from './probe-refusal.ts';
import type { Way } from './seen-certificates.ts';
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
  /** Null if this host cannot ping. */
  ping: PingTools | null;
  /** Whom checks of DNS ask that name no server. */
  checkServers: readonly Endpoint[];
  /** Left out if the system chooses. */
  source?: SourceAddresses;
}>;

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
  /** When `latencyMs` began, by the monotonic clock, if not with the attempt. */
  beganMs?: number;
  timings: Timings;
  /** The step that the attempt is in, and the host and port that it is about; empty before the first. */
  phase: ErrorPhase;
  host: string;
  remoteIp: string | null;
  bytes: number;
  truncated: boolean;
  tls: Connection['tls'];
  /** Of the last host, if its certificate is why the attempt failed. */
  refusedTls?: Connection['tls'];
  way?: Way;
  /** What it signed in with, which nobody may be shown. */
  tokens?: readonly string[];
  /** The target did not take the token. */
  refusesToken?: boolean;
  facts: Facts | null;
  /** Of a check of several steps. */
  run?: StepsRun;
  /** Of all hops, each once. */
  warnings: readonly ResponseWarning[];
};

/**
 * Runs one attempt within its time limit. `run` fills the outcome in and returns when the last byte was received, by
 * the monotonic clock. Never throws because of anything a target does.
 */
export async function attemptWithin(
  timeoutMs: number,
  tools: Pick<ProbeTools, 'health'>,
  run: (deadline: Deadline, outcome: ProbeOutcome) => Promise<number>,
): Promise<ProbeOutcome> {
  const startedMs = performance.now();
  const outcome = emptyOutcome();
  using deadline = new Deadline(timeoutMs);
  const endedMs = await run(deadline, outcome).catch(error => {
    const { code, message, source } = failureOf(error, tools, outcome.remoteIp);
    if (error instanceof DialError && error.tls !== null) outcome.refusedTls = error.tls;
    Object.assign(outcome, { response: null, error: { code, message }, failureSource: source });
    return performance.now();
  });
  outcome.latencyMs = endedMs - (outcome.beganMs ?? startedMs);
  return outcome;
}

export function addTiming(timings: Timings, phase: keyof Timings, ms: number): void {
  timings[phase] = Math.round(((timings[phase] ?? 0) + ms) * 1000) / 1000;
}

function failureOf(error: unknown, tools: Pick<ProbeTools, 'health'>, remoteIp: string | null): Failure {
  const classify = (phase: Phase, code: string, servers: ServerState = 'answering') =>
    classifyFailure(phase, code, {
      hasRoute: tools.health.hasRoute(remoteIp ?? ''),
      isLocalOutage: tools.health.isLocalOutage(),
      servers,
    });
  const target = (code: CheckErrorCode, message: string): Failure => ({ code, source: 'target', message });
  if (error instanceof ProbeRefusal) return { code: error.code, source: error.source, message: error.message };
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

/** What was seen of a request that is made again is of no interest. */
export function beginAgain(outcome: ProbeOutcome): void {
  for (const name of ['refusesToken', 'way', 'refusedTls'] as const) delete outcome[name];
  Object.assign(outcome, emptyOutcome());
}

/** Of an attempt that has not begun. */
export function emptyOutcome(): ProbeOutcome {
  return {
    response: null,
    statusCode: null,
    error: null,
    failureSource: null,
    latencyMs: 0,
    timings: { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, download_ms: null },
    phase: 'request',
    host: '',
    remoteIp: null,
    bytes: 0,
    truncated: false,
    tls: null,
    facts: null,
    warnings: [],
  };
}
