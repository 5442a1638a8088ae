import { isDeepStrictEqual } from 'node:util';
import type { PartialAddresses } from '#shared/checks/addresses.ts';
import { isVoter, type UnknownVoteReason, type Verdict, type VoteValue } from '#shared/vocabulary.ts';
import { defaultAlertRules, type ExpiryRules } from '../alert-rules.ts';

/** Why a vote is unknown although there is a result: it says nothing about the target. */
export type UnknownReason = Exclude<UnknownVoteReason, 'no_result' | 'expired'>;

/** A region's vote. All instants in milliseconds since the epoch, on the control plane's clock. */
export type Vote = {
  vote: VoteValue;
  /** Start of the first failing attempt, or completion of the first good one. */
  since: number;
  /** Completion of the check that cast or refreshed it. */
  as_of: number;
  /** When the vote becomes unknown, fixed when recorded; null if it is unknown or does not run out. */
  expires_at: number | null;
  /** Start of a failed first attempt that no second one has confirmed; null if none. */
  failing_since: number | null;
  /** Completion of the newest result judged, even if it changed nothing. */
  judged_at: number;
  reason?: UnknownReason;
  /** Of the newest result, if some address of the name did not answer. */
  partial_addresses?: PartialAddresses;
};

/** Votes by region code. */
export type Votes = Readonly<Record<string, Vote>>;

/** The part of a monitor's configuration that judging depends on. */
export type Rules = {
  configVersion: number;
  regions: readonly string[];
  quorum: number;
  intervalMs: number;
  /** Of events: how long late ones are waited for. */
  timeoutMs: number;
  enabled: boolean;
  deleted: boolean;
};

/** A certificate as a check saw it. Instants in milliseconds since the epoch. `host`: if a redirect led there. */
export type CertificateFact = { at: number; validFrom: number; validTo: number; host?: string };

/** How many answers there were, and how many of them carried a certificate at or under the first threshold. */
export type CertificateAnswers = { since: number; bad: number; total: number };

/**
 * An alert about the certificates or the domain of a monitor: an unresolved one, or the last one for as long as it may
 * go on. Stored as JSON.
 */
export type CertificateWatch = {
  /** Everything until this instant has been taken into account. */
  at: number;
  /** How much time the lowest threshold that was crossed leaves, in milliseconds. */
  crossedMs: number;
  /** What each region saw last, since the alert opened or the votes were dropped. */
  facts: Readonly<Record<string, CertificateFact>>;
  /** Null while it is unresolved. */
  resolvedAt: number | null;
  /** Since when the old certificate is known to alternate with a good one; null if it is not. */
  flappingSince: number | null;
  /** The last certificate at or under the first threshold; null if none was seen since the votes were dropped. */
  lastBad: CertificateFact | null;
  /** Counted since the first good certificate; null before. */
  answers: CertificateAnswers | null;
};

/**
 * What judging certificates depends on. `rules` are null if they are the default ones. `watch` is of an unresolved
 * alert, `ended` of a resolved one.
 */
export type CertificateState = {
  rules: ExpiryRules | null;
  watch: CertificateWatch | null;
  ended?: CertificateWatch | null;
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
  /** Null if all of it would be. Written apart from the rest. */
  certificates: CertificateState | null;
  /** The newest hour's checks (`checks/roll-up/current-hours.ts`); null before the first. Results alone change it. */
  currentHour: string | null;
};

/** What of a monitor may end soon: certificates of its target, or its domain. Both are watched alike. */
export type ExpiryKind = 'certificate' | 'domain';

export function expiryKindOf({ regions }: Pick<Rules, 'regions'>): ExpiryKind {
  return regions.includes('registry') ? 'domain' : 'certificate';
}

/** Null if there is nothing to remember. */
export function certificatesOf(
  rules: ExpiryRules,
  watch: CertificateWatch | null,
  kind: ExpiryKind = 'certificate',
): CertificateState | null {
  const own = isDeepStrictEqual(rules, defaultAlertRules[kind]) ? null : rules;
  if (own === null && watch === null) return null;
  if (watch === null || watch.resolvedAt === null) return { rules: own, watch };
  return { rules: own, watch: null, ended: watch };
}

/** The unresolved alert, or the resolved one that may go on. */
export function watchOf(certificates: CertificateState | null): CertificateWatch | null {
  return certificates?.watch ?? certificates?.ended ?? null;
}

/** How long a vote counts without a newer one: two intervals, or one interval plus both attempts at their deadline. */
export function voteLifetimeMs(intervalMs: number, timeoutMs: number): number {
  return Math.max(2 * intervalMs, intervalMs + bothAttemptsMs(timeoutMs));
}

/** How long a vote of a region or voter counts; without end where silence is seen by itself. */
export function lifetimeOf(region: string, { intervalMs, timeoutMs }: Pick<Rules, 'intervalMs' | 'timeoutMs'>): number {
  // Their time limit is how long late events are waited for.
  if (region === 'events') return 3 * intervalMs + timeoutMs;
  return isVoter(region) ? Number.POSITIVE_INFINITY : voteLifetimeMs(intervalMs, timeoutMs);
}

/** Whether nobody but the control plane itself votes: then silence says nothing, or says it as a result. */
export function isWithoutAgents({ regions }: Pick<Rules, 'regions'>): boolean {
  return regions.length > 0 && regions.every(isVoter);
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
