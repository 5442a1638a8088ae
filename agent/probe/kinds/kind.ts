import type { Assertion } from '#shared/assertions/assertion.ts';
import type { Budget, CpuMeter } from '#shared/assertions/budget.ts';
import type { DecideApart } from '#shared/assertions/decision.ts';
import type { AssertionOutcome, ProbedResponse } from '#shared/assertions/evaluate.ts';
import type { SelectNodes } from '#shared/assertions/json-path.ts';
import type { WireAuth } from '#shared/checks/auth.ts';
import type { HttpVersion } from '#shared/checks/vocabulary.ts';
import type { Reservation } from '#shared/fairness/fair-pool.ts';
import type { ProbeOutcome, ProbeTools } from '../attempt.ts';
import type { TokenSource } from '../auth/signed-in.ts';
import type { Deadline } from '../deadline.ts';
import type { Egress } from '../egress/egress.ts';
import type { TakeBytes } from '../http/body-reader.ts';

/**
 * One attempt of a check that is no HTTP request. The probe fills `outcome` in step by step, `phase` and `host` first,
 * so that a failure says where it happened. `egress`: how its connections go out, for `connect`; `takeBytes`: where the
 * memory of what is read comes from; `cpu`: whose time it is to look at that; `lane`: with whom it shares what is
 * scarce; `examine`: what steps look at their answers with.
 */
export type KindAttempt = Readonly<{
  assertions: readonly Assertion[];
  egress: Egress;
  tools: ProbeTools;
  deadline: Deadline;
  outcome: ProbeOutcome;
  takeBytes: TakeBytes;
  cpu: CpuMeter;
  lane: string;
  /** What is sent beside the check itself: headers of a handshake, metadata of a call. */
  headers: Readonly<Record<string, string>>;
  /** The version of HTTP of its requests. */
  httpVersion: HttpVersion;
  /** Values that go to no other origin. */
  secrets: readonly string[];
  judge: Judge;
  examine: Examine;
}>;

/**
 * `reserve`: memory for the body of one answer. `shows`: somebody wants to see the answers. `tokensFor`: where a step
 * that signs in has its token from.
 */
export type Examine = Readonly<{
  select: SelectNodes;
  decideApart: DecideApart | null;
  reserve: () => Reservation;
  shows: boolean;
  tokensFor: (url: string, auth: WireAuth | undefined) => TokenSource | undefined;
}>;

/** Evaluates assertions about an answer that may not be the last one, within a budget that all such answers share. */
export type Judge = (
  assertions: readonly Assertion[],
  response: ProbedResponse,
  budget: Budget,
) => Promise<AssertionOutcome[]>;

/** Returns when the attempt ended, by the monotonic clock. Rejects with what `failureOf` knows. */
export type KindProbe<Check> = (check: Check, attempt: KindAttempt) => Promise<number>;

/** An answer without status and headers. */
export function plainResponse(parts: Partial<ProbedResponse> = {}): ProbedResponse {
  return { statusCode: null, headers: new Map(), bodyText: '', truncated: false, ...parts };
}
