/** What a region says of a monitor. `unknown`: it said nothing, or nothing that still counts. */
export type VoteValue = 'up' | 'warn' | 'down' | 'unknown';

/** All instants in milliseconds since the epoch, on the control plane's clock. */
export type Vote = {
  vote: VoteValue;
  /** Start of the first failing attempt, or completion of the first good one. */
  since: number;
  /** Completion of the check that cast or refreshed it. */
  as_of: number;
  /** After this it is unknown; null while it is. Fixed when recorded. */
  expires_at: number | null;
  /** Start of a first attempt that failed and whose second is not known yet. */
  failing_since: number | null;
  /** Completion of the newest result judged, also of one that changed nothing. */
  judged_at: number;
};

/** Votes by region code. */
export type Votes = Readonly<Record<string, Vote>>;

export type Verdict = 'up' | 'degraded' | 'down' | 'undetermined' | 'pending' | 'paused' | 'deleted';

/** What of a monitor's configuration judging depends on. */
export type Rules = {
  configVersion: number;
  regions: readonly string[];
  quorum: number;
  intervalMs: number;
  timeoutMs: number;
  enabled: boolean;
  deleted: boolean;
};

/** The one row that judging locks, reads and writes. */
export type MonitorState = {
  monitorId: string;
  projectId: string;
  rules: Rules;
  verdict: Verdict;
  since: number;
  /** No verdict starts before it: last change of target, quorum, regions, pause or quarantine. */
  floor: number;
  votes: Votes;
  /** When other regions were last asked to confirm. */
  confirmedAt: number | null;
  /** When the sweep looks at the row next. */
  sweepAt: number | null;
  /** Results came late: the history from here is to be computed again. */
  replayFrom: number | null;
};

/** Longest a vote counts without a newer one: two intervals, or one and both attempts at their deadline. */
export function voteLifetimeMs(intervalMs: number, timeoutMs: number): number {
  return Math.max(2 * intervalMs, intervalMs + 2 * timeoutMs + 11_000);
}
