import { type Clock, toTimestamp } from '#shared/clock.ts';
import { secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { listLongestWaits } from '../delivery/notifications/queue-store.ts';
import { findSendingHold } from '../delivery/notifications/sending-store.ts';
import { countSharedOpen } from '../monitoring/notices/store.ts';
import type { Pools } from '../platform/db/pool.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { findOldestUndone } from '../platform/facts/store.ts';
import type { Metrics } from '../platform/http/metrics.ts';

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
