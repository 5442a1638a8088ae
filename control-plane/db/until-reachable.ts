import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '#shared/log.ts';
import { classifyFault } from './errors.ts';

const retryMs = 1000;

/** Repeats what needs the database while there is none; any other failure rises. */
export async function untilReachable<Result>(work: () => Promise<Result>, log: Logger): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (classifyFault(error) !== 'away') throw error;
      log.warn({ code: (error as { code?: string }).code }, 'the database cannot be reached, waiting for it');
      await wait(retryMs);
    }
  }
}
