import { secondMs } from '#shared/duration.ts';
import { sendConfirmations } from '../../monitoring/assignments/confirm.ts';
import { createRecorder } from '../../monitoring/checks/intake/recorder.ts';
import { listen } from '../../platform/db/listen.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import type { Services } from '../../platform/services.ts';
import type { Intake } from './intake.ts';

const commitMs = 2 * secondMs;

/** What is accepted is stored at once, by the process that accepts it. */
export function openDirectIntake(services: Services): Intake {
  const { pools, log } = services;
  return {
    results: record => createRecorder({ ...record(), ...services }),
    events: direct => direct,
    store: () => ({ [Symbol.asyncDispose]: async () => {} }),
    confirm: confirmations => sendConfirmations(sqlOf(pools.background), confirmations, log),
    subscribe: listening => listen({ connectionString: pools.connectionString, log, channels: listening }),
    isBehind: async () => false,
    // A commit takes so long at most as long as they are accepted.
    storedUntil: async (_, nowMs) => nowMs - commitMs,
    outlivesDatabase: false,
    [Symbol.asyncDispose]: async () => {},
  };
}
