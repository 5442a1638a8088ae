import type { CheckStatus, FailureSource } from '#shared/check-result.ts';
import type { Vote } from '../monitors/state.ts';

/** What judging needs of a result. Instants in milliseconds since the epoch. */
export type Ballot = {
  region: string;
  status: CheckStatus;
  failureSource: FailureSource | null;
  attempt: number;
  startedAt: number;
  /** Completion of the check. */
  asOf: number;
  expiresAt: number;
};

/** What a result tells before it is known how long its vote counts. */
export type Observation = Omit<Ballot, 'asOf' | 'expiresAt'> & { completedAt: number; receivedAt: number };

const none: Vote = { vote: 'unknown', since: 0, as_of: 0, expires_at: null, failing_since: null, judged_at: 0 };

/** A clock that runs ahead must not end the votes of others: nothing was seen later than it was received. */
export function toBallot({ completedAt, receivedAt, ...seen }: Observation, lifetimeMs: number): Ballot {
  const asOf = Math.min(completedAt, receivedAt);
  return { ...seen, startedAt: Math.min(seen.startedAt, asOf), asOf, expiresAt: asOf + lifetimeMs };
}

/**
 * A region's vote after one more result. It turns down only when the second attempt fails too; one that is down
 * is refreshed by one failed attempt and turned up by one success. A fault of the probe itself says nothing.
 */
export function castVote(held: Vote | undefined, ballot: Ballot): Vote {
  const before = held ?? none;
  const judged_at = Math.max(before.judged_at, ballot.asOf);
  if (ballot.status !== 'err') return castGood(before, ballot, judged_at);
  if (ballot.failureSource === 'probe') return { ...none, since: ballot.asOf, as_of: ballot.asOf, judged_at };
  if (before.vote === 'down') return { ...before, as_of: ballot.asOf, expires_at: ballot.expiresAt, judged_at };
  const failingSince = suspectedSince(before, ballot) ?? ballot.startedAt;
  if (ballot.attempt < 2) return { ...before, failing_since: failingSince, judged_at };
  return {
    vote: 'down',
    since: failingSince,
    as_of: ballot.asOf,
    expires_at: ballot.expiresAt,
    failing_since: null,
    judged_at,
  };
}

/** The vote once its time is over. */
export function expireVote(vote: Vote): Vote {
  return { ...vote, vote: 'unknown', since: vote.expires_at ?? vote.since, expires_at: null, failing_since: null };
}

/** True for the first failed attempt of a region that does not vote down yet: others should look at once. */
export function isFirstFailure(held: Vote | undefined, ballot: Ballot): boolean {
  if (ballot.status !== 'err' || ballot.failureSource === 'probe') return false;
  return held?.vote !== 'down' && (held === undefined || suspectedSince(held, ballot) === null);
}

/** True for the first success of a region that votes down. */
export function isFirstRecovery(held: Vote | undefined, ballot: Ballot): boolean {
  return ballot.status !== 'err' && held?.vote === 'down';
}

/** A result is late when its own vote would have expired, or a newer one of its region was judged. */
export function isLate(held: Vote | undefined, ballot: Ballot, nowMs: number): boolean {
  return ballot.expiresAt <= nowMs || ballot.asOf < (held?.judged_at ?? 0);
}

/** A first failure that nothing confirmed says no more once a vote of its time would have expired. */
function suspectedSince(held: Vote, ballot: Ballot): number | null {
  const lifetimeMs = ballot.expiresAt - ballot.asOf;
  return held.failing_since !== null && ballot.asOf - held.failing_since <= lifetimeMs ? held.failing_since : null;
}

function castGood(before: Vote, ballot: Ballot, judged_at: number): Vote {
  const vote = ballot.status === 'ok' ? 'up' : 'warn';
  const since = before.vote === vote ? before.since : ballot.asOf;
  return { vote, since, as_of: ballot.asOf, expires_at: ballot.expiresAt, failing_since: null, judged_at };
}
