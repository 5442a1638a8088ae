import { type Assertion, onlyWarns } from '#shared/assertions/assertion.ts';
import { type CpuMeter, metered } from '#shared/assertions/budget.ts';
import type { DecideApart } from '#shared/assertions/decision.ts';
import {
  type AssertionOutcome,
  evaluate,
  isUndecidedByAgent,
  type ProbedResponse,
} from '#shared/assertions/evaluate.ts';
import type { SelectNodes } from '#shared/assertions/json-path.ts';
import { type CheckStatus, type WireResult, wireLimits } from '#shared/check-result.ts';
import type { FairPool } from '#shared/fairness/fair-pool.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import type { CpuShares } from '../lanes/cpu-shares.ts';
import { laneOf } from '../lanes/lane.ts';
import { type AddressRounds, turnOf } from './addresses/rounds.ts';
import type { ProbeOutcome, ProbeTools } from './attempt.ts';
import type { TokenCache } from './auth/token-cache.ts';
import { tokenSourceOf } from './auth/token-source.ts';
import { clientCertificateOf } from './certificates/client-certificate.ts';
import { certificatesOf } from './certificates/shown-certificates.ts';
import type { TakeBytes } from './http/body-reader.ts';
import type { Examine, Judge } from './kinds/kind.ts';
import { probeKind } from './kinds/kinds.ts';
import { type ProbeRequest, probe } from './probe-http.ts';
import { redactorOf, redactSecrets, type TakeRedacted } from './redact-secrets.ts';
import type { SecretIndex } from './secret-index.ts';
import type { SecretIndexes } from './secret-indexes.ts';

/**
 * What every check of an agent shares. `decideFor`: null if large JSON is parsed here as well; `bodies`: the bytes of
 * bodies that checks may hold together.
 */
export type CheckTools = ProbeTools &
  Readonly<{
    selectFor: (lane: string) => SelectNodes;
    decideFor: ((lane: string) => DecideApart) | null;
    bodies: FairPool;
    secrets: SecretIndexes;
    tokens: TokenCache;
    rounds: AddressRounds;
    cpu: CpuShares;
  }>;

/** Which attempt of which slot this is; `scheduledAt` is in milliseconds since the epoch. */
export type Attempt = Readonly<{ kind: WireResult['kind']; scheduledAt: number; attempt: 1 | 2 }>;

/** A result that has no number in the spool yet. */
export type UnspooledResult = Omit<WireResult, 'seq'>;

/** Makes one attempt and returns its result. Never throws because of anything a target does. */
export async function check(assignment: Assignment, attempt: Attempt, tools: CheckTools): Promise<UnspooledResult> {
  return (await checkAndShow(assignment, attempt, tools, null)).result;
}

type Show<Shown> = (response: ProbedResponse, redacted: TakeRedacted) => Shown;
type ShownStep<Shown> = { name: string; response: Shown | null };

/** The same with what `show` takes from the response, or from those of steps; their bodies are read then. */
export async function checkAndShow<Shown>(
  assignment: Assignment,
  attempt: Attempt,
  tools: CheckTools,
  show: Show<Shown> | null,
): Promise<{ result: UnspooledResult; shown: Shown | null; steps: ShownStep<Shown>[] }> {
  const startedAt = tools.clock.now();
  const startedMs = tools.standStill.begin();
  const lane = laneOf(assignment);
  const cpu = tools.cpu.of(lane);
  using reservation = tools.bodies.reserve(lane);
  const readsAnswer = show !== null || assignment.assertions.some(readsBody);
  const [tokens, turn] = [tokenSourceOf(assignment, tools), turnOf(assignment, attempt)];
  const round = turn === null ? null : tools.rounds.find(assignment, attempt, tools);
  const outcome =
    assignment.check === undefined
      ? await probe({ ...requestOf(assignment, reservation.take, readsAnswer), tokens, turn }, tools)
      : await probeKind(assignment.check, assignment, reservation.take, tools, {
          cpu,
          judge: judgeOf(tools, lane, cpu),
          examine: examineIn(assignment, tools, show !== null),
          tokens,
          turn,
        });
  const addresses = await round;
  if (addresses !== null) outcome.facts = { ...outcome.facts, addresses };
  const beganMs = outcome.beganMs ?? startedMs;
  const stoodStillMs = tools.standStill.end(beganMs, beganMs + outcome.latencyMs);
  const { run } = outcome;
  const delayedMs = run === undefined ? stoodStillMs : run.delayedMs;
  const completedAt = Math.max(startedAt, tools.clock.now());
  const outcomes =
    outcome.response === null
      ? []
      : await evaluate(
          assignment.assertions,
          outcome.response,
          tools.selectFor(lane),
          tools.decideFor?.(lane) ?? null,
          cpu,
          {
            latencyMs: outcome.latencyMs,
            isDelayed: delayedMs !== null,
            tlsProtocol: outcome.tls?.protocol ?? null,
            addresses,
          },
        );
  const secrets = once(() => secretsIn(assignment, outcome, tools.secrets));
  const redact = redactorOf(secrets);
  const redacted = metered(cpu, () => redactSecrets([...outcomes, ...(run?.outcomes ?? [])], secrets));
  // Those about HTTP are our own words; others quote what refused.
  if (assignment.check !== undefined && outcome.error !== null)
    outcome.error.message = redact(outcome.error.message, wireLimits.message);
  const result = toResult(assignment, attempt, { startedAt, completedAt, delayedMs }, outcome, redacted);
  const showOne = (response: ProbedResponse | null) =>
    response === null || show === null ? null : show(response, redact);
  const steps = (run?.responses ?? []).map(({ name, response }) => ({ name, response: showOne(response) }));
  return { result, shown: run === undefined ? showOne(outcome.response) : null, steps };
}

