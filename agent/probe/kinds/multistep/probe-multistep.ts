import { newBudget } from '#shared/assertions/budget.ts';
import type { MultistepCheck } from '#shared/checks/check.ts';
import type { Step } from '#shared/checks/steps.ts';
import { runId } from '#shared/checks/templates.ts';
import type { SkipReason } from '#shared/checks/vocabulary.ts';
import { newId } from '#shared/ids.ts';
import { emptyOutcome } from '../../attempt.ts';
import { Cookies } from '../../cookies.ts';
import type { KindProbe } from '../kind.ts';
import { conclude, type StepEnd, wasSent } from './conclude.ts';
import { lacksValue, lengthOfRequest, type Rendered, renderStep, sentLengthMax } from './render-step.ts';
import { type RanStep, runStep, type StepContext } from './run-step.ts';

/** Part of the time, and most of it, that is set aside for a last step that runs in any case. */
const reserved = { part: 1 / 4, maxMs: 10_000 } as const;

/**
 * Runs the steps in order, each over new connections, until one fails. A last step with `always` then runs all the
 * same: it undoes what those before it did.
 */
export const probeMultistep: KindProbe<MultistepCheck> = async ({ steps }, attempt) => {
  const { deadline, outcome, tools, cpu, egress, examine, secrets, httpVersion } = attempt;
  const reservedMs = steps.at(-1)?.always ? Math.min(deadline.leftMs * reserved.part, reserved.maxMs) : 0;
  const cookies = new Cookies({ hostOnly: true });
  const context = { tools, cpu, egress, examine, secrets, httpVersion, cookies, budget: newBudget() };
  const values = new Map([[runId, newId('req').slice(-26)]]);
  const sent: Rendered[] = [];
  const ends: StepEnd[] = [];
  for (const step of steps) {
    const reason = reasonToSkip(step, ends, values);
    if (reason !== null) {
      ends.push({ step, ran: null, reason });
      continue;
    }
    const leftMs = deadline.leftMs - (step.always ? 0 : reservedMs);
    const ran = await run(step, Math.min(step.timeout_ms ?? leftMs, leftMs), values, sent, context);
    for (const [name, value] of ran.values) values.set(name, value);
    ends.push({ step, ran, reason: null });
  }
  values.delete(runId);
  const tokens = ends.flatMap(({ ran }) => ran?.outcome.tokens ?? []);
  const hidden = [...values.values(), ...cookies.values, ...tokens];
  return conclude(outcome, ends, attempt.assertions.length, { sent, values: hidden });
};

function reasonToSkip(step: Step, ends: readonly StepEnd[], values: ReadonlyMap<string, string>): SkipReason | null {
  if (!ends.some(({ ran }) => ran !== null && ran.source !== null)) return null;
  if (!step.always) return 'earlier_failed';
  if (!ends.some(({ ran }) => ran !== null && wasSent(ran))) return 'nothing_sent';
  return lacksValue(step, values) ? 'missing_variable' : null;
}

/** A request that cannot be made, or that there is no time for, fails its step without being sent. */
async function run(
  step: Step,
  timeoutMs: number,
  values: ReadonlyMap<string, string>,
  sent: Rendered[],
  context: StepContext,
): Promise<RanStep> {
  const request = renderStep(step, values);
  if (typeof request === 'string') return notSent('extract_failed', request);
  sent.push(request);
  const length = sent.reduce((sum, one) => sum + lengthOfRequest(one), 0);
  if (length > sentLengthMax) return notSent('extract_failed', 'the values make the requests too long');
  if (timeoutMs < 1) return notSent('timeout', 'no time was left for this step');
  return runStep(step, request, timeoutMs, values, context);
}

function notSent(code: 'extract_failed' | 'timeout', message: string): RanStep {
  const outcome = { ...emptyOutcome(), phase: 'dns' } as const;
  const error = { code, message };
  return { outcome, outcomes: [], values: new Map(), error, source: 'target', delayedMs: null, response: null };
}
