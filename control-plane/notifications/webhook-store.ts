import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { maskAddress } from '../subscribers/address.ts';
import { failuresMax } from '../subscribers/subscriber.ts';
import type { WebhookKind, WebhookPatch, WebhookPost, WebhookView } from './webhook.ts';

export type WebhookRow = {
  id: string;
  project_id: string;
  sealed_url: Buffer;
  sealed_secret: Buffer;
  kinds: WebhookKind[];
  enabled: boolean;
  failures: number;
  created_at: number;
};

export async function insertWebhook(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  posted: WebhookPost,
  secret: string,
  nowMs: number,
): Promise<string> {
  const id = newId('whk', nowMs);
  await sql.run(
    'insert into webhooks (id, project_id, sealed_url, sealed_secret, kinds, enabled, created_at) values ($1, $2, $3, $4, $5, $6, $7)',
    [
      id,
      projectId,
      keyring.seal(posted.url, urlContext(id)),
      keyring.seal(secret, secretContext(id)),
      posted.kinds,
      posted.enabled,
      instant(nowMs),
    ],
  );
  return id;
}

/** False when the project has no such webhook. Switching it on forgets its failures. */
export async function updateWebhook(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  id: string,
  patch: WebhookPatch,
): Promise<boolean> {
  const url = patch.url === undefined ? null : keyring.seal(patch.url, urlContext(id));
  const count = await sql.run(
    `update webhooks set sealed_url = coalesce($3, sealed_url), kinds = coalesce($4::text[], kinds), enabled = coalesce($5, enabled),
       failures = case when $5 then 0 else failures end where project_id = $1 and id = $2`,
    [projectId, id, url, patch.kinds ?? null, patch.enabled ?? null],
  );
  return count === 1;
}

export async function deleteWebhook(sql: Sql, projectId: string, id: string): Promise<boolean> {
  return (await sql.run('delete from webhooks where project_id = $1 and id = $2', [projectId, id])) === 1;
}

export async function findWebhook(sql: Sql, projectId: string, id: string): Promise<WebhookRow | null> {
  return sql.row<WebhookRow>('select * from webhooks where project_id = $1 and id = $2', [projectId, id]);
}

/** Newest first. */
export async function listWebhooks(sql: Sql, projectId: string, page: Page): Promise<WebhookRow[]> {
  return sql.rows<WebhookRow>(
    `select * from webhooks where project_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
     order by created_at desc, id desc limit $4`,
    [projectId, instant(page.after?.[0] ?? null), page.after?.[1] ?? null, page.limit + 1],
  );
}

/** Counts a delivery that failed for good; the last of too many in a row, or `gone`, switches the webhook off. */
export async function countWebhookFailure(sql: Sql, id: string, gone: boolean): Promise<void> {
  await sql.run(
    'update webhooks set failures = failures + 1, enabled = enabled and not ($2 or failures + 1 >= $3) where id = $1',
    [id, gone, failuresMax],
  );
}

export async function forgetWebhookFailures(sql: Sql, id: string): Promise<void> {
  await sql.run('update webhooks set failures = 0 where id = $1 and failures > 0', [id]);
}

/** Seals all URLs and secrets with the first key of the ring; there are few. Returns how many. */
export async function resealWebhooks(sql: Sql, keyring: Keyring): Promise<number> {
  const rows = await sql.rows<WebhookRow>('select * from webhooks order by id for update');
  for (const row of rows) {
    await sql.run('update webhooks set sealed_url = $2, sealed_secret = $3 where id = $1', [
      row.id,
      keyring.seal(openUrl(row, keyring), urlContext(row.id)),
      keyring.seal(openWebhookSecret(row, keyring), secretContext(row.id)),
    ]);
  }
  return rows.length;
}

export function openUrl(row: Pick<WebhookRow, 'id' | 'sealed_url'>, keyring: Keyring): string {
  return keyring.open(row.sealed_url, urlContext(row.id));
}

export function openWebhookSecret(row: WebhookRow, keyring: Keyring): string {
  return keyring.open(row.sealed_secret, secretContext(row.id));
}

export function viewWebhook(row: WebhookRow, keyring: Keyring, inClear: boolean): WebhookView {
  const url = openUrl(row, keyring);
  return {
    id: row.id,
    project_id: row.project_id,
    url: inClear ? url : maskAddress(url),
    kinds: row.kinds,
    enabled: row.enabled,
    failures: row.failures,
    created_at: toTimestamp(row.created_at),
  };
}

function urlContext(id: string): string {
  return `webhook url ${id}`;
}

function secretContext(id: string): string {
  return `webhook secret ${id}`;
}
