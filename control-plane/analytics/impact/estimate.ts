/** Users of a window of time: all of them, and those with an error. */
export type Users = { active: number; withErrors: number };

/** Why nothing can be said. */
export type Reason = (typeof reasons)[number];
export const reasons = [
  'no_events',
  'window_too_short',
  'too_few_users',
  'no_baseline',
  'not_kept',
  'too_many_events',
] as const;

/** How many users an incident affected, beyond those who have an error at any time. */
export type UsersEstimate = {
  status: 'measured' | 'cannot_tell';
  reason: Reason | null;
  with_errors: number | null;
  active: number | null;
  expected: number | null;
  affected: number | null;
  low: number | null;
  high: number | null;
  significant: boolean | null;
};

/** How many users stayed away: they leave no event. */
export type MissingEstimate = {
  status: 'measured' | 'cannot_tell';
  reason: Reason | null;
  expected: number | null;
  low: number | null;
  high: number | null;
};

const activeMin = 50;
const baselineActiveMin = 200;
const baselinesMin = 2;
const missingBaselinesMin = 3;
/** Of the normal distribution: 95 of 100 are within. */
const z95 = 1.96;

/**
 * Compares the window with the same hours of weeks before: the share of users with an error that is usual, and how much
 * that share varies from week to week beyond chance. Pure.
 */
export function estimateUsers(window: Users, baselines: readonly Users[]): UsersEstimate {
  const { active, withErrors } = window;
  const counts = { with_errors: withErrors, active };
  const [sumActive, sumErrors] = sums(baselines);
  const reason = reasonOf(active, sumActive, baselines.length);
  if (reason !== null) return { ...cannotTell(reason), ...counts };
  const p = (sumErrors + 0.5) / (sumActive + 1);
  const expected = p * active;
  const deviation = Math.sqrt(dispersion(p, baselines) * active * p * (1 - p) * (1 + active / sumActive));
  const excess = withErrors - expected;
  const cut = (value: number) => Math.min(withErrors, Math.max(0, value));
  const low = Math.floor(cut(excess - z95 * deviation));
  const high = Math.ceil(cut(excess + z95 * deviation));
  return {
    status: 'measured',
    reason: null,
    ...counts,
    expected: Math.round(expected * 10) / 10,
    affected: Math.round(Math.max(0, excess)),
    low,
    high,
    significant: low > 0,
  };
}

export function cannotTell(reason: Reason): UsersEstimate {
  const nothing = { with_errors: null, active: null, expected: null, affected: null, low: null, high: null };
  return { status: 'cannot_tell', reason, ...nothing, significant: null };
}

/** Compares how many users there are with how many there were in the same hours. Pure. */
export function estimateMissing(active: number, baselines: readonly Users[]): MissingEstimate {
  const counts = baselines.map(baseline => baseline.active).sort((left, right) => left - right);
  if (counts.length < missingBaselinesMin) return missingUnknown('no_baseline');
  const expected = median(counts);
  if (expected < activeMin) return missingUnknown('too_few_users');
  const [least = 0, most = 0] = [counts[0], counts.at(-1)];
  return {
    status: 'measured',
    reason: null,
    expected,
    low: Math.max(0, least - active),
    high: Math.max(0, most - active),
  };
}

export function missingUnknown(reason: Reason): MissingEstimate {
  return { status: 'cannot_tell', reason, expected: null, low: null, high: null };
}

function reasonOf(active: number, sumActive: number, baselines: number): Reason | null {
  if (active + sumActive === 0) return 'no_events';
  if (baselines < baselinesMin) return 'no_baseline';
  return active < activeMin || sumActive < baselineActiveMin ? 'too_few_users' : null;
}

/** How much more the weeks differ than by chance; at least as much. */
function dispersion(p: number, baselines: readonly Users[]): number {
  const deviations = baselines
    .filter(({ active }) => active > 0)
    .map(({ active, withErrors }) => (withErrors - p * active) ** 2 / (p * (1 - p) * active));
  return Math.max(1, deviations.reduce((sum, value) => sum + value, 0) / (baselines.length - 1));
}

function sums(baselines: readonly Users[]): [active: number, withErrors: number] {
  return baselines.reduce<[number, number]>(
    ([active, errors], baseline) => [active + baseline.active, errors + baseline.withErrors],
    [0, 0],
  );
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
