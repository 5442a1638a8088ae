import type { Logger } from '#shared/log.ts';
import type { GroupCommit } from '../../platform/db/commit-queue.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import { commitByBisection, commitWithRetry } from '../../platform/resilience/commit-retry.ts';
import { warnThrottled } from '../../platform/resilience/throttled-warning.ts';
import { type DeliveryChannel, type Settlement, storedName } from './delivery.ts';
import { type EndedAttempt, type SettledAttempt, settleDeliveries } from './settle-store.ts';

/** Records the outcomes of a channel's attempts, those of many together. */
export type Settler = GroupCommit<EndedAttempt, SettledAttempt>;

/** Of a delivery whose own outcome the database does not take. */
const unrecorded: Settlement = {
  state: 'failed',
  error: 'the result could not be recorded',
  retryInMs: null,
  blame: false,
  gone: false,
};
const unsettled: SettledAttempt = { settled: false, released: true, more: false };

export function createSettler(
  { sql, log, metrics }: { sql: Sql; log: Logger; metrics: Metrics },
  name: DeliveryChannel,
): Settler {
  const warn = warnThrottled(log, 'could not record the results of deliveries', { channel: storedName(name) });
  return createGroupCommit<EndedAttempt, SettledAttempt>({
    batchMax: 100,
    queuedMax: 1000,
    concurrency: 1,
    commit: (attempts, ending) => {
      const commit = (some: readonly EndedAttempt[]) =>
        commitWithRetry(() => settleDeliveries(sql, some), {
          unknownErrorRetries: some.length === 1 ? 3 : 1,
          blamesDefects: some.length > 1,
          signal: ending,
          onFailure: error => {
            warn(error);
            metrics.failures.inc({ work: 'deliveries' });
          },
        });
      // One that cannot be recorded must not bring it about that the others are sent twice, nor be sent for ever.
      const commitEach = async (some: readonly EndedAttempt[]) => {
        const settled = await commit(some);
        if (settled !== null || some.length > 1) return settled;
        return settleDeliveries(
          sql,
          some.map(given => ({ ...given, settlement: unrecorded })),
        ).catch(() => null);
      };
      return commitByBisection(attempts, commitEach, unsettled);
    },
    refusal: () => new Error('the notifier was stopped'),
  });
}
