import type { Assertion } from '#shared/assertions/assertion.ts';
import { type AssertionOutcome, evaluate, isUndecidedByAgent } from '#shared/assertions/evaluate.ts';
import type { SelectNodes } from '#shared/assertions/json-path.ts';
import type { CheckStatus, WireResult } from '#shared/check-result.ts';
import { type Clock, toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { laneOf } from '../lanes/lane.ts';
import type { Shares } from '../lanes/shares.ts';
import { type ProbeOutcome, type ProbeTools, probe } from './probe-http.ts';
import { redactSecrets } from './redact-secrets.ts';

/** What every check of an agent shares. `bodies`: the bytes of bodies that checks may hold together. */
export type CheckTools = ProbeTools &
  Readonly<{ clock: Clock; selectFor: (lane: string) => SelectNodes; bodies: Shares }>;

/** Which attempt of which slot this is; `scheduledAt` is in milliseconds since the epoch. */
export type Attempt = Readonly<{ kind: WireResult['kind']; scheduledAt: number; attempt: 1 | 2 }>;

/** A result that has no number in the spool yet. */
export type UnspooledResult = Omit<WireResult, 'seq'>;

const certificateWarnDays = 14;

/** Makes one attempt and returns its result. Never throws because of anything a target does. */
export async function check(assignment: Assignment, attempt: Attempt, tools: CheckTools): Promise<UnspooledResult> {
  const startedAt = tools.clock.now();
  const lane = laneOf(assignment);
  using held = tools.bodies.hold(lane);
  const outcome = await probe(
    {
      url: assignment.url,
      method: assignment.method,
      headers: assignment.headers,
      body: assignment.body,
      timeoutMs: assignment.timeout_ms,
      followRedirects: assignment.follow_redirects,
      takeBytes: assignment.assertions.some(readsBody) ? held.take : null,
    },
    tools,
  );
  const completedAt = Math.max(startedAt, tools.clock.now());
  const outcomes =
    outcome.response === null ? [] : await evaluate(assignment.assertions, outcome.response, tools.selectFor(lane));
  return toResult(
    assignment,
    attempt,
    { startedAt, completedAt },
    outcome,
    redactSecrets(outcomes, assignment.headers, assignment),
  );
}

/** True if a second attempt must confirm this result: the first failed, and not because of the agent itself. */
export function needsSecondAttempt(result: UnspooledResult): boolean {
  return result.status === 'err' && result.attempt === 1 && result.failure_source !== 'probe';
}

/** Builds the result as it is sent. `latency_ms` is null after an error; `days_left` is rounded down. */
export function toResult(
  assignment: Pick<Assignment, 'monitor_id' | 'config_version'>,
  attempt: Attempt,
  times: { startedAt: number; completedAt: number },
  outcome: ProbeOutcome,
  assertions: AssertionOutcome[],
): UnspooledResult {
  const daysLeft = outcome.tls === null ? null : (outcome.tls.validToMs - times.completedAt) / dayMs;
  const status = statusOf(outcome.error !== null, assertions, daysLeft);
  const decided = assertions.every(assertion => !isUndecidedByAgent(assertion)) || assertions.some(hasFailed);
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
    timings: outcome.timings,
    status_code: outcome.statusCode,
    error: outcome.error,
    failure_source: outcome.failureSource ?? (status !== 'err' ? null : decided ? 'target' : 'probe'),
    assertions,
    remote_ip: outcome.remoteIp,
    bytes: outcome.bytes,
    truncated: outcome.truncated,
    tls:
      outcome.tls === null
        ? null
        : {
            protocol: outcome.tls.protocol,
            valid_to: toTimestamp(outcome.tls.validToMs),
            days_left: Math.floor(daysLeft ?? 0),
          },
  };
}

/**
 * `err` without a response, with a failed assertion, or with one that the agent could not decide: that is its own fault
 * and casts no vote. `warn` if the certificate expires within 14 days.
 */
export function statusOf(
  failed: boolean,
  assertions: readonly AssertionOutcome[],
  daysLeft: number | null,
): CheckStatus {
  if (failed || assertions.some(hasFailed) || assertions.some(isUndecidedByAgent)) return 'err';
  return daysLeft !== null && daysLeft < certificateWarnDays ? 'warn' : 'ok';
}

function hasFailed(outcome: AssertionOutcome): boolean {
  return outcome.passed === false;
}

function readsBody(assertion: Assertion): boolean {
  return assertion.type === 'body_contains' || assertion.type === 'json_path';
}
