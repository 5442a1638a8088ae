/** Seeded numbers from 0 to 1: the same stream each time (mulberry32). */
export function stream(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How many of so many users have something that each has with this chance. */
export function drawn(random: () => number, users: number, chance: number): number {
  let count = 0;
  for (let user = 0; user < users; user++) if (random() < chance) count++;
  return count;
}

/** The formulas of users by another way: as sums over weeks, in the order in which they are read. */
export function expectedUsers(
  window: readonly [active: number, errors: number],
  weeks: readonly (readonly [number, number])[],
) {
  let [active, errors] = [0, 0];
  for (const [weekActive, weekErrors] of weeks) {
    active += weekActive;
    errors += weekErrors;
  }
  const p = (errors * 2 + 1) / (2 * (active + 1));
  let chi = 0;
  for (const [weekActive, weekErrors] of weeks)
    if (weekActive > 0) chi += (weekErrors - p * weekActive) ** 2 / (weekActive * p * (1 - p));
  const phi = Math.max(1, chi / (weeks.length - 1));
  const variance = phi * window[0] * p * (1 - p) * ((active + window[0]) / active);
  const excess = window[1] - p * window[0];
  const half = 1.96 * variance ** 0.5;
  const within = (value: number) => Math.max(0, Math.min(window[1], value));
  return { low: Math.floor(within(excess - half)), high: Math.ceil(within(excess + half)), expected: p * window[0] };
}
