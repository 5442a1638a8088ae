import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';

/** Stores the project's bot token and signing secret, sealed, or replaces them. */
export async function putSlack(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  { token, signingSecret }: { token: string; signingSecret: string | null },
  nowMs: number,
): Promise<void> {
  const sealedSecret = signingSecret === null ? null : keyring.seal(signingSecret, secretContext(projectId));
  await sql.run`
    insert into slack_installations (project_id, sealed_token, sealed_signing_secret, created_at)
    values (
      ${projectId}, ${keyring.seal(token, tokenContext(projectId))}, ${sealedSecret}, ${instant(nowMs)}
    )
    on conflict (project_id) do update
    set sealed_token = excluded.sealed_token,
      sealed_signing_secret = excluded.sealed_signing_secret,
      created_at = excluded.created_at`;
}

/** What Slack signs clicks with, sealed; null if the project has not given it. */
export async function findSlackSecret(sql: Sql, projectId: string): Promise<Buffer | null> {
  const row = await sql.row<{ sealed_signing_secret: Buffer | null }>`
    select sealed_signing_secret
    from slack_installations
    where project_id = ${projectId}`;
  return row?.sealed_signing_secret ?? null;
}

export function openSlackSecret(projectId: string, sealed: Uint8Array, keyring: Keyring): string {
  return keyring.open(sealed, secretContext(projectId));
}

export async function deleteSlack(sql: Sql, projectId: string): Promise<void> {
  await sql.run`
    delete from slack_installations
    where project_id = ${projectId}`;
}

/** The connection with its secrets, locked until the transaction ends; null when there is none. */
export async function lockSlack(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
): Promise<{ token: string; signingSecret: string | null; connectedAt: number } | null> {
  const row = await sql.row<InstallationRow & { created_at: number }>`
    select project_id, sealed_token, sealed_signing_secret, created_at
    from slack_installations
    where project_id = ${projectId}
    for update`;
  if (row === null) return null;
  const secret = row.sealed_signing_secret;
  return {
    token: keyring.open(row.sealed_token, tokenContext(projectId)),
    signingSecret: secret === null ? null : openSlackSecret(projectId, secret, keyring),
    connectedAt: row.created_at,
  };
}

/** When Slack was connected; null when it is not. */
export async function findSlackSince(sql: Sql, projectId: string): Promise<number | null> {
  const row = await sql.row<{ created_at: number }>`
    select created_at
    from slack_installations
    where project_id = ${projectId}`;
  return row?.created_at ?? null;
}

/** The bot token; null when Slack is not connected. */
export async function readSlackToken(sql: Sql, keyring: Keyring, projectId: string): Promise<string | null> {
  const row = await sql.row<{ sealed_token: Buffer }>`
    select sealed_token
    from slack_installations
    where project_id = ${projectId}`;
  return row === null ? null : keyring.open(row.sealed_token, tokenContext(projectId));
}

/** Seals all tokens with the first key of the ring. Returns their number. */
export async function resealSlack(sql: Sql, keyring: Keyring): Promise<number> {
  const rows = await lockInstallations(sql);
  for (const { project_id, sealed_token, sealed_signing_secret: secret } of rows) {
    const again = (sealed: Uint8Array, context: string) => keyring.seal(keyring.open(sealed, context), context);
    const sealedSecret = secret === null ? null : again(secret, secretContext(project_id));
    await replaceSealed(sql, project_id, again(sealed_token, tokenContext(project_id)), sealedSecret);
  }
  return rows.length;
}

type InstallationRow = { project_id: string; sealed_token: Buffer; sealed_signing_secret: Buffer | null };

function lockInstallations(sql: Sql): Promise<InstallationRow[]> {
  return sql.rows<InstallationRow>`
    select project_id, sealed_token, sealed_signing_secret
    from slack_installations
    order by project_id
    for update`;
}

async function replaceSealed(
  sql: Sql,
  projectId: string,
  sealedToken: Uint8Array,
  sealedSecret: Uint8Array | null,
): Promise<void> {
  await sql.run`
    update slack_installations
    set sealed_token = ${sealedToken}, sealed_signing_secret = ${sealedSecret}
    where project_id = ${projectId}`;
}

function secretContext(projectId: string): string {
  return `slack signing ${projectId}`;
}

function tokenContext(projectId: string): string {
  return `slack token ${projectId}`;
}
