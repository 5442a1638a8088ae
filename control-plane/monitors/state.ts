import type { UnknownVoteReason, Verdict, VoteValue } from '#shared/vocabulary.ts';

/** Why a vote is unknown although there is a result: it says nothing about the target. */
export type UnknownReason = Exclude<UnknownVoteReason, 'no_result' | 'expired'>;

/** A region's vote. All instants in milliseconds since the epoch, on the control plane's clock. */
export type Vote = {
  vote: VoteValue;
  /** Start of the first failing attempt, or completion of the first good one. */
  since: number;
  /** Completion of the check that cast or refreshed it. */
  as_of: number;
  /** When the vote becomes unknown, fixed when recorded; null if it is unknown. */
  expires_at: number | null;
  /** Start of a failed first attempt that no second one has confirmed; null if none. */
  failing_since: number | null;
  /** Completion of the newest result judged, even if it changed nothing. */
  judged_at: number;
  reason?: UnknownReason;
};

/** Votes by region code. */
export type Votes = Readonly<Record<string, Vote>>;

/** The part of a monitor's configuration that judging depends on. */
export type Rules = {
  configVersion: number;
  regions: readonly string[];
  quorum: number;
  intervalMs: number;
  timeoutMs: number;
  enabled: boolean;
  deleted: boolean;
};

/** A monitor's row of `monitor_states`: the only one that judging locks, reads and writes. */
export type MonitorState = {
  monitorId: string;
  projectId: string;
  rules: Rules;
  verdict: Verdict;
  since: number;
  /** No verdict starts earlier: the last change of target, quorum, regions, pause or quarantine. */
  earliestStart: number;
  votes: Votes;
  /** When other regions were last asked to confirm; null if never. */
  confirmedAt: number | null;
  /** When the sweep checks the row next; null if nothing can expire. */
  sweepAt: number | null;
  /** Start of the earliest late result: the history from here is recomputed; null if none. */
  replayFrom: number | null;
};

/** How long a vote counts without a newer one: two intervals, or one interval plus both attempts at their deadline. */
export function voteLifetimeMs(intervalMs: number, timeoutMs: number): number {
  return Math.max(2 * intervalMs, intervalMs + bothAttemptsMs(timeoutMs));
}

/** How long a check and its repetition take at most, with the wait between them and a margin for queues and clocks. */
function bothAttemptsMs(timeoutMs: number): number {
  return 2 * timeoutMs + 11_000;
}

/**
 * How much history determines all votes valid at an instant: the life of a vote, and the attempt before the one that
 * cast it, since a vote that is down is refreshed by a first failed attempt.
 */
export function warmUpMs(intervalMs: number, timeoutMs: number): number {
  return voteLifetimeMs(intervalMs, timeoutMs) + bothAttemptsMs(timeoutMs);
}
