import {
  type MonitorState,
  type Rules,
  type Verdict,
  type Vote,
  type Votes,
  type VoteValue,
  voteLifetimeMs,
} from '../monitors/state.ts';
import { verdictOf } from './verdict.ts';
import { type Ballot, castVote, expireVote } from './vote.ts';

/** One row of a monitor's history: the verdict holds from `since` until the next row. */
export type VerdictChange = {
  since: number;
  verdict: Verdict;
  votes: Readonly<Record<string, VoteValue>>;
  configVersion: number;
};

/** What judging knows of a monitor at one moment. */
export type Standing = Pick<MonitorState, 'rules' | 'verdict' | 'since' | 'floor' | 'votes'>;

/** A standing and the rows that led to it, in order. A row replaces all rows that start at or after its start. */
export type Judged = { standing: Standing; changes: readonly VerdictChange[] };

/** A new version of the rules, at an instant. */
export type Reconfiguration = { rules: Rules; atMs: number; dropsVotes: boolean; movesFloor: boolean };

const nothingQuarantined: ReadonlySet<string> = new Set();

/** Lets time pass: votes expire in order, and a monitor that never heard anything becomes undetermined. */
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
      quarantined,
      waited || standing.verdict !== 'pending' || lostVote(standing.votes, votes),
    );
    standing = judged.standing;
    changes.push(...judged.changes);
  }
  return { standing, changes };
}

/** Counts one result. Expiries before its completion come first. */
export function count(start: Standing, ballot: Ballot, quarantined = nothingQuarantined): Judged {
  const { standing, changes } = advance(start, ballot.asOf, quarantined);
  if (!standing.rules.enabled || !standing.rules.regions.includes(ballot.region)) return { standing, changes };
  const votes = { ...standing.votes, [ballot.region]: castVote(standing.votes[ballot.region], ballot) };
  const judged = decide({ ...standing, votes }, ballot.asOf, quarantined, false);
  return { standing: judged.standing, changes: [...changes, ...judged.changes] };
}

/** Applies new rules. A change of the target drops all votes; one of quorum or regions judges the kept ones again. */
export function reconfigure(
  start: Standing,
  { rules, atMs, dropsVotes, movesFloor }: Reconfiguration,
  quarantined = nothingQuarantined,
): Judged {
  const { standing, changes } = advance(start, atMs, quarantined);
  const floor = movesFloor ? atMs : standing.floor;
  if (dropsVotes || !rules.enabled || rules.deleted) {
    const verdict: Verdict = rules.deleted ? 'deleted' : rules.enabled ? 'pending' : 'paused';
    const next: Standing = { rules, floor, votes: {}, verdict, since: atMs };
    return { standing: next, changes: [...changes, changeOf(next, quarantined)] };
  }
  const votes = Object.fromEntries(Object.entries(standing.votes).filter(([region]) => rules.regions.includes(region)));
  const judged = decide({ ...standing, rules, floor, votes }, atMs, quarantined, false);
  return { standing: judged.standing, changes: [...changes, ...judged.changes] };
}

/** Judges again after the quarantine of one of its regions began or ended. */
export function requarantine(
  start: Standing,
  atMs: number,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): Judged {
  const { standing, changes } = advance(start, atMs, before);
  const judged = decide({ ...standing, floor: atMs }, atMs, after, false);
  return { standing: judged.standing, changes: [...changes, ...judged.changes] };
}

/** When time alone changes something next; null when it never does. */
export function nextExpiry(standing: Standing): number | null {
  if (!standing.rules.enabled || standing.rules.deleted) return null;
  const instants = Object.values(standing.votes).flatMap(vote => vote.expires_at ?? []);
  if (standing.verdict === 'pending') instants.push(pendingUntil(standing));
  return instants.length === 0 ? null : Math.min(...instants);
}

/** The rows after a change is added: it replaces those that start at or after it, and says nothing new if the verdict goes on. */
export function addChange(rows: readonly VerdictChange[], change: VerdictChange): VerdictChange[] {
  const kept = rows.filter(row => row.since < change.since);
  return kept.at(-1)?.verdict === change.verdict ? kept : [...kept, change];
}

/** Votes as they count now: a quarantined region's are unknown. */
export function countedVotes(
  standing: Pick<Standing, 'rules' | 'votes'>,
  quarantined = nothingQuarantined,
): Record<string, VoteValue> {
  return Object.fromEntries(
    standing.rules.regions.map(region => [
      region,
      quarantined.has(region) ? 'unknown' : (standing.votes[region]?.vote ?? 'unknown'),
    ]),
  );
}

/** `undeterminedCounts`: a pending monitor waits for its first verdict; only lost votes or a long silence make it undetermined. */
function decide(
  standing: Standing,
  atMs: number,
  quarantined: ReadonlySet<string>,
  undeterminedCounts: boolean,
): Judged {
  if (!standing.rules.enabled || standing.rules.deleted) return { standing, changes: [] };
  const verdict = verdictOf(Object.values(countedVotes(standing, quarantined)), standing.rules.quorum);
  if (verdict === standing.verdict) return { standing, changes: [] };
  if (verdict === 'undetermined' && standing.verdict === 'pending' && !undeterminedCounts)
    return { standing, changes: [] };
  const start = verdict === 'down' ? quorumSince(standing, quarantined) : atMs;
  // An outage does not begin before the end of the last one was told.
  const isGood = standing.verdict === 'up' || standing.verdict === 'degraded';
  const earliest = verdict === 'down' && isGood ? Math.max(standing.floor, standing.since) : standing.floor;
  const next: Standing = { ...standing, verdict, since: Math.max(start, earliest) };
  return { standing: next, changes: [changeOf(next, quarantined)] };
}

/** When the k-th region began to fail. */
function quorumSince(standing: Standing, quarantined: ReadonlySet<string>): number {
  const down = standing.rules.regions.flatMap(region => {
    const vote = standing.votes[region];
    return vote?.vote === 'down' && !quarantined.has(region) ? [vote.since] : [];
  });
  return down.sort((left, right) => left - right)[standing.rules.quorum - 1] ?? standing.floor;
}

function changeOf(standing: Standing, quarantined: ReadonlySet<string>): VerdictChange {
  return {
    since: standing.since,
    verdict: standing.verdict,
    votes: countedVotes(standing, quarantined),
    configVersion: standing.rules.configVersion,
  };
}

function pendingUntil({ floor, rules }: Standing): number {
  return floor + voteLifetimeMs(rules.intervalMs, rules.timeoutMs);
}

function lostVote(before: Votes, after: Votes): boolean {
  return Object.entries(before).some(([region, vote]) => vote.vote !== 'unknown' && after[region]?.vote === 'unknown');
}

function mapVotes(votes: Votes, change: (vote: Vote) => Vote): Votes {
  return Object.fromEntries(Object.entries(votes).map(([region, vote]) => [region, change(vote)]));
}
