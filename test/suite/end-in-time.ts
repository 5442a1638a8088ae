/** Those of the process: a test may stand in for them while others of its thread run. */
const { setTimeout, clearTimeout } = globalThis;

/** Throws if it does not end. Meanwhile the process has something to wait for: AVA ends one that has nothing. */
export async function endInTime(work: Promise<unknown>, maxMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`did not end within ${maxMs / 1000} s`)), maxMs);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
