import { newId } from '#shared/ids.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { type SubscriberChannel, storedChannels } from './address.ts';
import { sealSecret, sealSubscriber } from './sealed.ts';
import { failuresMax, newToken, type SubscriberState } from './subscriber.ts';

/** A subscriber; `sealed.ts` opens its address, token and secret. `failures` counts consecutive failed deliveries. */
export type SubscriberRow = {
  id: string;
  project_id: string;
  status_page_id: string;
  channel: SubscriberChannel;
  sealed_address: Buffer;
  component_ids: string[];
  state: SubscriberState;
  consent: string | null;
  sealed_secret: Buffer | null;
  sealed_token: Buffer;
  confirmation_sent_at: number | null;
  failures: number;
  created_at: number;
  confirmed_at: number | null;
  /** Why it is in its state, where that is not evident. */
  state_reason: string | null;
};

const columns = fragment`
  id, project_id, status_page_id, created_at, confirmed_at, state_reason,
  case channel when 'slack_webhook' then 'slack' when 'teams_webhook' then 'teams' else channel end as channel,
  sealed_address, component_ids, state, consent, sealed_secret, sealed_token, confirmation_sent_at, failures`;

/** `hash` finds the address again, since it is stored sealed. */
export type NewSubscriber = {
  projectId: string;
  statusPageId: string;
  channel: SubscriberChannel;
  address: string;
  hash: Buffer;
  componentIds: readonly string[];
  state: SubscriberState;
  consent: string | null;
  secret: string | null;
  /** Its recipient was not asked by us, and the answers are watched. */
  imported?: boolean;
  /** Typed in on the public page. */
  byVisitor?: boolean;
};

/** Returns the ids of the subscribers added; addresses that the page has already are left unchanged. */
export async function insertSubscribers(
  sql: Sql,
  keyring: Keyring,
  subscribers: readonly NewSubscriber[],
  nowMs: number,
): Promise<string[]> {
  const rows = subscribers.map(subscriber => toInsert(subscriber, keyring, nowMs));
  const added = await sql.rows<{ id: string }>`
    insert into subscribers (
      id, project_id, status_page_id, channel, sealed_address, address_hash, component_ids, state, consent,
      sealed_secret, sealed_token, token_hash, created_at, confirmed_at, ended_at,
      imported_at, by_visitor
    )
    select
      id, project_id, status_page_id, channel, decode(sealed_address, 'hex'), decode(address_hash, 'hex'),
      component_ids, state, consent, decode(sealed_secret, 'hex'), decode(sealed_token, 'hex'),
      decode(token_hash, 'hex'), ${instant(nowMs)}::timestamptz,
      case when state = 'active' then ${instant(nowMs)}::timestamptz end,
      case when state in ('unsubscribed', 'quarantined') then ${instant(nowMs)}::timestamptz end,
      case when imported then ${instant(nowMs)}::timestamptz end,
      by_visitor
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as new (
      id text, project_id text, status_page_id text, channel text, sealed_address text, address_hash text,
      component_ids text[], state text, consent text, sealed_secret text, sealed_token text, token_hash text,
      imported boolean, by_visitor boolean
    )
    on conflict (status_page_id, channel, address_hash) do nothing
    returning id`;
  return added.map(row => row.id);
}

/** Locks the subscriber with this address; null when the page has none. */
export async function lockByAddress(
  sql: Sql,
  statusPageId: string,
  channel: SubscriberChannel,
  hash: Buffer,
): Promise<SubscriberRow | null> {
  return sql.row<SubscriberRow>`
    select ${columns}
    from subscribers
    where status_page_id = ${statusPageId}
      and channel = ${storedChannels[channel]}
      and address_hash = ${hash}
    for update`;
}

/** Null leaves a field unchanged. */
export type SubscriptionChange = {
  state: SubscriberState;
  componentIds: readonly string[] | null;
  consent: string | null;
  secret: string | null;
  /** Becomes active by consent that somebody else states. */
  imported?: boolean;
};

/**
 * Changes a subscriber that subscribes again. A new state resets the failures. One that stays active is watched as
 * before: only its owner proves that it is wanted.
 */
