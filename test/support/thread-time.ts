/** The processor time of this thread that work takes: what else runs on the machine does not prolong it. */
export function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  return msSince(before);
}

/**
 * The least processor time of this thread that work takes in up to five runs, which end once one is below the limit:
 * a busy machine prolongs that time too, when caches are cold or a processor's other half computes.
 */
export function leastThreadMs(limitMs: number, work: () => void): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5 && leastMs >= limitMs; run += 1) leastMs = Math.min(leastMs, threadMs(work));
  return leastMs;
}

/** Watches the turns of this thread's event loop, until the result is called: how long the longest one computed. */
export function watchTurns(): () => number {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  let next = setImmediate(turn);
  function turn(): void {
    longestMs = Math.max(longestMs, msSince(before));
    before = process.threadCpuUsage();
    next = setImmediate(turn);
  }
  return () => {
    clearImmediate(next);
    return longestMs;
  };
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
