import { instant, type Sql } from '../../db/sql.ts';
import type { Keyring } from '../../secrets/keyring.ts';

/** Stores the project's bot token, sealed, or replaces it. */
export async function putSlack(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  token: string,
  nowMs: number,
): Promise<void> {
  await sql.run`
    insert into slack_installations (project_id, sealed_token, created_at)
    values (${projectId}, ${keyring.seal(token, tokenContext(projectId))}, ${instant(nowMs)})
    on conflict (project_id) do update
    set sealed_token = excluded.sealed_token, created_at = excluded.created_at`;
}

export async function deleteSlack(sql: Sql, projectId: string): Promise<void> {
  await sql.run`
    delete from slack_installations
    where project_id = ${projectId}`;
}

/** The connection with its bot token, locked until the transaction ends; null when there is none. */
export async function lockSlack(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
): Promise<{ token: string; connectedAt: number } | null> {
  const row = await sql.row<{ sealed_token: Buffer; created_at: number }>`
    select sealed_token, created_at
    from slack_installations
    where project_id = ${projectId}
    for update`;
  if (row === null) return null;
  return { token: keyring.open(row.sealed_token, tokenContext(projectId)), connectedAt: row.created_at };
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

/** An alert's first message in a channel, by Slack's ids; later messages reply to it. */
export type SlackThread = { channel_id: string; ts: string };

/** Null when the alert has no message in the channel yet. */
export async function findThread(sql: Sql, alertId: string, channel: string): Promise<SlackThread | null> {
  return sql.row<SlackThread>`
    select channel_id, ts
    from slack_threads
    where alert_id = ${alertId}
      and channel = ${channel}`;
}

/** Stores an alert's thread unless it has one in the channel. */
export async function saveThread(
  sql: Sql,
  alert: { id: string; projectId: string },
  channel: string,
  thread: SlackThread,
): Promise<void> {
  await sql.run`
    insert into slack_threads (alert_id, channel, project_id, channel_id, ts)
    values (${alert.id}, ${channel}, ${alert.projectId}, ${thread.channel_id}, ${thread.ts})
    on conflict (alert_id, channel) do nothing`;
}

/** Seals all tokens with the first key of the ring. Returns their number. */
export async function resealSlack(sql: Sql, keyring: Keyring): Promise<number> {
  const rows = await lockInstallations(sql);
  for (const { project_id, sealed_token } of rows) {
    const context = tokenContext(project_id);
    await replaceSealedToken(sql, project_id, keyring.seal(keyring.open(sealed_token, context), context));
  }
  return rows.length;
}

function lockInstallations(sql: Sql): Promise<{ project_id: string; sealed_token: Buffer }[]> {
  return sql.rows`
    select project_id, sealed_token
    from slack_installations
    order by project_id
    for update`;
}

async function replaceSealedToken(sql: Sql, projectId: string, sealedToken: Uint8Array): Promise<void> {
  await sql.run`
    update slack_installations
    set sealed_token = ${sealedToken}
    where project_id = ${projectId}`;
}

function tokenContext(projectId: string): string {
  return `slack token ${projectId}`;
}
