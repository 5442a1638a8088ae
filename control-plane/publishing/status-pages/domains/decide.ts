import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { type DomainRow, proofOf, provenStates } from './domain.ts';

const lostAfterMs = 72 * hourMs;
const verifiedEveryMs = 6 * hourMs;
const failingEveryMs = hourMs;
/** How often a domain is looked at that is not proven: for how long, and how often until then. */
const pendingTurns = [
  { untilMs: hourMs, everyMs: minuteMs },
  { untilMs: 3 * dayMs, everyMs: 10 * minuteMs },
] as const;

/** What name servers said. `values`: of the TXT records; null if there was no answer. */
export type Look = { values: readonly string[] | null; error: string | null; pointsHere: boolean | null };

/** Somebody else's domain of the same name, which is proven. */
export type Holder = Pick<DomainRow, 'domain' | 'token'>;

type Decided = Pick<
  DomainRow,
  'state' | 'state_since' | 'points_here' | 'error' | 'checked_at' | 'verified_at' | 'next_check_at'
>;

/** Pure: what a look makes of a domain. `isAsked`: somebody asked for it, just now. */
export function decide(
  row: DomainRow,
  { look, holder, isAsked }: { look: Look; holder: Holder | null; isAsked: boolean },
  nowMs: number,
): Decided {
  const state = stateAfter(row, look, { holder, isAsked }, nowMs);
  const since = state === row.state ? row.state_since : nowMs;
  const isFound = hasProof(row, look);
  return {
    state,
    state_since: since,
    points_here: look.pointsHere,
    error: isFound && !provenStates.includes(state) ? 'another status page has proven this domain since' : look.error,
    checked_at: nowMs,
    verified_at: state === 'verified' && !provenStates.includes(row.state) ? nowMs : row.verified_at,
    next_check_at: nextCheck(state, since, nowMs),
  };
}

function stateAfter(
  row: DomainRow,
  look: Look,
  { holder, isAsked }: { holder: Holder | null; isAsked: boolean },
  nowMs: number,
): DomainRow['state'] {
  if (look.values === null || row.state === 'removed') return row.state;
  if (hasProof(row, look)) {
    // Both have their records: whoever lost it gets it back by asking alone, or it would move with each look.
    const isTaken = row.state === 'lost' && holder !== null && hasProof(holder, look) && !isAsked;
    return isTaken ? row.state : 'verified';
  }
  if (row.state === 'verified') return 'failing';
  if (row.state === 'failing' && nowMs - row.state_since >= lostAfterMs) return 'lost';
  return row.state;
}

function hasProof(claim: Holder, { values }: Look): boolean {
  return values?.includes(proofOf(claim).value) ?? false;
}

/** When the worker looks next; null: only on demand. */
export function nextCheck(state: DomainRow['state'], since: number, nowMs: number): number | null {
  if (state === 'removed') return null;
  if (state === 'verified') return nowMs + verifiedEveryMs;
  if (state === 'failing') return nowMs + failingEveryMs;
  const turn = pendingTurns.find(({ untilMs }) => nowMs - since < untilMs);
  return turn === undefined ? null : nowMs + turn.everyMs;
}
