import { isDeepStrictEqual } from 'node:util';
import type { UnknownVoteReason, Verdict, VoteValue } from '#shared/vocabulary.ts';
import { type CertificateRules, defaultCertificateRules } from './alert-rules.ts';

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

/** A certificate as a check saw it. Instants in milliseconds since the epoch. */
export type CertificateFact = { at: number; validFrom: number; validTo: number };

/** An unresolved alert about the certificates of a monitor. Stored as JSON. */
export type CertificateWatch = {
  /** Everything until this instant has been taken into account. */
  at: number;
  /** How much time the lowest threshold that was crossed leaves, in milliseconds. */
  crossedMs: number;
  /** What each region saw last, since the alert opened or the votes were dropped. */
  facts: Readonly<Record<string, CertificateFact>>;
};

/** What judging certificates depends on. `rules` are null if they are the default ones. */
export type CertificateState = { rules: CertificateRules | null; watch: CertificateWatch | null };

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
  /** Null if all of it would be. Written apart from the rest. */
  certificates: CertificateState | null;
  /** What the newest hour's checks add up to (checks/open-hours.ts); null before the first. Results alone change it. */
  openHour: string | null;
};

/** Null if there is nothing to remember. */
export function certificatesOf(rules: CertificateRules, watch: CertificateWatch | null): CertificateState | null {
  const own = isDeepStrictEqual(rules, defaultCertificateRules) ? null : rules;
  return own === null && watch === null ? null : { rules: own, watch };
}

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
