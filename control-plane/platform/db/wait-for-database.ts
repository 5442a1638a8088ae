import { minuteMs, secondMs } from '#shared/duration.ts';
import { errorCode } from '#shared/error-code.ts';
import { errorMessage } from '#shared/error-message.ts';
import { wait } from '#shared/wait.ts';
import { classifyFault } from './errors.ts';
import { SchemaTooNewError } from './schema/schema-state.ts';

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

const schemaRetryMs = 5 * secondMs;

/**
 * Repeats `work` while the database is for newer programs only, as during an upgrade, and says so once a minute: the
 * published pages are served meanwhile. It comes to an end if the database goes back to a schema of ours.
 */
export async function waitForSchema<Result>(
  work: () => Promise<Result>,
  log: { error(message: string): void },
  retryMs = schemaRetryMs,
): Promise<Result> {
  for (let saidAt = Number.NEGATIVE_INFINITY; ; ) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SchemaTooNewError)) throw error;
      if (performance.now() - saidAt >= minuteMs) {
        log.error(`${error.message}; waiting`);
        saidAt = performance.now();
      }
      await wait(retryMs);
    }
  }
}
