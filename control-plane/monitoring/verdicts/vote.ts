import type { CheckStatus, StoredFailureSource } from '#shared/check-result.ts';
import type { PartialAddresses } from '#shared/checks/addresses.ts';
import { isVoter } from '#shared/vocabulary.ts';
import type { UnknownReason, Vote, Votes } from '../monitors/state/state.ts';

/** Whose fault a failure is; `blocked_address` is that of our own address policy. */
export type Fault = StoredFailureSource | 'blocked_address';

/** What judging needs of a result. Instants in milliseconds since the epoch. */
export type Observation = {
  region: string;
  status: CheckStatus;
  failureSource: Fault | null;
  attempt: number;
  startedAt: number;
  /** Completion of the check. */
  asOf: number;
  /** Infinite if the vote does not run out. */
  expiresAt: number;
  /** Null if all addresses of the name answered, or were not asked. */
  partialAddresses?: PartialAddresses | null;
};

/** A result before its version's vote lifetime is applied. */
export type ObservedResult = Omit<Observation, 'asOf' | 'expiresAt'> & { completedAt: number; receivedAt: number };

/** Results of several regions arrive in any order within this time; a start that is off by it is left as it is. */
const disorderMs = 1000;

const noVote: Vote = { vote: 'unknown', since: 0, as_of: 0, expires_at: null, failing_since: null, judged_at: 0 };

/**
 * Completion is capped at receipt, so that an agent's fast clock cannot expire the votes of other regions. What the
 * control plane sees itself needs no second attempt.
 */
export function toObservation(seen: ObservedResult, lifetimeMs: number): Observation {
  const { region, status, failureSource, partialAddresses = null } = seen;
  const asOf = Math.min(seen.completedAt, seen.receivedAt);
  const startedAt = Math.min(seen.startedAt, asOf);
  const attempt = isVoter(region) ? 2 : seen.attempt;
  const addresses = partialAddresses === null ? {} : { partialAddresses };
  return { region, status, failureSource, attempt, startedAt, asOf, expiresAt: asOf + lifetimeMs, ...addresses };
}

/**
 * A region's vote after one more result. It turns down only if the second attempt fails too. A down vote is refreshed
 * by one failed attempt and turned up by one success. A failure that says nothing about the target makes the vote
 * unknown.
 */
export function nextVote(current: Vote | undefined, observation: Observation): Vote {
  const { partial_addresses: _, ...vote } = castVote(current, observation);
  const { partialAddresses } = observation;
  return partialAddresses == null ? vote : { ...vote, partial_addresses: partialAddresses };
}

function castVote(current: Vote | undefined, observation: Observation): Vote {
  const before = current ?? noVote;
  const judged_at = Math.max(before.judged_at, observation.asOf);
  if (observation.status !== 'err') return castGood(before, observation, judged_at);
  const reason = unknownReason(observation);
  if (reason !== null) return { ...noVote, since: observation.asOf, as_of: observation.asOf, judged_at, reason };
  if (before.vote === 'down') return { ...before, as_of: observation.asOf, expires_at: endOf(observation), judged_at };
  const failingSince = suspectedSince(before, observation) ?? observation.startedAt;
  if (observation.attempt < 2) return { ...before, failing_since: failingSince, judged_at };
  return {
    vote: 'down',
    since: failingSince,
    as_of: observation.asOf,
    expires_at: endOf(observation),
    failing_since: null,
    judged_at,
  };
}

/** The vote after it expired: unknown since its expiry. */
export function expireVote({ partial_addresses: _, ...vote }: Vote): Vote {
  return { ...vote, vote: 'unknown', since: vote.expires_at ?? vote.since, expires_at: null, failing_since: null };
}

/** True for the first failed attempt of a region that does not vote down yet: other regions should confirm it. */
export function isFirstFailure(current: Vote | undefined, observation: Observation): boolean {
  if (observation.status !== 'err' || unknownReason(observation) !== null) return false;
  return current?.vote !== 'down' && (current === undefined || suspectedSince(current, observation) === null);
}

/** True for the first success of a region that votes down. */
export function isFirstRecovery(current: Vote | undefined, observation: Observation): boolean {
  return observation.status !== 'err' && current?.vote === 'down';
}

/** A result is late if its own vote would have expired, or a newer result of its region was judged. */
export function isLate(current: Vote | undefined, observation: Observation, nowMs: number): boolean {
  return observation.expiresAt <= nowMs || observation.asOf < (current?.judged_at ?? 0);
}

/** True if it was seen clearly before something that happened at `atMs`. */
export function isBefore({ asOf }: Observation, atMs: number): boolean {
  return asOf + disorderMs < atMs;
}

/**
 * True if live judging decided something without this result that came later in time: its own region's vote had changed
 * since, as by its expiry, or it changes that vote after later results of other regions were judged, or after their
 * votes ran out. Then the history of that time has to be recomputed.
 */
export function overtakes(before: Votes, after: Votes, { region, asOf }: Observation): boolean {
  const own = before[region];
  if (own !== undefined && own.since > asOf + disorderMs) return true;
  const next = after[region];
  // One that had expired may stand in the history for longer, by results that came too late to vote.
  if ((own?.vote ?? 'unknown') === next?.vote && own?.reason === next.reason) return false;
  return Object.entries(before).some(
    ([other, { judged_at, since }]) => other !== region && Math.max(judged_at, since) > asOf + disorderMs,
  );
}

/** Why a failure says nothing about the target; null if it does. */
export function unknownReason({
  region,
  failureSource,
}: Pick<Observation, 'region' | 'failureSource'>): UnknownReason | null {
  if (failureSource === null || failureSource === 'target') return null;
  if (region !== 'registry') return failureSource;
  return failureSource === 'probe' ? 'no_registry' : 'lookup_failed';
}

/** Start of an unconfirmed first failure; it is forgotten after the lifetime of a vote. */
function suspectedSince({ failing_since }: Vote, observation: Observation): number | null {
  const lifetimeMs = observation.expiresAt - observation.asOf;
  return failing_since !== null && observation.asOf - failing_since <= lifetimeMs ? failing_since : null;
}

function castGood(before: Vote, observation: Observation, judged_at: number): Vote {
  const vote = observation.status === 'ok' ? 'up' : 'warn';
  const since = before.vote === vote ? before.since : observation.asOf;
  return { vote, since, as_of: observation.asOf, expires_at: endOf(observation), failing_since: null, judged_at };
}

function endOf({ expiresAt }: Observation): number | null {
  return expiresAt === Number.POSITIVE_INFINITY ? null : expiresAt;
}
