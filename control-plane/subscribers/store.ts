import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { PageSettings } from '../status-pages/page-model.ts';
import { type StatusPageRow, toSettings } from '../status-pages/store.ts';
import type { SubscriberChannel } from './address.ts';
import { failuresMax, newToken, type SubscriberState, type SubscriberView } from './subscriber.ts';

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
};

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
};

/** Ids of those that were not known on the page yet; the others are left as they are. */
export async function insertSubscribers(
  sql: Sql,
  keyring: Keyring,
  subscribers: readonly NewSubscriber[],
  nowMs: number,
): Promise<string[]> {
  const rows = subscribers.map(subscriber => {
    const id = newId('sub', nowMs);
    const { token, hash } = newToken();
    const { secret } = subscriber;
    return {
      id,
      project_id: subscriber.projectId,
      status_page_id: subscriber.statusPageId,
      channel: subscriber.channel,
      sealed_address: hex(keyring.seal(subscriber.address, addressContext(id))),
      address_hash: hex(subscriber.hash),
      component_ids: subscriber.componentIds,
      state: subscriber.state,
      consent: subscriber.consent,
      sealed_secret: secret === null ? null : hex(keyring.seal(secret, secretContext(id))),
      sealed_token: hex(keyring.seal(token, tokenContext(id))),
      token_hash: hex(hash),
    };
  });
  const added = await sql.rows<{ id: string }>(
    `insert into subscribers (id, project_id, status_page_id, channel, sealed_address, address_hash, component_ids, state, consent,
       sealed_secret, sealed_token, token_hash, created_at, confirmed_at)
     select id, project_id, status_page_id, channel, decode(sealed_address, 'hex'), decode(address_hash, 'hex'), component_ids, state, consent,
       decode(sealed_secret, 'hex'), decode(sealed_token, 'hex'), decode(token_hash, 'hex'), $2, case when state = 'active' then $2::timestamptz end
     from jsonb_to_recordset($1::jsonb) as new (id text, project_id text, status_page_id text, channel text, sealed_address text, address_hash text,
       component_ids text[], state text, consent text, sealed_secret text, sealed_token text, token_hash text)
     on conflict (status_page_id, channel, address_hash) do nothing returning id`,
    [JSON.stringify(rows), instant(nowMs)],
  );
  return added.map(row => row.id);
}

/** Locks the subscriber with this address. */
export async function lockByAddress(
  sql: Sql,
  statusPageId: string,
  channel: SubscriberChannel,
  hash: Buffer,
): Promise<SubscriberRow | null> {
  return sql.row<SubscriberRow>(
    'select * from subscribers where status_page_id = $1 and channel = $2 and address_hash = $3 for update',
    [statusPageId, channel, hash],
  );
}

/** A subscriber that enters again; `componentIds` and `secret` are kept when null. */
export async function renewSubscriber(
  sql: Sql,
  keyring: Keyring,
  id: string,
  change: {
    state: SubscriberState;
    componentIds: readonly string[] | null;
    consent: string | null;
    secret: string | null;
  },
  nowMs: number,
): Promise<void> {
  const sealed = change.secret === null ? null : keyring.seal(change.secret, secretContext(id));
  await sql.run(
    `update subscribers set state = $2, component_ids = coalesce($3::text[], component_ids), consent = coalesce($4, consent),
       sealed_secret = coalesce($5, sealed_secret), failures = case when state = $2 then failures else 0 end, ended_at = null,
       confirmed_at = case when $2 = 'active' then coalesce(case when state = 'active' then confirmed_at end, $6::timestamptz) end
     where id = $1`,
    [id, change.state, change.componentIds, change.consent, sealed, instant(nowMs)],
  );
}

export async function markConfirmationSent(sql: Sql, id: string, nowMs: number): Promise<void> {
  await sql.run('update subscribers set confirmation_sent_at = $2 where id = $1', [id, instant(nowMs)]);
}

/** Activates who holds the token and was asked. The state afterwards, or null when nobody of the page holds it. */
export async function confirmByToken(
  sql: Sql,
  statusPageId: string,
  hash: Buffer,
  nowMs: number,
): Promise<SubscriberState | null> {
  await sql.run(
    `update subscribers set state = 'active', confirmed_at = $3, failures = 0, ended_at = null, consent = coalesce(consent, 'confirmed by mail')
     where status_page_id = $1 and token_hash = $2 and state = 'pending'`,
    [statusPageId, hash, instant(nowMs)],
  );
  return (await findByToken(sql, statusPageId, hash))?.state ?? null;
}

/** Id of who left, again or not; null when nobody of the page holds the token. */
export async function unsubscribeByToken(
  sql: Sql,
  statusPageId: string,
  hash: Buffer,
  nowMs: number,
): Promise<string | null> {
  const row = await sql.row<{ id: string }>(
    `update subscribers set state = 'unsubscribed', ended_at = case when state = 'unsubscribed' then ended_at else $3::timestamptz end
     where status_page_id = $1 and token_hash = $2 returning id`,
    [statusPageId, hash, instant(nowMs)],
  );
  return row?.id ?? null;
}

