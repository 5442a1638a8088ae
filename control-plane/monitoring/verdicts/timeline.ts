import { isVoter, type Verdict, type VoteValue } from '#shared/vocabulary.ts';
import {
  isWithoutAgents,
  type MonitorState,
  type Rules,
  type Vote,
  type Votes,
  voteLifetimeMs,
} from '../monitors/state/state.ts';
import { verdictOf } from './verdict.ts';
import { expireVote, nextVote, type Observation } from './vote.ts';

/** One row of a monitor's history: the verdict holds from `since` until the next row. */
export type VerdictChange = {
  since: number;
  verdict: Verdict;
  votes: Readonly<Record<string, VoteValue>>;
  configVersion: number;
  /** Null in rows of 0.4.0 and before. */
  decision?: VerdictDecision | null;
};

/** What made a verdict. */
export const verdictCauses = ['vote', 'expiry', 'configuration', 'quarantine', 'import'] as const;
export type VerdictCause = (typeof verdictCauses)[number];

/** How a verdict was decided: when it was known, by what, and all votes as they were then. */
export type VerdictDecision = {
  at: number;
  cause: VerdictCause;
  quorum: number;
  ballots: Readonly<Record<string, Ballot>>;
};
/** A region's vote in a decision; `counted` is false for a quarantined region. */
export type Ballot = Pick<Vote, 'vote' | 'since' | 'as_of' | 'expires_at'> & { counted: boolean };

/** The part of a monitor's state that decides its verdict. */
export type Standing = Pick<MonitorState, 'rules' | 'verdict' | 'since' | 'earliestStart' | 'votes'>;

/**
 * A new standing and the history rows that led to it, in order. A row replaces all rows with the same or a later start.
 */
export type Judged = { standing: Standing; changes: readonly VerdictChange[] };

/** A new version of the rules, at an instant. */
export type Reconfiguration = { rules: Rules; atMs: number; dropsVotes: boolean; resetsStart: boolean };

const nothingQuarantined: ReadonlySet<string> = new Set();

/** Expires votes in order up to `untilMs`. A monitor without any vote for a lifetime becomes undetermined. */
export function advance(start: Standing, untilMs: number, quarantined = nothingQuarantined): Judged {
  let standing = start;
  const changes: VerdictChange[] = [];
  for (let due = nextExpiry(standing); due !== null && due <= untilMs; due = nextExpiry(standing)) {
    const votes = mapVotes(standing.votes, vote =>
      vote.expires_at !== null && vote.expires_at <= (due ?? 0) ? expireVote(vote) : vote,
    );
    const waited = standing.verdict === 'pending' && pendingUntil(standing) <= due;
    const judged = decide(
      { ...standing, votes },
      due,
      'expiry',
      quarantined,
      waited || standing.verdict !== 'pending' || lostVote(standing.votes, votes),
    );
    standing = judged.standing;
    changes.push(...judged.changes);
  }
  return { standing, changes };
}

/**
 * Applies one result, after the expiries before its completion. Results of other regions or while paused change no
 * vote.
 */
export function observe(start: Standing, observation: Observation, quarantined = nothingQuarantined): Judged {
  const { standing, changes } = advance(start, observation.asOf, quarantined);
  if (!standing.rules.enabled || !standing.rules.regions.includes(observation.region)) return { standing, changes };
  const votes = { ...standing.votes, [observation.region]: nextVote(standing.votes[observation.region], observation) };
  // Who alone votes and says that nothing is known has answered: there is nothing to wait for.
  const hasAnswered = isVoter(observation.region);
  const judged = decide({ ...standing, votes }, observation.asOf, 'vote', quarantined, hasAnswered);
  return { standing: judged.standing, changes: [...changes, ...judged.changes] };
}

/**
 * Applies new rules. A change of the target drops all votes; a change of quorum or regions judges the remaining ones
 * again.
 */
export function reconfigure(
  start: Standing,
  { rules, atMs, dropsVotes, resetsStart }: Reconfiguration,
  quarantined = nothingQuarantined,
): Judged {
  const { standing, changes } = advance(start, atMs, quarantined);
  const earliestStart = resetsStart ? atMs : standing.earliestStart;
  if (dropsVotes || !rules.enabled || rules.deleted) {
    const verdict: Verdict = rules.deleted ? 'deleted' : rules.enabled ? 'pending' : 'paused';
    const next: Standing = { rules, earliestStart, votes: {}, verdict, since: atMs };
    return { standing: next, changes: [...changes, changeOf(next, atMs, 'configuration', quarantined)] };
  }
  const votes = Object.fromEntries(Object.entries(standing.votes).filter(([region]) => rules.regions.includes(region)));
  const judged = decide({ ...standing, rules, earliestStart, votes }, atMs, 'configuration', quarantined, false);
  return { standing: judged.standing, changes: [...changes, ...judged.changes] };
}

/** Judges again when the set of quarantined regions changes from `before` to `after`. */
export function requarantine(
  start: Standing,
  atMs: number,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): Judged {
  const { standing, changes } = advance(start, atMs, before);
  const earliestStart = Math.max(standing.earliestStart, atMs);
  const judged = decide({ ...standing, earliestStart }, atMs, 'quarantine', after, false);
  return { standing: judged.standing, changes: [...changes, ...judged.changes] };
}

