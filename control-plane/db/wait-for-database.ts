import { secondMs } from '#shared/duration.ts';
import { errorCode } from '#shared/error-code.ts';
import { errorMessage } from '#shared/error-message.ts';
import { wait } from '#shared/wait.ts';
import { classifyFault } from './errors.ts';

/** Where the wait is reported: a logger, or the screen of `npm start`. */
export type WaitReport = { warn(fault: { code: string | null; reason: string }, message: string): void };

const retryMs = secondMs;

/** Repeats `work` every second while the database cannot be reached. Any other error is thrown. */
export async function waitForDatabase<Result>(work: () => Promise<Result>, log: WaitReport): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (classifyFault(error) !== 'away') throw error;
      log.warn({ code: errorCode(error), reason: errorMessage(error) }, 'cannot reach the database, retrying');
      await wait(retryMs);
    }
  }
}
