import { instant, type Sql } from '../../platform/db/sql.ts';
import type { PageSettings } from '../status-pages/publish/page-model.ts';
import { type StatusPageRow, statusPageColumns, toSettings } from '../status-pages/store.ts';
import type { SubscriberState } from './subscriber.ts';

/** What the token in a subscriber's links finds and does. Tokens are stored as hashes: see `hashToken`. */

/** Null when no subscriber of the page has the token. */
export async function findByToken(
  sql: Sql,
  statusPageId: string,
  hash: Buffer,
): Promise<{ id: string; state: SubscriberState } | null> {
  return sql.row`
    select id, state
    from subscribers
    where status_page_id = ${statusPageId}
      and token_hash = ${hash}`;
}

/** The page of a token, in any project and under its current slug; null when the token or its page is gone. */
export async function findPageOfToken(sql: Sql, hash: Buffer): Promise<(PageSettings & { projectId: string }) | null> {
  const row = await sql.row<StatusPageRow>`
    select ${statusPageColumns}
    from status_pages
    where deleted_at is null
      and id in (select status_page_id from subscribers where token_hash = ${hash})`;
  return row === null ? null : toSettings(row);
}

/**
 * Activates the token's subscriber if it is pending. Returns its state; null when no subscriber of the page has the
 * token.
 */
export async function confirmByToken(
  sql: Sql,
  statusPageId: string,
  hash: Buffer,
  nowMs: number,
): Promise<SubscriberState | null> {
  await activatePending(sql, statusPageId, hash, nowMs);
  return (await findByToken(sql, statusPageId, hash))?.state ?? null;
}

/**
 * Unsubscribes the token's subscriber, again or not. Returns its id; null when no subscriber of the page has the token.
 */
export async function unsubscribeByToken(
  sql: Sql,
  statusPageId: string,
  hash: Buffer,
  nowMs: number,
): Promise<string | null> {
  const row = await sql.row<{ id: string }>`
    update subscribers
    set ended_at = case when state = 'unsubscribed' then ended_at else ${instant(nowMs)}::timestamptz end,
      state = 'unsubscribed'
    where status_page_id = ${statusPageId}
      and token_hash = ${hash}
    returning id`;
  return row?.id ?? null;
}

async function activatePending(sql: Sql, statusPageId: string, hash: Buffer, nowMs: number): Promise<void> {
  await sql.run`
    update subscribers
    set state = 'active',
      confirmed_at = ${instant(nowMs)},
      failures = 0,
      ended_at = null,
      state_reason = null,
      imported_at = null,
      consent = coalesce(consent, 'confirmed by email')
    where status_page_id = ${statusPageId}
      and token_hash = ${hash}
      and state = 'pending'`;
}
