import { dayMs } from '#shared/duration.ts';
import type { Retention } from '../platform/timers/retention.ts';
import { deleteParkedBefore } from './intake/nats/parked-store.ts';

/** An agent that repeats what cannot be stored must not fill the disk. */
const parkedMax = 10_000;

export const operationsRetention: readonly Retention[] = [
  {
    name: 'intake_parked',
    keepMs: 90 * dayMs,
    run: (sql, beforeMs) => deleteParkedBefore(sql, beforeMs, parkedMax),
  },
];
