import { dayOf } from '#shared/duration.ts';
import type { Confirmation } from '#shared/vocabulary.ts';
import type { SeriesStore } from '../../../platform/db/series/series.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import type { RefusalReason } from './accept.ts';
import type { AskedChecks } from './asked-checks.ts';
import { prepareBatch, type Reported } from './prepare.ts';
import { rulesOf } from './rules-of.ts';
import { type InSameTransaction, type StoreServices, storeBatch } from './store-batch.ts';
import type { VersionBook } from './version-book.ts';

/** The refusal of each result in order, null if it is stored now or was before; `stored` counts the new ones. */
export type Recorded = { refusals: (RefusalReason | null)[]; stored: number };

export type RecordServices = StoreServices & {
  series: SeriesStore;
  versions: VersionBook;
  asked: AskedChecks;
  /** Asks other regions to check at once, after the commit. Must not throw. */
  confirm(confirmations: readonly Confirmation[]): Promise<void>;
};

/**
 * Stores a batch once, judges the new results, and returns after the commit. Throws the database's error; then nothing
 * of the batch is stored.
 */
export async function recordResults(
  services: RecordServices,
  reported: readonly Reported[],
  nowMs: number,
  alongside?: InSameTransaction,
): Promise<Recorded> {
  const versions = await rulesOf(services, reported);
  const { refusals, accepted } = prepareBatch(reported, versions, services.asked, nowMs);
  if (accepted.length === 0) {
    if (alongside !== undefined) await transaction(services.pool, alongside);
    return { refusals, stored: 0 };
  }
  const scheduled = accepted.map(({ result }) => result.scheduled_at);
  await services.series.ensure('check_results', scheduled);
  await services.series.ensure('checks_hourly', scheduled);
  await services.series.ensure('check_shapes', scheduled.map(dayOf));
  const done = await storeBatch(services, accepted, nowMs, alongside);
  services.templates.remember(done.templates);
  services.states.keep(done.written, done.ownVersion);
  for (const { index } of done.excess) refusals[index] = 'too_many';
  await services.confirm(done.confirmations);
  return { refusals, stored: done.stored };
}
