const runsMax = 5;

/**
 * The processor time of this thread that work takes, of the first kind or asynchronous. What else runs on the machine
 * prolongs it by little, but by more than nothing: compare `leastThreadMs` with a limit. The clock may tick every 4 ms.
 */
export async function threadMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  const pending = work();
  if (pending instanceof Promise) await pending;
  return msSince(before);
}

/** The least of up to five runs, which end with the first one below the limit. */
export async function leastThreadMs(limitMs: number, work: () => unknown): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runsMax && leastMs >= limitMs; run += 1) leastMs = Math.min(leastMs, await threadMs(work));
  return leastMs;
}

/**
 * How many times as long as a reference of tens of milliseconds work takes, by the least of up to five runs of each,
 * which end once that is below the limit. The reference runs first.
 */
export async function timesAsLong(limit: number, reference: () => unknown, work: () => unknown): Promise<number> {
  let [referenceMs, workMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < runsMax && !(workMs / referenceMs < limit); run += 1) {
    referenceMs = Math.min(referenceMs, await threadMs(reference));
    workMs = Math.min(workMs, await threadMs(work));
  }
  return workMs / referenceMs;
}

/** The longest turn of this thread's event loop while work is awaited: the least of up to five runs, as above. */
export async function leastTurnMs(limitMs: number, work: () => Promise<unknown>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runsMax && leastMs >= limitMs; run += 1) leastMs = Math.min(leastMs, await longestTurn(work));
  return leastMs;
}

async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const turn = (): void => {
    longestMs = Math.max(longestMs, msSince(before));
    before = process.threadCpuUsage();
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await work();
  clearImmediate(next);
  return longestMs;
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
