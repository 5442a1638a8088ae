import { minuteMs, secondMs } from '#shared/duration.ts';
import { classifyFault, isTimeout } from '../db/errors.ts';
import { Undo } from '../db/undo.ts';

/** Loops of the control plane whose items fail one by one. */
export type Work =
  | 'judging'
  | 'verdicts'
  | 'alerts'
  | 'certificates'
  | 'deadlines'
  | 'replay'
  | 'history'
  | 'escalation'
  | 'maintenance'
  | 'maintenance-plans'
  | 'holds'
  | 'notices'
  | 'facts'
  | 'alert-groups'
  | 'digests'
  | 'publishing'
  | 'roll-up'
  | 'event-cells'
  | 'event-erasures'
  | 'session-links'
  | 'imports'
  | 'deliveries'
  | 'check-totals'
  | 'retention';

/** One item of a loop, such as a monitor. `nowMs`: when it is worked on. */
export type Item = { work: Work; id: string; projectId: string | null; nowMs: number };

const firstRetryMs = secondMs;
const retryMaxMs = 5 * minuteMs;

/** An item that failed so often without an end is shown to the operator. */
export const setApartFailures = 3;
/** What has not failed again for so long after it was tried works. */
export const forgetAfterMs = 10 * minuteMs;
/** Loops that come to an item every ten minutes, or let it rest for up to an hour. */
export const rareWorks: readonly Work[] = ['roll-up', 'history', 'check-totals'];
export const forgetRareAfterMs = 90 * minuteMs;

/** How long an item is left out after it failed so often in a row. */
export function retryAfterMs(failures: number): number {
  return Math.min(retryMaxMs, firstRetryMs * 4 ** (failures - 1));
}

/**
 * Whether an error may be about one item of a batch. Not when the database is away or asks for a repetition, nor when
 * nothing failed or a caller is to blame.
 */
export function mayBeOfOneItem(error: unknown): boolean {
  if (error instanceof Undo) return false;
  if (isTimeout(error)) return true;
  const fault = classifyFault(error);
  return fault === 'data' || fault === 'other';
}
