import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import type { AlertKind } from '#shared/vocabulary.ts';
import type { WebhookKind } from '#shared/webhook-kinds.ts';
import { olderThan } from '../../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { Page } from '../../../platform/http/endpoint/pagination.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { maskAddress } from '../../../publishing/subscribers/address.ts';
import { failuresMax } from '../../../publishing/subscribers/subscriber.ts';
import type { WebhookPatch, WebhookPost, WebhookView } from './webhook.ts';

/** A project's webhook. `failures` counts consecutive failed deliveries. */
export type WebhookRow = {
  id: string;
  project_id: string;
  sealed_url: Buffer;
  sealed_secret: Buffer;
  kinds: WebhookKind[];
  alert_kinds: AlertKind[];
  enabled: boolean;
  failures: number;
  created_at: number;
  /** Still valid until then, beside the new one. */
  sealed_previous_secret: Buffer | null;
  previous_secret_until: number | null;
};

const columns = fragment`
  id, project_id, sealed_url, sealed_secret, kinds, alert_kinds, enabled, failures, created_at,
  sealed_previous_secret, previous_secret_until`;

/** Stores a webhook with its URL and secret sealed. Returns its id. */
export async function insertWebhook(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  posted: WebhookPost,
  secret: string,
  nowMs: number,
): Promise<string> {
  const id = newId('whk', nowMs);
  const sealed = seal(id, { url: posted.url, secret }, keyring);
  await sql.run`
    insert into webhooks (id, project_id, sealed_url, sealed_secret, kinds, alert_kinds, enabled, created_at)
    values (
      ${id}, ${projectId}, ${sealed.url}, ${sealed.secret}, ${posted.kinds}, ${posted.alert_kinds}, ${posted.enabled},
      ${instant(nowMs)}
    )`;
  return id;
}

/** Enabling it resets its failures. */
export async function updateWebhook(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  id: string,
  patch: WebhookPatch,
): Promise<void> {
  const url = patch.url === undefined ? null : keyring.seal(patch.url, urlContext(id));
  const enabled = patch.enabled ?? null;
  await sql.run`
    update webhooks
    set sealed_url = coalesce(${url}, sealed_url),
      kinds = coalesce(${patch.kinds ?? null}::text[], kinds),
      alert_kinds = coalesce(${patch.alert_kinds ?? null}::text[], alert_kinds),
      enabled = coalesce(${enabled}, enabled),
      failures = case when ${enabled} then 0 else failures end
    where project_id = ${projectId}
      and id = ${id}`;
}

/**
 * Signs with a new secret from now on, and with the previous one until `untilMs`. A secret before that one ends now.
 */
