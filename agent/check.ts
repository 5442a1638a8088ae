import type { Assertion } from '#shared/assertions/assertion.ts';
import { type AssertionOutcome, evaluate } from '#shared/assertions/evaluate.ts';
import type { SelectNodes } from '#shared/assertions/json-path.ts';
import type { CheckStatus, WireResult } from '#shared/check-result.ts';
import { type Clock, toTimestamp } from '#shared/clock.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { hideSecrets } from './hide-secrets.ts';
import { type ProbeOutcome, type ProbeTools, probe } from './probe-http.ts';

/** What an attempt is made with. */
export type CheckTools = ProbeTools & Readonly<{ clock: Clock; select: SelectNodes }>;

/** Which run of a monitor this is. */
export type Occasion = Readonly<{ kind: WireResult['kind']; scheduledAt: number; attempt: 1 | 2 }>;

/** A result that has no place in the spool yet. */
export type UnspooledResult = Omit<WireResult, 'seq'>;

const dayMs = 86_400_000;
const certificateWarnDays = 14;

/** Runs one attempt and says what came of it. */
export async function check(assignment: Assignment, occasion: Occasion, tools: CheckTools): Promise<UnspooledResult> {
  const startedAt = tools.clock.now();
  const outcome = await probe(
    {
      url: assignment.url,
      method: assignment.method,
      headers: assignment.headers,
      body: assignment.body,
      timeoutMs: assignment.timeout_ms,
      followRedirects: assignment.follow_redirects,
      wantsText: assignment.assertions.some(looksAtBody),
    },
    tools,
  );
  const completedAt = Math.max(startedAt, tools.clock.now());
  const outcomes =
    outcome.response === null ? [] : await evaluate(assignment.assertions, outcome.response, tools.select);
  return toResult(assignment, occasion, { startedAt, completedAt }, outcome, hideSecrets(outcomes, assignment.headers));
}

/** True when an attempt 2 must confirm this one: it failed and not by the probe's own fault. */
export function needsSecondAttempt(result: UnspooledResult): boolean {
  return result.status === 'err' && result.attempt === 1 && result.failure_source !== 'probe';
}

/** The outcome in the words of the wire. */
export function toResult(
  assignment: Pick<Assignment, 'monitor_id' | 'config_version'>,
  occasion: Occasion,
  times: { startedAt: number; completedAt: number },
  outcome: ProbeOutcome,
  assertions: AssertionOutcome[],
): UnspooledResult {
  const daysLeft = outcome.tls === null ? null : (outcome.tls.validToMs - times.completedAt) / dayMs;
  const status = statusOf(outcome.error !== null, assertions, daysLeft);
  return {
    monitor_id: assignment.monitor_id,
    config_version: assignment.config_version,
    kind: occasion.kind,
    attempt: occasion.attempt,
    scheduled_at: occasion.scheduledAt,
    started_at: times.startedAt,
    completed_at: times.completedAt,
    status,
    latency_ms: outcome.error === null ? Math.round(outcome.latencyMs * 1000) / 1000 : null,
    timings: outcome.timings,
    status_code: outcome.response?.statusCode ?? null,
    error: outcome.error,
    failure_source: outcome.failureSource ?? (status === 'err' ? 'target' : null),
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

/** `err` without a response or with a failed assertion, `warn` when the certificate ends within 14 days. */
export function statusOf(
  failed: boolean,
  assertions: readonly AssertionOutcome[],
  daysLeft: number | null,
): CheckStatus {
  if (failed || assertions.some(outcome => outcome.passed === false)) return 'err';
  return daysLeft !== null && daysLeft < certificateWarnDays ? 'warn' : 'ok';
}

function looksAtBody(assertion: Assertion): boolean {
  return assertion.type === 'body_contains' || assertion.type === 'json_path';
}
