/**
 * How long tests wait for anything to happen: one number, far above what it takes on a busy machine, and below the time
 * in which AVA gives up a file. What has to happen sooner than something else is proved by that order.
 */
export const patienceMs = 120_000;

/**
 * What comes of work that a time limit may end: a short one, so that what never answers soon has passed it, or a longer
 * one where the machine was too busy for that.
 */
export async function withTime<Result>(
  work: (timeoutMs: number) => Promise<Result>,
  isFinished: (result: Result) => boolean,
  shortMs = 4000,
): Promise<Result> {
  for (const timeoutMs of [shortMs, 20_000]) {
    const result = await work(timeoutMs);
    if (isFinished(result)) return result;
  }
  return work(60_000);
}
