import type { Assertion } from '#shared/assertions/assertion.ts';
import type { ProbeOutcome, ProbeTools } from '../attempt.ts';
import type { Deadline } from '../deadline.ts';
import type { TakeBytes } from '../http/body-reader.ts';

/**
 * One attempt of a check that is no HTTP request. The probe fills `outcome` in step by step, `phase` and `host` first,
 * so that a failure says where it happened. `takeBytes`: where the memory of what is read comes from.
 */
export type KindAttempt = Readonly<{
  assertions: readonly Assertion[];
  tools: ProbeTools;
  deadline: Deadline;
  outcome: ProbeOutcome;
  takeBytes: TakeBytes;
}>;

/** Returns when the attempt ended, by the monotonic clock. Rejects with what `failureOf` knows. */
export type KindProbe<Check> = (check: Check, attempt: KindAttempt) => Promise<number>;
