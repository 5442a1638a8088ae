import type { Vote } from '../../session/api-types.ts';

const namedMax = 2;

/** The votes that are not up, by name where they are few: `us-east down`, `3 down, 1 unknown`, `all up`. */
export function describeVotes(votes: readonly Pick<Vote, 'region' | 'vote'>[]): string {
  const odd = votes.filter(({ vote }) => vote !== 'up');
  if (odd.length === 0) return votes.length === 1 ? 'up' : 'all up';
  if (odd.length <= namedMax) return odd.map(({ region, vote }) => `${region} ${vote}`).join(', ');
  const counts = new Map<string, number>();
  for (const { vote } of odd) counts.set(vote, (counts.get(vote) ?? 0) + 1);
  return [...counts].map(([vote, count]) => `${count === votes.length ? 'all' : count} ${vote}`).join(', ');
}

/** How often events are counted. */
export function everyMinutes(seconds: number): string {
  return seconds === 60 ? 'every minute' : `every ${seconds / 60} minutes`;
}
