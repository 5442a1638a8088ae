import type { TestFn } from 'ava';
import { createPools, type Pools, waits } from '#control-plane/platform/db/pool.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';
import { createLog } from '#shared/log.ts';
import { patienceMs } from './patience.ts';

const ofProduct = { ...waits };
const patient = {
  connectMs: patienceMs,
  lockMs: 10 * secondMs,
  idleMs: minuteMs,
  longIdleMs: minuteMs,
  silenceMs: minuteMs,
};

// Pools of this process wait for a busy server, where the product would answer 503.
Object.assign(waits, patient);

/** In this test file pools wait for as long as outside of tests. */
export function useWaitsOfProduct<Context>(test: TestFn<Context>): void {
  test.before(() => void Object.assign(waits, ofProduct));
  test.after.always(() => void Object.assign(waits, patient));
}

/** Pools of a test's own, that say nothing. */
export function patientPools(databaseUrl: string, name?: string): Pools {
  return createPools(databaseUrl, createLog({ name: 'test', level: 'silent' }), name);
}

/** The same, that wait for as long as outside of tests. */
export function hurriedPools(databaseUrl: string): Pools {
  const before = { ...waits };
  Object.assign(waits, ofProduct);
  try {
    return patientPools(databaseUrl);
  } finally {
    Object.assign(waits, before);
  }
}
