import type { Users } from './estimate.ts';

/** What is said of a release that preceded an incident; never that it is the cause. */
export const verdicts = ['suspect', 'unlikely', 'cannot_tell'] as const;
export const doubts = ['too_few_users', 'too_close', 'rose_before', 'not_clear'] as const;

export type Comparison = {
  ratio: number;
  low: number;
  high: number;
  verdict: (typeof verdicts)[number];
  /** Why nothing can be said. */
  reason: (typeof doubts)[number] | null;
};

/** Users on both sides of a release, and how long each side is; `early` and `late` are the parts of the time before. */
export type Sides = {
  before: Users;
  after: Users;
  early: Users;
  late: Users;
  beforeMs: number;
  afterMs: number;
};

/**
 * Two-sided quantiles of the normal distribution at 1 − 0.05/n, by n − 1: of several candidates one would seem suspect
 * by chance.
 */
const quantiles = [1.95996, 2.2414, 2.39398, 2.49771, 2.57583, 2.63826, 2.69011, 2.73437, 2.7729, 2.80703] as const;
export const candidatesMax = quantiles.length;

const sideMinMs = 300_000;
const activeMin = 50;
const errorsMin = 5;
const suspectRatio = 2;
const unlikelyRatio = 1.5;

/** Compares the share of users with an error after a release with that before. Pure. */
export function compareRelease(sides: Sides, candidates: number): Comparison {
  const z = quantiles[Math.min(candidates, candidatesMax) - 1] ?? quantiles[0];
  const measured = ratioOf(sides.before, sides.after, z);
  const say = (verdict: Comparison['verdict'], reason: Comparison['reason'] = null) => ({
    ...measured,
    verdict,
    reason,
  });
  if (Math.min(sides.beforeMs, sides.afterMs) < sideMinMs) return say('cannot_tell', 'too_close');
  if (Math.min(sides.before.active, sides.after.active) < activeMin) return say('cannot_tell', 'too_few_users');
  if (measured.high < unlikelyRatio) return say('unlikely');
  if (sides.after.withErrors < errorsMin) return say('cannot_tell', 'too_few_users');
  if (measured.ratio < suspectRatio || measured.low <= 1) return say('cannot_tell', 'not_clear');
  return ratioOf(sides.early, sides.late, z).low > 1 ? say('cannot_tell', 'rose_before') : say('suspect');
}

function ratioOf(before: Users, after: Users, z: number): { ratio: number; low: number; high: number } {
  const share = ({ active, withErrors }: Users) => (withErrors + 0.5) / (active + 1);
  const variance = ({ active, withErrors }: Users) => 1 / (withErrors + 0.5) - 1 / (active + 1);
  const ratio = share(after) / share(before);
  const deviation = Math.sqrt(Math.max(0, variance(after) + variance(before)));
  return { ratio, low: ratio * Math.exp(-z * deviation), high: ratio * Math.exp(z * deviation) };
}
