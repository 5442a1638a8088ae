import type pg from 'pg';
import type { Counter } from 'prom-client';
import type { Logger } from '#shared/log.ts';
import type { Pools } from '../db/pool.ts';
import { warnThrottled } from '../resilience/throttled-warning.ts';
import type { Item, Work } from './failure.ts';

/** Counts failures of items, and logs one a minute of each loop. */
export type FailureReporter = { report(item: Pick<Item, 'work' | 'id' | 'projectId'>, error: unknown): void };

const reporters = new WeakMap<pg.Pool, FailureReporter>();
const silent: FailureReporter = { report: () => {} };

/** `log` and `failures`: where failures of items are written and counted. */
export function createFailureReporter(log: Logger, failures: Counter<'work'>): FailureReporter {
  const warnings = new Map<Work, ReturnType<typeof warnThrottled>>();
  const errors = { warn: log.error.bind(log) as Logger['warn'] };
  return {
    report: ({ work, id, projectId }, error) => {
      failures.inc({ work });
      const warn = warnings.get(work) ?? warnThrottled(errors, 'one item failed; the others went on', { work });
      warnings.set(work, warn);
      warn(error, { item: id, project: projectId });
    },
  };
}

/** From now on failures of items in transactions of these pools go to the reporter. */
export function reportFailuresOf(pools: Pools, reporter: FailureReporter): void {
  const { front, api, reports, ingest, background, health } = pools;
  for (const pool of [front, api, reports, ingest, background, health]) reporters.set(pool, reporter);
}

export function reporterOf(pool: pg.Pool): FailureReporter {
  return reporters.get(pool) ?? silent;
}
