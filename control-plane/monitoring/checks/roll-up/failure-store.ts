import { integers, texts } from '../../../platform/db/binary-array.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { failureReason } from '../storage/failure-reason.ts';
import type { NewResult } from '../storage/insert-store.ts';
import type { CountedResult } from './hour-buckets.ts';

/** Failed checks of a monitor in a region with one reason. */
type FailureCount = { monitorId: string; region: string; reason: string; failures: number };

/** What the roll-ups need of a result. `warnOn`: indexes of the assertions that only warn; none if left out. */
export type CountedFailure = CountedResult & Pick<NewResult, 'error' | 'assertions'> & { warnOn?: readonly number[] };

/** Pure: failures of a batch by monitor, region and reason. */
function countFailures(results: readonly CountedFailure[]): FailureCount[] {
  const counts = new Map<string, FailureCount>();
  for (const result of results) {
    if (result.status !== 'err') continue;
    const reason = failureReason(result);
    const key = `${result.monitor_id} ${result.region} ${reason}`;
    const count = counts.get(key);
    if (count !== undefined) count.failures += 1;
    else counts.set(key, { monitorId: result.monitor_id, region: result.region, reason, failures: 1 });
  }
  return [...counts.values()];
}

/** Counts the failures of new results. The states of the monitors must be locked. */
export async function addFailures(sql: Sql, results: readonly CountedFailure[]): Promise<void> {
  const counts = countFailures(results);
  if (counts.length === 0) return;
  await sql.run`
    insert into check_failures as known (monitor_id, region, reason, failures)
    select monitor_id, region, reason, failures
    from unnest(
      ${texts(counts.map(count => count.monitorId))}::text[],
      ${texts(counts.map(count => count.region))}::text[],
      ${texts(counts.map(count => count.reason))}::text[],
      ${integers(counts.map(count => count.failures))}::integer[]
    ) as counted (monitor_id, region, reason, failures)
    on conflict (monitor_id, region, reason) do update
    set failures = known.failures + excluded.failures`;
}

/** The failures of monitors of all time, also in regions that they have left. */
export function listFailures(sql: Sql, monitorIds: readonly string[]): Promise<FailureCount[]> {
  return sql.rows<FailureCount>`
    select f.monitor_id as "monitorId", f.region, f.reason, f.failures
    from unnest(${monitorIds}::text[]) as wanted (id)
    join check_failures f on f.monitor_id = wanted.id
    order by f.monitor_id, f.region, f.reason`;
}

/** Deletes the counts of whole monitors. */
export async function deleteFailuresOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`delete from check_failures where monitor_id = any(${monitorIds}::text[])`;
}
