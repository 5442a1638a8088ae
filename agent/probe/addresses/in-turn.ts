import { beginAgain, type ProbeOutcome } from '../attempt.ts';
import type { Deadline } from '../deadline.ts';
import type { AddressTurn } from './address-turn.ts';

/**
 * Runs an attempt with the address whose turn it is, then with the next ones while one fails before its first byte and
 * time is left. The outcome is that of the last; its latency leaves out those before.
 */
export async function inTurn(
  turn: AddressTurn | null,
  { deadline, outcome }: { deadline: Deadline; outcome: ProbeOutcome },
  run: () => Promise<number>,
): Promise<number> {
  if (turn === null) return run();
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!turn.hasNext || hasAnswered(outcome) || deadline.leftMs <= 0) throw error;
      turn.next();
      const { dns_ms, auth_ms } = outcome.timings;
      beginAgain(outcome);
      Object.assign(outcome.timings, { dns_ms }, auth_ms === undefined ? {} : { auth_ms });
      outcome.beganMs = performance.now() - (dns_ms ?? 0);
    }
  }
}

function hasAnswered({ timings, statusCode, bytes }: ProbeOutcome): boolean {
  return timings.first_byte_ms !== null || statusCode !== null || bytes > 0;
}