export async function rotateWebhookSecret(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  id: string,
  secret: string,
  untilMs: number,
): Promise<void> {
  await sql.run`
    update webhooks
    set sealed_previous_secret = sealed_secret,
      previous_secret_until = ${instant(untilMs)},
      sealed_secret = ${keyring.seal(secret, secretContext(id))}
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Forgets secrets whose overlap is over. */
export async function deletePreviousSecretsBefore(sql: Sql, nowMs: number): Promise<void> {
  await sql.run`
    update webhooks
    set sealed_previous_secret = null, previous_secret_until = null
    where previous_secret_until <= ${instant(nowMs)}`;
}

export async function deleteWebhook(sql: Sql, projectId: string, id: string): Promise<void> {
  await sql.run`
    delete from webhooks
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Like `findWebhook`; locks the row until the transaction ends. */
export async function lockWebhook(sql: Sql, projectId: string, id: string): Promise<WebhookRow | null> {
  return sql.row<WebhookRow>`
    select ${columns}
    from webhooks
    where project_id = ${projectId}
      and id = ${id}
    for update`;
}

/** Null when the project has no such webhook. */
export async function findWebhook(sql: Sql, projectId: string, id: string): Promise<WebhookRow | null> {
  return sql.row<WebhookRow>`
    select ${columns}
    from webhooks
    where project_id = ${projectId}
      and id = ${id}`;
}

/** Newest first. Reads one row more than the page shows. */
export async function listWebhooks(sql: Sql, projectId: string, page: Page): Promise<WebhookRow[]> {
  return sql.rows<WebhookRow>`
    select ${columns}
    from webhooks
    where project_id = ${projectId}
      and ${olderThan(page, fragment`created_at, id`)}
    order by created_at desc, id desc
    limit ${page.limit + 1}`;
}

/** Counts a failed delivery. `failuresMax` in a row, or a receiver that is `gone`, disables the webhook. */
export async function countWebhookFailure(sql: Sql, id: string, gone: boolean): Promise<void> {
  await sql.run`
    update webhooks
    set failures = failures + 1,
      enabled = enabled and not (${gone} or failures + 1 >= ${failuresMax})
    where id = ${id}`;
}

/** Resets the count of consecutive failures after a success. */
export async function resetWebhookFailures(sql: Sql, id: string): Promise<void> {
  await sql.run`
    update webhooks
    set failures = 0
    where id = ${id}
      and failures > 0`;
}

/** Seals all URLs and secrets with the first key of the ring; there are few. Returns the number of webhooks. */
export async function resealWebhooks(sql: Sql, keyring: Keyring): Promise<number> {
  const rows = await lockWebhooks(sql);
  for (const row of rows) {
    const [secret = '', previous = null] = openWebhookSecrets(row, keyring, 0);
    const sealed = seal(row.id, { url: openUrl(row, keyring), secret }, keyring);
    const sealedPrevious = previous === null ? null : keyring.seal(previous, secretContext(row.id));
    await replaceSealed(sql, row.id, { ...sealed, previous: sealedPrevious });
  }
  return rows.length;
}

function lockWebhooks(sql: Sql): Promise<WebhookRow[]> {
  return sql.rows<WebhookRow>`
    select ${columns}
    from webhooks
    order by id
    for update`;
}

async function replaceSealed(
  sql: Sql,
  id: string,
  sealed: { url: Uint8Array; secret: Uint8Array; previous: Uint8Array | null },
): Promise<void> {
  await sql.run`
    update webhooks
    set sealed_url = ${sealed.url},
      sealed_secret = ${sealed.secret},
      sealed_previous_secret = ${sealed.previous}
    where id = ${id}`;
}

export function openUrl(row: Pick<WebhookRow, 'id' | 'sealed_url'>, keyring: Keyring): string {
  return keyring.open(row.sealed_url, urlContext(row.id));
}

/** The secrets that sign messages now: the current one, and the previous one while it overlaps. */
export function openWebhookSecrets(
  row: Pick<WebhookRow, 'id' | 'sealed_secret' | 'sealed_previous_secret' | 'previous_secret_until'>,
  keyring: Keyring,
  nowMs: number,
): string[] {
  const previous = (row.previous_secret_until ?? 0) > nowMs ? row.sealed_previous_secret : null;
  return [row.sealed_secret, ...(previous === null ? [] : [previous])].map(sealed =>
    keyring.open(sealed, secretContext(row.id)),
  );
}

/** The webhook as the API shows it, without its secrets; its URL is masked unless `inClear`. */
export function viewWebhook(row: WebhookRow, keyring: Keyring, inClear: boolean, nowMs: number): WebhookView {
  const url = openUrl(row, keyring);
  const untilMs = row.previous_secret_until;
  return {
    id: row.id,
    project_id: row.project_id,
    url: inClear ? url : maskAddress(url),
    kinds: row.kinds,
    alert_kinds: row.alert_kinds,
    enabled: row.enabled,
    failures: row.failures,
    created_at: toTimestamp(row.created_at),
    previous_secret_until: untilMs === null || untilMs <= nowMs ? null : toTimestamp(untilMs),
  };
}

function seal(id: string, { url, secret }: { url: string; secret: string }, keyring: Keyring) {
  return { url: keyring.seal(url, urlContext(id)), secret: keyring.seal(secret, secretContext(id)) };
}

function urlContext(id: string): string {
  return `webhook url ${id}`;
}

function secretContext(id: string): string {
  return `webhook secret ${id}`;
}
