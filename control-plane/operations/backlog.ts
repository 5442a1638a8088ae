import { toTimestamp } from '#shared/clock.ts';
import { secondMs } from '#shared/duration.ts';
import { listLongestWaits } from '../delivery/notifications/queue-store.ts';
import { findSendingPause } from '../delivery/notifications/sending-store.ts';
import { countSharedOpen } from '../monitoring/notices/store.ts';
import { sqlOf } from '../platform/db/sql.ts';
import { findOldestUndone } from '../platform/facts/store.ts';
import type { Services } from '../platform/services.ts';

/** Measures how long facts and deliveries wait, and counts the notices that nobody gets. */
export async function watchBacklog({ pools, clock, metrics }: Services): Promise<void> {
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
export async function watchSending({ pools, log, metrics }: Services): Promise<void> {
  const hold = await findSendingPause(sqlOf(pools.background));
  metrics.sendingPaused.set(hold === null ? 0 : 1);
  if (hold === null) return;
  const since = toTimestamp(hold.since);
  log.warn({ since, reason: hold.reason }, 'sending is paused: it waits for `npm run admin -- sending resume`');
}
