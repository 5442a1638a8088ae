import { instant, type Sql } from '../db/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';

/** Stores the bot token, or replaces it. */
export async function putSlack(
  sql: Sql,
  keyring: Keyring,
  projectId: string,
  token: string,
  nowMs: number,
): Promise<void> {
  await sql.run(
    `insert into slack_installations (project_id, sealed_token, created_at) values ($1, $2, $3)
     on conflict (project_id) do update set sealed_token = excluded.sealed_token, created_at = excluded.created_at`,
    [projectId, keyring.seal(token, tokenContext(projectId)), instant(nowMs)],
  );
}

export async function deleteSlack(sql: Sql, projectId: string): Promise<void> {
  await sql.run('delete from slack_installations where project_id = $1', [projectId]);
}

/** When Slack was connected; null when it is not. */
export async function findSlackSince(sql: Sql, projectId: string): Promise<number | null> {
  const row = await sql.row<{ created_at: number }>(
    'select created_at from slack_installations where project_id = $1',
    [projectId],
  );
  return row?.created_at ?? null;
}

/** The bot token; null when Slack is not connected. */
export async function readSlackToken(sql: Sql, keyring: Keyring, projectId: string): Promise<string | null> {
  const row = await sql.row<{ sealed_token: Buffer }>(
    'select sealed_token from slack_installations where project_id = $1',
    [projectId],
  );
  return row === null ? null : keyring.open(row.sealed_token, tokenContext(projectId));
}

/** The message that told the alert first in a channel. */
export type SlackThread = { channel_id: string; ts: string };

export async function findThread(sql: Sql, alertId: string, channel: string): Promise<SlackThread | null> {
  return sql.row<SlackThread>('select channel_id, ts from slack_threads where alert_id = $1 and channel = $2', [
    alertId,
    channel,
  ]);
}

export async function keepThread(
  sql: Sql,
  alert: { id: string; projectId: string },
  channel: string,
  thread: SlackThread,
): Promise<void> {
  await sql.run(
    `insert into slack_threads (alert_id, channel, project_id, channel_id, ts) values ($1, $2, $3, $4, $5)
     on conflict (alert_id, channel) do nothing`,
    [alert.id, channel, alert.projectId, thread.channel_id, thread.ts],
  );
}

/** Seals all tokens with the first key of the ring. Returns how many. */
export async function resealSlack(sql: Sql, keyring: Keyring): Promise<number> {
  const rows = await sql.rows<{ project_id: string; sealed_token: Buffer }>(
    'select project_id, sealed_token from slack_installations order by project_id for update',
  );
  for (const { project_id, sealed_token } of rows) {
    const context = tokenContext(project_id);
    const sealed = keyring.seal(keyring.open(sealed_token, context), context);
    await sql.run('update slack_installations set sealed_token = $2 where project_id = $1', [project_id, sealed]);
  }
  return rows.length;
}

function tokenContext(projectId: string): string {
  return `slack token ${projectId}`;
}
