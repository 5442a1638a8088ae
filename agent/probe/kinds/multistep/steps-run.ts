import type { AssertionOutcome, ProbedResponse } from '#shared/assertions/evaluate.ts';
import type { SentRequest } from '../../redact-secrets.ts';

/**
 * What a run of steps leaves beside its result. `outcomes` have places of their own after those of the monitor itself;
 * `delayedMs`: how long the agent stood still during the requests. `sent` and `values` may be shown nowhere: the
 * requests as they were sent, and what was taken from answers. `responses` are there for who wants to see them.
 */
export type StepsRun = Readonly<{
  outcomes: readonly AssertionOutcome[];
  delayedMs: number | null;
  sent: readonly SentRequest[];
  values: readonly string[];
  responses: readonly { name: string; response: ProbedResponse | null }[];
}>;
