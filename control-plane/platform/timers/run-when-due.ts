import type { DueTimer } from './timers.ts';
import type { Running, Turns } from './turns.ts';

/** Whether each timer has something to do. */
export type FindDue = (timers: readonly DueTimer[]) => Promise<boolean[]>;

/** How often it is asked: no timer with a condition runs more often. */
const askMs = 250;
/** Timers of the process come a little late: so much early is in time. */
const slackMs = askMs / 2;
/** A timer runs after this time whatever the answer: nothing is lost that a condition leaves out. */
const anywayMs = 5000;

type Waiting = { timer: DueTimer; turns: Turns; runFrom: number; runAnyway: number; isRunning: boolean };

/**
 * Runs timers whose conditions hold, which are asked about all together, until the signal comes and those that run have
 * ended. If they cannot be asked, all run but those that are held after a failure.
 */
export async function runWhenDue(
  given: ReadonlyMap<DueTimer, Turns>,
  findDue: FindDue,
  { signal, time }: Running,
): Promise<void> {
  const timers = [...given.keys()];
  const startedMs = time.now();
  const all = given.entries().map(([timer, turns]): Waiting => {
    return { timer, turns, runFrom: startedMs, runAnyway: startedMs + anywayMs, isRunning: false };
  });
  const waiting = [...all];
  const running = new Set<Promise<void>>();
  const run = async (one: Waiting) => {
    one.isRunning = true;
    await one.turns.run();
    const nowMs = time.now();
    Object.assign(one, { isRunning: false, runFrom: nowMs + one.timer.everyMs, runAnyway: nowMs + anywayMs });
  };
  while (!signal.aborted) {
    const soonMs = time.now() + slackMs;
    const free = waiting.filter(({ turns, runFrom, isRunning }) => !isRunning && runFrom <= soonMs && turns.mayRun());
    const due = free.length === 0 ? [] : await findDue(timers).catch(error => failAll(free, error));
    for (const one of free) {
      const isDue = due === null || due[waiting.indexOf(one)] === true;
      if (!(isDue || one.runAnyway <= soonMs) || !one.turns.mayRun()) continue;
      const ended = run(one).finally(() => running.delete(ended));
      running.add(ended);
    }
    await time.wait(askMs, { signal }).catch(() => {});
  }
  await Promise.all(running);
}

/** Those that rest after a failure do so after this one. */
function failAll(free: readonly Waiting[], error: unknown): null {
  for (const { turns } of free) turns.fail(error);
  return null;
}