/**
 * The same at `atMs` for a change at `changedAtMs` by which nobody judged then. Votes are left to the sweep, which
 * waits where results do.
 */
export function requarantineLate(
  start: Standing,
  atMs: number,
  changedAtMs: number,
  after: ReadonlySet<string>,
): Judged {
  const earliestStart = Math.max(start.earliestStart, changedAtMs);
  return decide({ ...start, earliestStart }, atMs, 'quarantine', after, false);
}

/** When the next vote expires or the wait for a first verdict ends; null if time alone changes nothing. */
export function nextExpiry(standing: Standing): number | null {
  if (!standing.rules.enabled || standing.rules.deleted) return null;
  // For each result: a list of the instants would take three times as long.
  let next = standing.verdict === 'pending' ? pendingUntil(standing) : Number.POSITIVE_INFINITY;
  for (const region in standing.votes) next = Math.min(next, standing.votes[region]?.expires_at ?? next);
  return next === Number.POSITIVE_INFINITY ? null : next;
}

/**
 * The rows with a change added. It replaces rows with the same or a later start, and is dropped if the verdict stays
 * the same.
 */
export function addChange(rows: readonly VerdictChange[], change: VerdictChange): VerdictChange[] {
  const added = [...rows];
  putChange(added, change);
  return added;
}

/** `addChange` in place, for rows in order: its cost does not grow with their number. */
export function putChange(rows: VerdictChange[], change: VerdictChange): void {
  while ((rows.at(-1)?.since ?? Number.NEGATIVE_INFINITY) >= change.since) rows.pop();
  if (rows.at(-1)?.verdict !== change.verdict) rows.push(change);
}

/** Votes as the quorum counts them: unknown for quarantined regions. */
export function countedVotes(
  standing: Pick<Standing, 'rules' | 'votes'>,
  quarantined = nothingQuarantined,
): Record<string, VoteValue> {
  return Object.fromEntries(standing.rules.regions.map(region => [region, countedVote(standing, region, quarantined)]));
}

function countedVote({ votes }: Pick<Standing, 'votes'>, region: string, quarantined: ReadonlySet<string>): VoteValue {
  return quarantined.has(region) ? 'unknown' : (votes[region]?.vote ?? 'unknown');
}

/**
 * A pending monitor becomes undetermined only with `undeterminedCounts`: after losing a vote or a lifetime of silence,
 * or by what the control plane itself could not find out.
 */
function decide(
  standing: Standing,
  atMs: number,
  cause: VerdictCause,
  quarantined: ReadonlySet<string>,
  undeterminedCounts: boolean,
): Judged {
  if (!standing.rules.enabled || standing.rules.deleted) return { standing, changes: [] };
  const verdict = verdictOf(
    standing.rules.regions.map(region => countedVote(standing, region, quarantined)),
    standing.rules.quorum,
  );
  if (verdict === standing.verdict) return { standing, changes: [] };
  if (verdict === 'undetermined' && standing.verdict === 'pending' && !undeterminedCounts)
    return { standing, changes: [] };
  const start = verdict === 'down' ? quorumSince(standing, quarantined) : atMs;
  // A new outage must not start before the previous one ended.
  const isGood = standing.verdict === 'up' || standing.verdict === 'degraded';
  const earliest =
    verdict === 'down' && isGood ? Math.max(standing.earliestStart, standing.since) : standing.earliestStart;
  const next: Standing = { ...standing, verdict, since: Math.max(start, earliest) };
  return { standing: next, changes: [changeOf(next, atMs, cause, quarantined)] };
}

/** When the k-th region started to fail. */
function quorumSince(standing: Standing, quarantined: ReadonlySet<string>): number {
  const down = standing.rules.regions.flatMap(region => {
    const vote = standing.votes[region];
    return vote?.vote === 'down' && !quarantined.has(region) ? [vote.since] : [];
  });
  return down.sort((left, right) => left - right)[standing.rules.quorum - 1] ?? standing.earliestStart;
}

/** The row of a standing's verdict, decided at an instant. */
export function changeOf(
  standing: Pick<Standing, 'rules' | 'verdict' | 'since' | 'votes'>,
  at: number,
  cause: VerdictCause,
  quarantined = nothingQuarantined,
): VerdictChange {
  const ballots = Object.entries(standing.votes).map(([region, { vote, since, as_of, expires_at }]) => [
    region,
    { vote, since, as_of, expires_at, counted: vote !== 'unknown' && !quarantined.has(region) },
  ]);
  return {
    since: standing.since,
    verdict: standing.verdict,
    votes: countedVotes(standing, quarantined),
    configVersion: standing.rules.configVersion,
    decision: { at, cause, quorum: standing.rules.quorum, ballots: Object.fromEntries(ballots) },
  };
}

/** A monitor that no agent checks waits for its first vote without end. */
function pendingUntil({ earliestStart, rules }: Standing): number {
  if (isWithoutAgents(rules)) return Number.POSITIVE_INFINITY;
  return earliestStart + voteLifetimeMs(rules.intervalMs, rules.timeoutMs);
}

function lostVote(before: Votes, after: Votes): boolean {
  return Object.entries(before).some(([region, vote]) => vote.vote !== 'unknown' && after[region]?.vote === 'unknown');
}

function mapVotes(votes: Votes, change: (vote: Vote) => Vote): Votes {
  return Object.fromEntries(Object.entries(votes).map(([region, vote]) => [region, change(vote)]));
}
