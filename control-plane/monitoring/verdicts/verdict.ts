import type { VoteValue } from '#shared/vocabulary.ts';

/** The quorum's decision. Missing votes never lower the quorum. */
export type QuorumVerdict = 'up' | 'degraded' | 'down' | 'undetermined';

/**
 * Verdict of n regions with quorum k. Down requires k down votes. Up requires n − k + 1 good votes (up or warn), so
 * that a down quorum is impossible, and at least one; it is degraded if k regions vote warn or down. Otherwise
 * undetermined.
 */
export function verdictOf(votes: readonly VoteValue[], quorum: number): QuorumVerdict {
  let [down, warn, up] = [0, 0, 0];
  for (const vote of votes) {
    if (vote === 'down') down += 1;
    else if (vote === 'warn') warn += 1;
    else if (vote === 'up') up += 1;
  }
  if (down >= quorum) return 'down';
  if (up + warn < Math.max(1, votes.length - quorum + 1)) return 'undetermined';
  return warn + down >= quorum ? 'degraded' : 'up';
}
