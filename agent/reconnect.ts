import { fullJitter } from '#shared/backoff.ts';
import { minuteMs } from '#shared/duration.ts';

/** How the last connection ended. `goaway`: the control plane asked the agent to reconnect in `inMs`. */
export type Ending =
  | { type: 'start' }
  | { type: 'dropped' }
  | { type: 'failed'; failures: number }
  | { type: 'goaway'; inMs: number }
  | { type: 'revoked' };

const baseMs = 5000;
/** So that an agent is back within 15 s after a cut, the handshake included. */
const capMs = 12_000;
const revokedMs = minuteMs;

/**
 * Milliseconds to wait before the next connection, given `random` in [0, 1). Backs off only after failures, so that a
 * restarted control plane gets its agents back within five seconds.
 */
export function reconnectAfterMs(ending: Ending, random: number): number {
  switch (ending.type) {
    case 'start':
      return 0;
    case 'goaway':
      return Math.max(0, ending.inMs);
    case 'dropped':
      return Math.floor(random * baseMs);
    case 'failed':
      return fullJitter(ending.failures, baseMs, capMs, random);
    case 'revoked':
      return revokedMs;
  }
}