export async function findByToken(sql: Sql, statusPageId: string, hash: Buffer): Promise<SubscriberRow | null> {
  return sql.row<SubscriberRow>('select * from subscribers where status_page_id = $1 and token_hash = $2', [
    statusPageId,
    hash,
  ]);
}

/** The page of a token, of whatever project, under whatever slug it has by now; null when nobody holds the token. */
export async function findPageOfToken(sql: Sql, hash: Buffer): Promise<(PageSettings & { projectId: string }) | null> {
  const row = await sql.row<StatusPageRow>(
    'select p.* from subscribers s join status_pages p on p.id = s.status_page_id where s.token_hash = $1 and p.deleted_at is null',
    [hash],
  );
  return row === null ? null : toSettings(row);
}

export async function findSubscriber(sql: Sql, id: string): Promise<SubscriberRow | null> {
  return sql.row<SubscriberRow>('select * from subscribers where id = $1', [id]);
}

/** Those of these ids that are still there. */
export async function findSubscribers(sql: Sql, ids: readonly string[]): Promise<SubscriberRow[]> {
  return sql.rows<SubscriberRow>('select * from subscribers where id = any($1::text[])', [ids]);
}

/** Newest first. */
export async function listSubscribers(sql: Sql, statusPageId: string, page: Page): Promise<SubscriberRow[]> {
  return sql.rows<SubscriberRow>(
    `select * from subscribers where status_page_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
     order by created_at desc, id desc limit $4`,
    [statusPageId, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
}

export async function deleteSubscriber(sql: Sql, statusPageId: string, id: string): Promise<boolean> {
  return (await sql.run('delete from subscribers where status_page_id = $1 and id = $2', [statusPageId, id])) === 1;
}

/** Counts a delivery that failed for good; the last of too many in a row, or `gone`, ends all. */
export async function countFailure(sql: Sql, id: string, gone: boolean, nowMs: number): Promise<void> {
  await sql.run(
    `update subscribers set failures = failures + 1,
       state = case when $2 or failures + 1 >= $3 then 'quarantined' else state end, ended_at = case when $2 or failures + 1 >= $3 then $4::timestamptz end
     where id = $1 and state = 'active'`,
    [id, gone, failuresMax, instant(nowMs)],
  );
}

/** What comes through proves the address good. */
export async function forgetFailures(sql: Sql, id: string): Promise<void> {
  await sql.run('update subscribers set failures = 0 where id = $1 and failures > 0', [id]);
}

/** Addresses whose owner never confirmed are not ours to keep. */
export async function deleteUnconfirmed(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run("delete from subscribers where state = 'pending' and confirmation_sent_at < $1", [instant(beforeMs)]);
}

export function openAddress(row: SubscriberRow, keyring: Keyring): string {
  return keyring.open(row.sealed_address, addressContext(row.id));
}

export function openToken(row: SubscriberRow, keyring: Keyring): string {
  return keyring.open(row.sealed_token, tokenContext(row.id));
}

/** The signing secret of a webhook; null for an e-mail address. */
export function openSecret(row: SubscriberRow, keyring: Keyring): string | null {
  return row.sealed_secret === null ? null : keyring.open(row.sealed_secret, secretContext(row.id));
}

/** Locks the next rows in id order, for sealing them anew. */
export async function lockSubscribersAfter(sql: Sql, after: string, limit: number): Promise<SubscriberRow[]> {
  return sql.rows<SubscriberRow>('select * from subscribers where id > $1 order by id limit $2 for update', [
    after,
    limit,
  ]);
}

export async function resealSubscriber(sql: Sql, keyring: Keyring, row: SubscriberRow): Promise<void> {
  const secret = openSecret(row, keyring);
  await sql.run('update subscribers set sealed_address = $2, sealed_token = $3, sealed_secret = $4 where id = $1', [
    row.id,
    keyring.seal(openAddress(row, keyring), addressContext(row.id)),
    keyring.seal(openToken(row, keyring), tokenContext(row.id)),
    secret === null ? null : keyring.seal(secret, secretContext(row.id)),
  ]);
}

export function viewSubscriber(row: SubscriberRow, keyring: Keyring): SubscriberView {
  const address = openAddress(row, keyring);
  return {
    id: row.id,
    status_page_id: row.status_page_id,
    channel: row.channel,
    email: row.channel === 'email' ? address : null,
    url: row.channel === 'webhook' ? address : null,
    component_ids: row.component_ids,
    state: row.state,
    consent: row.consent,
    failures: row.failures,
    created_at: toTimestamp(row.created_at),
    confirmed_at: row.confirmed_at === null ? null : toTimestamp(row.confirmed_at),
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function addressContext(id: string): string {
  return `subscriber address ${id}`;
}

function tokenContext(id: string): string {
  return `subscriber token ${id}`;
}

function secretContext(id: string): string {
  return `subscriber secret ${id}`;
}