export async function renewSubscriber(
  sql: Sql,
  keyring: Keyring,
  id: string,
  { state, componentIds, consent, secret, imported = false }: SubscriptionChange,
  nowMs: number,
): Promise<void> {
  const sealed = secret === null ? null : sealSecret(id, secret, keyring);
  await sql.run`
    update subscribers
    set state = ${state},
      component_ids = coalesce(${componentIds}::text[], component_ids),
      consent = coalesce(${consent}, consent),
      sealed_secret = coalesce(${sealed}, sealed_secret),
      failures = case when state = ${state} then failures else 0 end,
      ended_at = null,
      state_reason = null,
      imported_at = case
        when ${imported} then ${instant(nowMs)}::timestamptz
        when state = 'active' and ${state} = 'active' then imported_at
      end,
      confirmed_at = case
        when ${state} = 'active' then
          coalesce(case when state = 'active' then confirmed_at end, ${instant(nowMs)}::timestamptz)
      end
    where id = ${id}`;
}

export async function markConfirmationSent(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run`
    update subscribers
    set confirmation_sent_at = ${instant(nowMs)}
    where id = ${id}`;
}

/** Null when there is no such subscriber. */
export async function findSubscriber(sql: Sql, id: string): Promise<SubscriberRow | null> {
  return sql.row<SubscriberRow>`
    select ${columns}
    from subscribers
    where id = ${id}`;
}

/** Null when the page has no such subscriber. */
export async function lockSubscriber(sql: Sql, statusPageId: string, id: string): Promise<SubscriberRow | null> {
  return sql.row<SubscriberRow>`
    select ${columns}
    from subscribers
    where status_page_id = ${statusPageId}
      and id = ${id}
    for update`;
}

/** Subscribers with these ids; deleted ones are missing. */
export async function findSubscribers(sql: Sql, ids: readonly string[]): Promise<SubscriberRow[]> {
  return sql.rows<SubscriberRow>`
    select ${columns}
    from subscribers
    where id = any(${ids}::text[])`;
}

/** Newest first. Reads one row more than the page shows. */
export async function listSubscribers(sql: Sql, statusPageId: string, page: Page): Promise<SubscriberRow[]> {
  return sql.rows<SubscriberRow>`
    select ${columns}
    from subscribers
    where status_page_id = ${statusPageId}
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** False when the page has no such subscriber. */
export async function deleteSubscriber(sql: Sql, statusPageId: string, id: string): Promise<boolean> {
  const count = await sql.run`
    delete from subscribers
    where status_page_id = ${statusPageId}
      and id = ${id}`;
  return count === 1;
}

/** Counts a failed delivery. `failuresMax` in a row, or a recipient that is `gone`, quarantines the subscriber. */
export async function countFailure(sql: Sql, id: string, gone: boolean, nowMs: number): Promise<void> {
  await sql.run`
    update subscribers
    set failures = failures + 1,
      state = case when ${gone} or failures + 1 >= ${failuresMax} then 'quarantined' else state end,
      ended_at = case when ${gone} or failures + 1 >= ${failuresMax} then ${instant(nowMs)}::timestamptz end
    where id = ${id}
      and state = 'active'`;
}

/** After a success. */
export async function resetFailures(sql: Sql, id: string): Promise<void> {
  await sql.run`
    update subscribers
    set failures = 0
    where id = ${id}
      and failures > 0`;
}

/** Deletes addresses whose owner did not confirm, since we may not keep them; some were asked often enough before. */
export async function deleteUnconfirmed(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run`
    delete from subscribers
    where state = 'pending'
      and coalesce(confirmation_sent_at, created_at) < ${instant(beforeMs)}`;
}

function toInsert(subscriber: NewSubscriber, keyring: Keyring, nowMs: number) {
  const id = newId('sub', nowMs);
  const { token, hash } = newToken();
  const sealed = sealSubscriber(id, { ...subscriber, token }, keyring);
  return {
    id,
    project_id: subscriber.projectId,
    status_page_id: subscriber.statusPageId,
    channel: storedChannels[subscriber.channel],
    sealed_address: hex(sealed.address),
    address_hash: hex(subscriber.hash),
    component_ids: subscriber.componentIds,
    state: subscriber.state,
    consent: subscriber.consent,
    sealed_secret: sealed.secret === null ? null : hex(sealed.secret),
    sealed_token: hex(sealed.token),
    token_hash: hex(hash),
    imported: subscriber.imported ?? false,
    by_visitor: subscriber.byVisitor ?? false,
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
