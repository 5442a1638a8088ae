import { minuteMs } from '#shared/duration.ts';
import { errorCode } from '#shared/error-code.ts';
import type { Logger } from '#shared/log.ts';
import { classifyFault } from '../db/errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Logs the first failure, then at most one per minute with a count of those suppressed. Connection loss is logged
 * without a stack, so that an overnight outage cannot fill the disk.
 */
export function warnThrottled(
  log: Pick<Logger, 'warn'>,
  message: string,
  fields: Fields,
  now: () => number = () => performance.now(),
): (error: unknown, more?: Fields) => void {
  let nextMs = 0;
  let suppressed = 0;
  return (error, more = {}) => {
    const nowMs = now();
    if (nowMs < nextMs) {
      suppressed += 1;
      return;
    }
    const details = classifyFault(error) === 'away' ? { code: errorCode(error) ?? String(error) } : { err: error };
    log.warn({ ...fields, ...more, ...details, ...(suppressed > 0 ? { suppressed } : {}) }, message);
    nextMs = nowMs + minuteMs;
    suppressed = 0;
  };
}