function examineIn(assignment: Assignment, tools: CheckTools, shows: boolean): Examine {
  const { selectFor, decideFor, bodies } = tools;
  const lane = laneOf(assignment);
  return {
    select: selectFor(lane),
    decideApart: decideFor?.(lane) ?? null,
    reserve: () => bodies.reserve(lane),
    shows,
    tokensFor: (url, auth) => tokenSourceOf({ lane, url, auth, egress: assignment.egress }, tools),
  };
}

/** Tokens and values of steps are of one attempt: what must not be shown of it is indexed for it alone. */
function secretsIn(assignment: Assignment, { run, tokens }: ProbeOutcome, indexes: SecretIndexes): SecretIndex | null {
  if (run === undefined && tokens === undefined) return indexes.of(assignment);
  return indexes.ofRun(assignment, run ?? { sent: [assignment], values: tokens ?? [] });
}

/** Made when it is first asked for. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function judgeOf(tools: CheckTools, lane: string, cpu: CpuMeter): Judge {
  const apart = tools.decideFor?.(lane) ?? null;
  return (assertions, response, budget) =>
    assertions.length === 0
      ? Promise.resolve([])
      : evaluate(assertions, response, tools.selectFor(lane), apart, cpu, undefined, budget);
}

function requestOf(assignment: Assignment, takeSample: TakeBytes, readsAnswer: boolean): ProbeRequest {
  const { timeout_ms: timeoutMs, follow_redirects: followRedirects } = assignment;
  return { ...assignment, timeoutMs, followRedirects, takeBytes: readsAnswer ? takeSample : null, takeSample };
}

/** True if a second attempt must confirm this result: the first failed, and not because of the agent itself. */
export function needsSecondAttempt(result: UnspooledResult): boolean {
  return result.status === 'err' && result.attempt === 1 && result.failure_source !== 'probe';
}

/** Builds the result as it is sent. `latency_ms` is null after an error; `days_left` is rounded down. */
export function toResult(
  assignment: Pick<Assignment, 'monitor_id' | 'config_version'> &
    Partial<Pick<Assignment, 'assertions' | 'check' | 'egress'>>,
  attempt: Attempt,
  times: { startedAt: number; completedAt: number; delayedMs: number | null },
  outcome: ProbeOutcome,
  assertions: AssertionOutcome[],
): UnspooledResult {
  const fails = (assertion: AssertionOutcome) => hasFailed(assertion, assignment.assertions);
  const status = statusOf(outcome.error !== null, assertions, assignment.assertions);
  const decided = assertions.every(assertion => !isUndecidedByAgent(assertion)) || assertions.some(fails);
  return {
    monitor_id: assignment.monitor_id,
    config_version: assignment.config_version,
    kind: attempt.kind,
    attempt: attempt.attempt,
    scheduled_at: attempt.scheduledAt,
    started_at: times.startedAt,
    completed_at: times.completedAt,
    status,
    latency_ms: outcome.error === null ? Math.round(outcome.latencyMs * 1000) / 1000 : null,
    ...(times.delayedMs === null ? {} : { delayed_ms: times.delayedMs }),
    timings: outcome.timings,
    status_code: outcome.statusCode,
    error: errorOf(outcome),
    failure_source: outcome.failureSource ?? (status !== 'err' ? null : decided ? 'target' : 'probe'),
    assertions,
    remote_ip: outcome.remoteIp,
    bytes: outcome.bytes,
    truncated: outcome.truncated,
    ...certificatesOf(outcome, times.completedAt),
    ...(outcome.warnings.length === 0 ? {} : { warnings: [...outcome.warnings] }),
    ...factsOf(assignment, outcome),
  };
}

function factsOf({ check, egress }: Partial<Assignment>, { facts }: ProbeOutcome): Pick<WireResult, 'facts'> {
  const pair = check?.kind === 'tcp' ? undefined : egress?.client_certificate;
  const client = pair === undefined ? null : clientCertificateOf(pair);
  if (client !== null) return { facts: { ...facts, client_certificate: client } };
  return facts === null ? {} : { facts };
}

function errorOf({ error, phase, host }: ProbeOutcome): WireResult['error'] {
  if (error === null) return null;
  return { ...error, phase, ...(host === '' ? {} : { host: host.slice(0, wireLimits.host) }) };
}

/**
 * `err` without a response, with a failed assertion, or with one that the agent could not decide: that is its own fault
 * and casts no vote. The control plane alone decides on `warn`.
 */
export function statusOf(
  failed: boolean,
  outcomes: readonly AssertionOutcome[],
  assertions: readonly Assertion[] = [],
): CheckStatus {
  return failed || outcomes.some(one => hasFailed(one, assertions) || isUndecidedByAgent(one)) ? 'err' : 'ok';
}

/** An assertion with `on_fail: warn` fails nobody's check here. */
function hasFailed({ passed, index }: AssertionOutcome, assertions: readonly Assertion[] = []): boolean {
  const assertion = assertions[index];
  return passed === false && !(assertion !== undefined && onlyWarns(assertion));
}

function readsBody(assertion: Assertion): boolean {
  return assertion.type === 'body_contains' || assertion.type === 'json_path';
}
