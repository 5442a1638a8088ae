import { dayMs } from '#shared/duration.ts';
import type { SeriesStore } from '../../platform/db/series/series.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { deleteIdleIngestBuckets } from '../../platform/project-limits/bucket-store.ts';
import { countBlocks, deleteExpiredEvents, deleteOldKeys, findRetentions } from './erase-store.ts';
import { deleteTalliesBefore } from './tally-store.ts';

const weekMs = 7 * dayMs;
const keysPerStatement = 20_000;
const keyRounds = 50;
/** 80 MiB: far below the time a statement may take. */
const blocksPerStatement = 10_000;
/**
 * How long past their retention events wait for a failing roll-up: one project must not delay retention for all
 * forever.
 */
export const unrolledPatienceMs = weekMs;

/**
 * Drops the partitions that no plan retains. `unrolledMs`: what arrived since then is not rolled up yet and stays up to
 * a week longer; null if everything is. Returns the names of the dropped partitions.
 */
export async function dropExpiredEvents(
  sql: Sql,
  series: SeriesStore,
  nowMs: number,
  unrolledMs: number | null,
): Promise<string[]> {
  const retentions = await findRetentions(sql);
  if (retentions === null) return [];
  const expiredMs = nowMs - retentions.longest * dayMs;
  const keepFromMs = Math.max(unrolledMs ?? expiredMs, expiredMs - unrolledPatienceMs);
  return series.dropBefore('events', Math.min(expiredMs, keepFromMs));
}

/**
 * Deletes events past shorter plans' retention from partitions that longer plans retain. One night's work; returns how
 * many.
 */
export async function deleteOfShorterPlans(sql: Sql, nowMs: number, unrolledMs: number | null): Promise<number> {
  const retentions = await findRetentions(sql);
  if (retentions === null || retentions.shortest === retentions.longest) return 0;
  const endMs = nowMs - retentions.shortest * dayMs;
  const blocks = await countBlocks(sql);
  const rule = { nowMs, unrolledMs, patienceMs: unrolledPatienceMs };
  let deleted = 0;
  for (let fromMs = nowMs - retentions.longest * dayMs - weekMs; fromMs < endMs; fromMs += weekMs)
    for (let firstBlock = 0; firstBlock < blocks; firstBlock += blocksPerStatement) {
      const range = { fromMs, toMs: Math.min(fromMs + weekMs, endMs), firstBlock };
      deleted += await deleteExpiredEvents(sql, { ...range, endBlock: firstBlock + blocksPerStatement }, rule);
    }
  return deleted;
}

/** Deletes dedup keys older than a day, at most a million a call, idle rate-limit buckets and counts of a day ago. */
export async function deleteIngestLeftovers(sql: Sql, nowMs: number): Promise<void> {
  for (let round = 0; round < keyRounds; round++)
    if ((await deleteOldKeys(sql, nowMs - dayMs, keysPerStatement)) < keysPerStatement) break;
  await deleteIdleIngestBuckets(sql);
  await deleteTalliesBefore(sql, nowMs - dayMs);
}
