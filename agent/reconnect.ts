import { fullJitter } from '#shared/backoff.ts';

/** How the last connection ended. */
export type Ending =
  | { type: 'start' }
  | { type: 'dropped' }
  | { type: 'failed'; failures: number }
  | { type: 'told'; inMs: number }
  | { type: 'revoked' };

const firstTryMs = 5000;
const waitMaxMs = 60_000;

/** How long to wait before the next connection: longer only after failures, so that a restart is not held back. */
export function reconnectAfterMs(ending: Ending, random: number): number {
  switch (ending.type) {
    case 'start':
      return 0;
    case 'told':
      return Math.max(0, ending.inMs);
    case 'dropped':
      return Math.floor(random * firstTryMs);
    case 'failed':
      return fullJitter(ending.failures, firstTryMs, waitMaxMs, random);
    case 'revoked':
      return waitMaxMs;
  }
}
