import type { Budget } from '#shared/assertions/budget.ts';
import {
  type AssertionOutcome,
  evaluate,
  isUndecidedByAgent,
  type ProbedResponse,
} from '#shared/assertions/evaluate.ts';
import type { FailureSource } from '#shared/check-result.ts';
import type { Step } from '#shared/checks/steps.ts';
import { excerptBytesMax } from '#shared/protocol/messages.ts';
import type { ProbeOutcome } from '../../attempt.ts';
import type { Cookies } from '../../cookies.ts';
import { probe } from '../../probe-http.ts';
import type { KindAttempt } from '../kind.ts';
import { extractAll } from './extract.ts';
import type { Rendered, Values } from './render-step.ts';

/** What the steps of one attempt have in common. */
export type StepContext = Pick<KindAttempt, 'tools' | 'cpu' | 'egress' | 'examine' | 'secrets' | 'httpVersion'> & {
  cookies: Cookies;
  budget: Budget;
};

/** One step that was run. `error` and `source` are null where it is good; of a failed assertion `error` alone is. */
export type RanStep = {
  outcome: ProbeOutcome;
  outcomes: readonly AssertionOutcome[];
  values: ReadonlyMap<string, string>;
  error: ProbeOutcome['error'];
  source: FailureSource | null;
  delayedMs: number | null;
  response: ProbedResponse | null;
};

/** Sends the request of a step, looks at its answer and takes from it what later steps need. */
export async function runStep(
  step: Step,
  request: Rendered,
  timeoutMs: number,
  known: Values,
  { tools, cpu, egress, examine, secrets, httpVersion, cookies, budget }: StepContext,
): Promise<RanStep> {
  using reservation = examine.reserve();
  const takeSample = reservation.take;
  const takeBytes = examine.shows || readsBody(step) ? takeSample : null;
  const { method, follow_redirects: followRedirects } = step;
  const startedMs = tools.standStill.begin();
  const outcome = await probe(
    {
      ...request,
      method,
      timeoutMs,
      followRedirects,
      goesOut: egress,
      http_version: httpVersion,
      takeBytes,
      takeSample,
      cookies,
      secrets: [...secrets],
      tokens: examine.tokensFor(request.url, step.auth),
    },
    tools,
  );
  const beganMs = outcome.beganMs ?? startedMs;
  const delayedMs = tools.standStill.end(beganMs, beganMs + outcome.latencyMs);
  const { response, latencyMs, tls } = outcome;
  outcome.response = null;
  const ran = { outcome, outcomes: [], values: new Map(), delayedMs, response: null };
  if (response === null) return { ...ran, error: outcome.error, source: outcome.failureSource };
  const { select, decideApart } = examine;
  const attempt = { latencyMs, isDelayed: delayedMs !== null, tlsProtocol: tls?.protocol ?? null };
  const outcomes = await evaluate(step.assertions, response, select, decideApart, cpu, attempt, budget);
  // Also after a failed assertion: a last step that undoes something needs what it is called.
  const extracted = await extractAll(step.extract, response, known, { select, budget, cpu });
  const shown = examine.shows ? beginningOf(response) : null;
  const looked = { ...ran, outcomes, values: extracted.values, response: shown };
  if (outcomes.some(({ passed }) => passed === false)) return { ...looked, error: null, source: 'target' };
  if (outcomes.some(isUndecidedByAgent)) return { ...looked, error: null, source: 'probe' };
  if (extracted.problem === null) return { ...looked, error: null, source: null };
  const error = { code: 'extract_failed', message: extracted.problem } as const;
  return { ...looked, error, source: extracted.isAgents ? 'probe' : 'target' };
}

function readsBody({ assertions, extract }: Step): boolean {
  return (
    assertions.some(({ type }) => type === 'body_contains' || type === 'json_path') ||
    extract.some(({ from }) => from !== 'header')
  );
}

/** As much as is shown, and what follows it that a secret may reach into. */
function beginningOf({ statusCode, headers, bodyText }: ProbedResponse): ProbedResponse {
  return { statusCode, headers, bodyText: bodyText.slice(0, excerptBytesMax * 2), truncated: true };
}
