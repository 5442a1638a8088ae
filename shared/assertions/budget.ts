/** What the assertions of one check may still cost, in steps of about 20 ns; below zero once it is used up. */
export type Budget = { steps: number };

/** Of one assertion, which nothing interrupts: less than 100 ms. */
export const stepsOfAssertionMax = 3_000_000;
/** Of all assertions of one check; the last may exceed it. */
const stepsOfCheckMax = 6_000_000;

export function newBudget(): Budget {
  return { steps: stepsOfCheckMax };
}
