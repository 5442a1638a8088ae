import type { SeriesStore } from '../db/series.ts';
import type { Sql } from '../db/sql.ts';
import { deleteExpiredEvents, deleteOldKeys, findRetentions } from './erase-store.ts';
import { deleteIdleIngestBuckets } from './limiter-store.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const keysAtOnce = 20_000;
const keyRounds = 50;

/**
 * Drops the spans that no plan keeps any more. `unrolledMs`: what arrived since then is not rolled up yet, so it stays,
 * however old.
 */
export async function dropExpiredEvents(
  sql: Sql,
  series: SeriesStore,
  nowMs: number,
  unrolledMs: number | null,
): Promise<string[]> {
  const retentions = await findRetentions(sql);
  if (retentions === null) return [];
  return series.dropBefore('events', Math.min(nowMs - retentions.longest * dayMs, unrolledMs ?? nowMs));
}

/** Deletes what shorter plans do not keep from spans that longer ones do: the work of one night. */
export async function deleteOfShorterPlans(sql: Sql, nowMs: number, unrolledMs: number | null): Promise<number> {
  const retentions = await findRetentions(sql);
  if (retentions === null || retentions.shortest === retentions.longest) return 0;
  const end = Math.min(nowMs - retentions.shortest * dayMs, unrolledMs ?? nowMs);
  let deleted = 0;
  for (let start = nowMs - retentions.longest * dayMs - weekMs; start < end; start += weekMs)
    deleted += await deleteExpiredEvents(sql, start, Math.min(start + weekMs, end), nowMs);
  return deleted;
}

/** Keys older than a day, and buckets that are full. */
export async function deleteIngestLeftovers(sql: Sql, nowMs: number): Promise<void> {
  for (
    let round = 0;
    round < keyRounds && (await deleteOldKeys(sql, nowMs - dayMs, keysAtOnce)) === keysAtOnce;
    round++
  );
  await deleteIdleIngestBuckets(sql);
}
