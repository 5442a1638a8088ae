import { type Clock, toTimestamp } from '#shared/clock.ts';
import { secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import type { Pools } from './db/pool.ts';
import { sqlOf } from './db/sql.ts';
import { findOldestUndone } from './facts/store.ts';
import type { Metrics } from './http/metrics.ts';
import { countSharedOpen } from './notices/store.ts';
import { listLongestWaits } from './notifications/queue-store.ts';
import { findSendingHold } from './notifications/sending-store.ts';

type BacklogServices = { pools: Pools; clock: Clock; log: Logger; metrics: Metrics };

/** Measures how long facts and deliveries wait, and counts the notices that nobody gets. */
export async function watchBacklog({ pools, clock, metrics }: BacklogServices): Promise<void> {
  const sql = sqlOf(pools.background);
  const now = clock.now();
  const secondsSince = (atMs: number) => Math.max(0, now - atMs) / secondMs;
  metrics.factsWaiting.set(secondsSince((await findOldestUndone(sql)) ?? now));
  const waits = await listLongestWaits(sql, now);
  // A channel whose last delivery is sent has no row.
  metrics.deliveriesWaiting.reset();
  for (const { channel, due_at } of waits) metrics.deliveriesWaiting.set({ channel }, secondsSince(due_at));
  metrics.sharedNotices.reset();
  for (const { kind, count } of await countSharedOpen(sql)) metrics.sharedNotices.set({ kind }, count);
}

/** Reminds of sending that is paused. */
export async function watchSending({ pools, log, metrics }: BacklogServices): Promise<void> {
  const hold = await findSendingHold(sqlOf(pools.background));
  metrics.sendingPaused.set(hold === null ? 0 : 1);
  if (hold === null) return;
  const since = toTimestamp(hold.since);
  log.warn({ since, reason: hold.reason }, 'sending is paused: it waits for `npm run admin -- sending resume`');
}
