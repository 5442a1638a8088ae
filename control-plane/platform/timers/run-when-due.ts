import type { DueTimer } from './timers.ts';
import type { Running, Turns } from './turns.ts';

/** Whether each timer has something to do. */
export type FindDue = (timers: readonly DueTimer[]) => Promise<boolean[]>;

/** How often it is asked: no timer with a condition runs more often. */
const askMs = 250;
/** Timers of the process come a little late: so much early is in time. */
const slackMs = askMs / 2;
/** An answer that takes longer is not waited for. */
const answerMs = 1000;
/** A timer runs after this time whatever the answer: nothing is lost that a condition leaves out. */
const anywayMs = 15_000;

type Waiting = { timer: DueTimer; turns: Turns; runFrom: number; runAnyway: number; isRunning: boolean };

/**
 * Runs timers whose conditions hold, which are asked about all together, until the signal comes and those that run have
 * ended. Without an answer all run: a lock on the table of one delays no other. If asking fails, so do those that are
 * held after a failure.
 */
export async function runWhenDue(
  given: ReadonlyMap<DueTimer, Turns>,
  findDue: FindDue,
  { signal, time }: Running,
): Promise<void> {
  const startedMs = time.now();
  // Not all at once: they would wait for the connections of each other.
  const all = Array.from(given, ([timer, turns], index): Waiting => {
    const runAnyway = startedMs + (anywayMs * (index + 1)) / given.size;
    return { timer, turns, runFrom: startedMs, runAnyway, isRunning: false };
  });
  const running = new Set<Promise<void>>();
  const run = async (one: Waiting) => {
    one.isRunning = true;
    await one.turns.run();
    const nowMs = time.now();
    Object.assign(one, { isRunning: false, runFrom: nowMs + one.timer.everyMs, runAnyway: nowMs + anywayMs });
  };
  let asking: Promise<boolean[]> | null = null;
  const ask = (): Promise<boolean[] | null> => {
    asking ??= findDue([...given.keys()]).finally(() => {
      asking = null;
    });
    const late = time.wait(answerMs, { signal }).then(noAnswer, noAnswer);
    return Promise.race([asking, late]);
  };
  while (!signal.aborted) {
    const soonMs = time.now() + slackMs;
    const isFree = ({ turns, runFrom, isRunning }: Waiting) => !isRunning && runFrom <= soonMs && turns.mayRun();
    const free = all.filter(isFree);
    const due = free.length === 0 ? [] : await ask().catch(error => failAll(free, error));
    for (const [index, one] of all.entries()) {
      const isWanted = due === null || due[index] === true || one.runAnyway <= soonMs;
      if (!isWanted || !isFree(one)) continue;
      const ended = run(one).finally(() => running.delete(ended));
      running.add(ended);
    }
    // All loops of the process by the same instants, so that they ask together; a slow database rests meanwhile.
    const toNextMs = askMs - (time.now() % askMs);
    await time.wait(toNextMs < slackMs ? toNextMs + askMs : toNextMs, { signal }).catch(() => {});
  }
  await Promise.all(running);
}

function noAnswer(): null {
  return null;
}

function failAll(free: readonly Waiting[], error: unknown): null {
  for (const { turns } of free) turns.fail(error);
  return null;
}
