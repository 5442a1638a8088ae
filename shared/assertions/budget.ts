/** What the assertions of one check may still cost, in steps of about 20 ns; below zero once it is used up. */
export type Budget = { steps: number };

/** Of one assertion, which nothing interrupts: less than 100 ms. */
export const stepsOfAssertionMax = 3_000_000;
/** Of all assertions of one check; the last may exceed it. */
const stepsOfCheckMax = 6_000_000;

/** What a step takes, about. */
export const microsPerStep = 0.02;

/** The CPU time of those who share a part of it. `isShort`: they have used up theirs for now. */
export type CpuMeter = Readonly<{ isShort(): boolean; spend(micros: number): void }>;

export const unmetered: CpuMeter = { isShort: () => false, spend: () => undefined };

/** Does some work and counts the CPU time of this thread until it returns, or is awaited. */
export function metered<Value>(cpu: CpuMeter, work: () => Value): Value {
  const begun = process.threadCpuUsage();
  try {
    return work();
  } finally {
    const { user, system } = process.threadCpuUsage(begun);
    cpu.spend(user + system);
  }
}

export function newBudget(): Budget {
  return { steps: stepsOfCheckMax };
}
