import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import { wireLimits } from '#shared/check-result.ts';
import { type Facts, factsBytesMax } from '#shared/checks/facts.ts';
import type { StepFacts } from '#shared/checks/step-facts.ts';
import type { Step } from '#shared/checks/steps.ts';
import type { ErrorPhase, SkipReason } from '#shared/checks/vocabulary.ts';
import type { ProbeOutcome } from '../../attempt.ts';
import { secretLengthMin } from '../../secret-index.ts';
import { plainResponse } from '../kind.ts';
import type { RanStep } from './run-step.ts';
import type { StepsRun } from './steps-run.ts';

/** How a step ended: `ran`, or the reason why it did not run. */
export type StepEnd = { step: Step; ran: RanStep; reason: null } | { step: Step; ran: null; reason: SkipReason };

/** Phases before a request is on its way. */
const before: readonly ErrorPhase[] = ['auth', 'dns', 'proxy', 'connect', 'starttls', 'tls', 'handshake'];

/** Whether the request of a step, or one before a redirect, may have reached its target. */
export function wasSent({ outcome }: RanStep): boolean {
  return outcome.statusCode !== null || !before.includes(outcome.phase);
}

/**
 * Fills in the outcome of the whole: what the first failed step came to, or else the last that is not there to undo
 * something. Returns when that would have ended, if the steps had followed each other at once.
 */
export function conclude(
  outcome: ProbeOutcome,
  ends: readonly StepEnd[],
  ownAssertions: number,
  secrets: Pick<StepsRun, 'sent' | 'values'>,
): number {
  const ran = ends.flatMap(({ step, ran }) => (ran === null ? [] : [{ step, ran }]));
  const counted = ran.filter(({ step }) => !step.always);
  const failed = ran.find(({ ran }) => ran.source !== null);
  const deciding = failed ?? counted.at(-1);
  const latencyMs = counted.reduce((sum, { ran }) => sum + ran.outcome.latencyMs, 0);
  if (deciding !== undefined) Object.assign(outcome, ofStep(deciding, ends[0]?.step));
  const shown = shownHost(ends, secrets.values);
  outcome.host = shown(outcome.host);
  if (outcome.way !== undefined)
    outcome.way = {
      host: shown(outcome.way.host),
      earlier: failed === undefined ? outcome.way.earlier.map(one => ({ ...one, host: shown(one.host) })) : [],
    };
  // Without what it says of itself, the certificate of a failed step is shown, but no alert is about it.
  if (failed !== undefined && outcome.tls !== null) outcome.tls = { ...outcome.tls, fingerprint: '' };
  outcome.response = failed === undefined ? plainResponse() : null;
  const steps = ends.map(end => factsOf(end, shown));
  const withDiagnosis = { steps, ...given(deciding?.ran.outcome.facts?.diagnosis) };
  outcome.facts = Buffer.byteLength(JSON.stringify(withDiagnosis)) <= factsBytesMax ? withDiagnosis : { steps };
  outcome.run = {
    ...secrets,
    outcomes: outcomesOf(ends, ownAssertions),
    delayedMs: counted.reduce<number | null>((sum, { ran: { delayedMs } }) => add(sum, delayedMs), null),
    responses: ends.map(({ step: { name }, ran }) => ({ name, response: ran?.response ?? null })),
  };
  outcome.beganMs = performance.now() - latencyMs;
  return outcome.beganMs + latencyMs;
}

function given(diagnosis: Facts['diagnosis']): Pick<Facts, 'diagnosis'> {
  return diagnosis === undefined ? {} : { diagnosis };
}

function ofStep({ step, ran }: { step: Step; ran: RanStep }, first: Step | undefined): Partial<ProbeOutcome> {
  const { outcome, error, source } = ran;
  const { statusCode, timings, phase, host, remoteIp, bytes, truncated, tls, warnings } = outcome;
  const common = { statusCode, timings, phase, host, remoteIp, bytes, truncated, tls, warnings };
  // Whose certificate it is goes without saying only at the host of the first step.
  const own = hostOf(step.url);
  const isElsewhere = (tls ?? outcome.refusedTls ?? null) !== null && first !== undefined && own !== hostOf(first.url);
  const way = outcome.way ?? (isElsewhere ? { host: own, earlier: [] } : undefined);
  const { refusedTls } = outcome;
  const refused = refusedTls === undefined ? {} : { refusedTls };
  return { ...common, ...refused, error, failureSource: source, ...(way === undefined ? {} : { way }) };
}

/** With its port, if that is not the usual one. What is to be replaced stands in paths and queries alone. */
function hostOf(url: string): string {
  return new URL(url).host;
}

function factsOf({ step: { name }, ran, reason }: StepEnd, shown: (host: string) => string): StepFacts {
  const none = { status_code: null, latency_ms: null, timings: null, error: null };
  if (ran === null) return { name, status: 'skipped', reason, ...none };
  const { outcome, error, source } = ran;
  const { statusCode, timings, phase, host, latencyMs, facts } = outcome;
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms, proxy_ms, auth_ms } = timings;
  const rare = { ...(proxy_ms === undefined ? {} : { proxy_ms }), ...(auth_ms === undefined ? {} : { auth_ms }) };
  return {
    name,
    status: source === null ? 'ok' : 'err',
    reason: null,
    status_code: statusCode,
    latency_ms: outcome.error === null && host !== '' ? Math.round(latencyMs * 1000) / 1000 : null,
    timings: host === '' ? null : { dns_ms, connect_ms, tls_ms, first_byte_ms, download_ms, ...rare },
    error:
      error === null ? null : { ...error, phase, host: host === '' ? null : shown(host).slice(0, wireLimits.host) },
    ...(facts?.http_version === undefined ? {} : { http_version: facts.http_version }),
  };
}

/** A redirect may lead to a host whose name has what an answer gave; the hosts of the steps are no secret. */
function shownHost(ends: readonly StepEnd[], values: readonly string[]): (host: string) => string {
  const own = ends.map(({ step }) => hostOf(step.url));
  const hidden = values
    .map(value => value.toLowerCase())
    .filter(value => value.length >= secretLengthMin && !own.some(host => host.includes(value)));
  return host => (hidden.some(value => host.includes(value)) ? '[redacted]' : host);
}

/** In one list after the monitor's own; a step that asserts nothing has one place. */
function outcomesOf(ends: readonly StepEnd[], ownAssertions: number): AssertionOutcome[] {
  let place = ownAssertions;
  return ends.flatMap(({ step, ran }, index) => {
    const start = place;
    place += Math.max(1, step.assertions.length);
    return (ran?.outcomes ?? []).map(outcome => ({ ...outcome, index: start + outcome.index, step: index }));
  });
}

function add(sum: number | null, ms: number | null): number | null {
  return ms === null ? sum : (sum ?? 0) + ms;
}
