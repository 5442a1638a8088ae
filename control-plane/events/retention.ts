import type { SeriesStore } from '../db/series.ts';
import type { Sql } from '../db/sql.ts';
import { countBlocks, deleteExpiredEvents, deleteOldKeys, findRetentions } from './erase-store.ts';
import { deleteIdleIngestBuckets } from './limiter-store.ts';

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const keysAtOnce = 20_000;
const keyRounds = 50;
/** 80 MiB: far below the time a statement may take. */
const blocksAtOnce = 10_000;
/** How long past their retention events wait for a roll-up that fails: one project must not hold up all others for ever. */
export const unrolledPatienceMs = weekMs;

/**
 * Drops the spans that no plan keeps any more. `unrolledMs`: what arrived since then is not rolled up yet, so it stays,
 * a week longer.
 */
export async function dropExpiredEvents(
  sql: Sql,
  series: SeriesStore,
  nowMs: number,
  unrolledMs: number | null,
): Promise<string[]> {
  const retentions = await findRetentions(sql);
  if (retentions === null) return [];
  const cutMs = nowMs - retentions.longest * dayMs;
  return series.dropBefore('events', Math.min(cutMs, Math.max(unrolledMs ?? cutMs, cutMs - unrolledPatienceMs)));
}

/** Deletes what shorter plans do not keep from spans that longer ones do: the work of one night. */
export async function deleteOfShorterPlans(sql: Sql, nowMs: number, unrolledMs: number | null): Promise<number> {
  const retentions = await findRetentions(sql);
  if (retentions === null || retentions.shortest === retentions.longest) return 0;
  const end = nowMs - retentions.shortest * dayMs;
  const blocks = await countBlocks(sql);
  const kept = { nowMs, unrolledMs, patienceMs: unrolledPatienceMs };
  let deleted = 0;
  for (let start = nowMs - retentions.longest * dayMs - weekMs; start < end; start += weekMs)
    for (let firstBlock = 0; firstBlock < blocks; firstBlock += blocksAtOnce) {
      const piece = { fromMs: start, toMs: Math.min(start + weekMs, end), firstBlock };
      deleted += await deleteExpiredEvents(sql, { ...piece, endBlock: firstBlock + blocksAtOnce }, kept);
    }
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
