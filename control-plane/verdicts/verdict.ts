import type { VoteValue } from '../monitors/state.ts';

/** What the quorum says: the quorum never shrinks because votes are missing. */
export type QuorumVerdict = 'up' | 'degraded' | 'down' | 'undetermined';

/**
 * Verdict of n regions with quorum k. Down needs k down votes. Up needs so many good votes that the rest could not
 * make a quorum; it is degraded when k regions do not vote plainly up. Otherwise nobody knows.
 */
export function verdictOf(votes: readonly VoteValue[], quorum: number): QuorumVerdict {
  const count = (value: VoteValue) => votes.filter(vote => vote === value).length;
  const [down, warn, up] = [count('down'), count('warn'), count('up')];
  if (down >= quorum) return 'down';
  if (up + warn < votes.length - quorum + 1) return 'undetermined';
  return warn + down >= quorum ? 'degraded' : 'up';
}
