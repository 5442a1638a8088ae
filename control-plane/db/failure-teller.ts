import type { Logger } from '#shared/log.ts';
import { classifyFault } from './errors.ts';

const everyMs = 60_000;

/**
 * Tells of what fails again and again: the first failure, then one a minute with the number of those between. A database that
 * is away needs no stack: a night of it must not fill a disk.
 */
export function failureTeller(
  log: Pick<Logger, 'warn'>,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): (error: unknown) => void {
  let silentUntil = 0;
  let untold = 0;
  return error => {
    const nowMs = performance.now();
    if (nowMs < silentUntil) {
      untold += 1;
      return;
    }
    const what = classifyFault(error) === 'away' ? { code: codeOf(error) } : { err: error };
    log.warn({ ...fields, ...what, ...(untold > 0 ? { untold } : {}) }, message);
    silentUntil = nowMs + everyMs;
    untold = 0;
  };
}

function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === 'string' ? code : (message ?? 'unknown');
}
