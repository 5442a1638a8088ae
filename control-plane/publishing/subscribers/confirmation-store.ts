import { dayMs } from '#shared/duration.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import type { Confirmations } from './subscriber.ts';

/** Confirmation emails to one address in a day, of all pages together. */
const perDayMax = 5;

/** The confirmations sent to an address for a page, by the hash of both. */
export async function findConfirmations(sql: Sql, hash: Buffer): Promise<Confirmations> {
  const row = await sql.row<{ sent: number; last_sent_at: number }>`
    select sent, last_sent_at
    from confirmation_counts
    where address_hash = ${hash}`;
  return { sent: row?.sent ?? 0, lastSentAt: row?.last_sent_at ?? null };
}

/** Counts a confirmation for an address and page. */
export async function countConfirmation(sql: Sql, hash: Buffer, nowMs: number): Promise<void> {
  const now = instant(nowMs);
  await sql.run`
    insert into confirmation_counts as c (address_hash, sent, since, last_sent_at)
    values (${hash}, 1, ${now}, ${now})
    on conflict (address_hash) do update
    set sent = c.sent + 1, last_sent_at = excluded.last_sent_at`;
}

/** Takes one of the day's confirmations of an address, by the hash of the address alone. False if none is left. */
export async function takeOfDay(sql: Sql, hash: Buffer, nowMs: number): Promise<boolean> {
  const [now, dayAgo] = [instant(nowMs), instant(nowMs - dayMs)];
  const count = await sql.run`
    insert into confirmation_counts as c (address_hash, sent, since, last_sent_at)
    values (${hash}, 1, ${now}, ${now})
    on conflict (address_hash) do update
    set sent = case when c.since <= ${dayAgo} then 1 else c.sent + 1 end,
      since = case when c.since <= ${dayAgo} then excluded.since else c.since end,
      last_sent_at = excluded.last_sent_at
    where c.since <= ${dayAgo}
      or c.sent < ${perDayMax}`;
  return count === 1;
}

/** Forgets addresses that were last asked before a time. */
export async function deleteConfirmationsBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`
    delete from confirmation_counts
    where last_sent_at < ${instant(beforeMs)}`;
}
