import { setTimeout as wait } from 'node:timers/promises';
import { fullJitter } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { classifyFault } from '../db/errors.ts';
import type { Metrics } from '../http/metrics.ts';
import type { RefusalReason } from './accept.ts';
import { type RecordServices, type Reported, recordResults } from './record.ts';

/** Results of all sessions in group commits: what waits while one transaction runs goes together in the next. */
export type Recorder = {
  /** Resolves after the commit. It waits while the database is away; it rejects only when the recorder stops. */
  record(reported: readonly Reported[]): Promise<(RefusalReason | null)[]>;
  /** True when sessions should stop reading until `drained`. */
  full(): boolean;
  drained(): Promise<void>;
  /** Commits what waits, for at most the time given, then refuses the rest: it is in the agents' spools. */
  stop(withinMs: number): Promise<void>;
};

const batchMax = 1000;
const queuedMax = 20_000;
const writers = 2;
/** About a minute of errors that are neither the server's absence nor the data. */
const strangeErrorsMax = 60;

type RecorderServices = RecordServices & { clock: Clock; log: Logger; metrics: Metrics };

type Waiting = {
  reported: readonly Reported[];
  resolve(refusals: (RefusalReason | null)[]): void;
  reject(error: Error): void;
};

export function createRecorder(services: RecorderServices): Recorder {
  const queue: Waiting[] = [];
  let queued = 0;
  let busy = 0;
  let stopping = false;
  const abort = new AbortController();
  let drainWaiters: (() => void)[] = [];

  const take = (): Waiting[] => {
    const taken: Waiting[] = [];
    let size = 0;
    for (
      let next = queue[0];
      next !== undefined && (taken.length === 0 || size + next.reported.length <= batchMax);
      next = queue[0]
    ) {
      taken.push(next);
      size += next.reported.length;
      queue.shift();
    }
    return taken;
  };

  const commit = async (taken: readonly Waiting[]): Promise<void> => {
    const reported = taken.flatMap(one => one.reported);
    const startedAt = performance.now();
    const refusals = await recordPersistently(services, reported, abort.signal);
    services.metrics.recordSeconds.observe((performance.now() - startedAt) / 1000);
    let place = 0;
    for (const one of taken) {
      one.resolve(refusals.slice(place, place + one.reported.length));
      place += one.reported.length;
    }
  };

  const run = async (): Promise<void> => {
    busy += 1;
    for (let taken = take(); taken.length > 0; taken = take()) {
      const size = taken.reduce((sum, one) => sum + one.reported.length, 0);
      await commit(taken).catch(error => {
        for (const one of taken) one.reject(error as Error);
      });
      queued -= size;
      services.metrics.queue.set(queued);
      if (queued < queuedMax / 2) for (const resolve of drainWaiters.splice(0)) resolve();
    }
    busy -= 1;
  };

  return {
    record: reported =>
      new Promise((resolve, reject) => {
        if (stopping) return reject(new Error('the recorder is stopping'));
        queue.push({ reported, resolve, reject });
        queued += reported.length;
        services.metrics.queue.set(queued);
        if (busy < writers) void run();
      }),
    full: () => queued >= queuedMax,
    drained: () =>
      new Promise(resolve => {
        if (queued < queuedMax) resolve();
        else drainWaiters.push(resolve);
      }),
    stop: async withinMs => {
      stopping = true;
      const deadline = performance.now() + withinMs;
      while (busy > 0 && performance.now() < deadline) await wait(10);
      abort.abort();
      drainWaiters.forEach(resolve => {
        resolve();
      });
      drainWaiters = [];
    },
  };
}

/**
 * Tries until the batch is committed. Data that the database refuses is looked for by halves, so that one bad result is
 * refused alone; any other error is not the results' fault and is tried again, for a minute before they are looked at too.
 */
async function recordPersistently(
  services: RecorderServices,
  reported: readonly Reported[],
  signal: AbortSignal,
): Promise<(RefusalReason | null)[]> {
  for (let failures = 0; ; failures++) {
    try {
      return await recordOnce(services, reported);
    } catch (error) {
      if (signal.aborted) throw error;
      const fault = classifyFault(error);
      const blamed = fault === 'data' || (fault === 'other' && failures >= strangeErrorsMax);
      if (blamed || failures === 0)
        services.log.error({ err: error, results: reported.length, fault }, 'results could not be stored');
      if (blamed && reported.length === 1) return ['malformed'];
      if (blamed) return recordHalves(services, reported, signal);
      await wait(100 + fullJitter(failures, 100, 2000, Math.random()), undefined, { signal });
    }
  }
}

async function recordOnce(
  services: RecorderServices,
  reported: readonly Reported[],
): Promise<(RefusalReason | null)[]> {
  const { refusals, stored } = await recordResults(services, reported, services.clock.now());
  const refused = refusals.filter(reason => reason !== null).length;
  services.metrics.results.inc({ outcome: 'stored' }, stored);
  services.metrics.results.inc({ outcome: 'refused' }, refused);
  services.metrics.results.inc({ outcome: 'known' }, reported.length - refused - stored);
  return refusals;
}

async function recordHalves(
  services: RecorderServices,
  reported: readonly Reported[],
  signal: AbortSignal,
): Promise<(RefusalReason | null)[]> {
  const half = Math.ceil(reported.length / 2);
  const first = await recordPersistently(services, reported.slice(0, half), signal);
  return [...first, ...(await recordPersistently(services, reported.slice(half), signal))];
}
