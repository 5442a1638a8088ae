import { newId } from '#shared/ids.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { DeliveryChannel } from './delivery.ts';

// An id of the usual shape made by the server: the time of all is that of the first, the rest 62 random bits in hexadecimal,
// whose digits are also digits of Crockford's base 32.
const rowId = "$1 || substr(replace(gen_random_uuid()::text, '-', ''), 17)";

// So many new rows make the planner's notion of what is queued wrong, and each claim then reads all of it until autovacuum comes
// by, a minute later: 36 mails a second instead of hundreds.
const analyzeFrom = 500;

/** The instant's part of a new id. */
function idStart(nowMs: number): string {
  return newId('dlv', nowMs).slice(0, 14);
}

/**
 * Queues one update for everybody who is to be told: who subscribed to the whole page or to a component that the incident
 * affects; to an incident that names no component all listen. Said twice it adds nobody. Returns how many were added.
 */
export async function queueUpdate(
  sql: Sql,
  updateId: string,
  sequence: number,
  createdAt: number,
  nowMs: number,
): Promise<number> {
  const added = await sql.run(
    `insert into deliveries (id, project_id, kind, channel, subject, recipient, incident_id, thread, sequence, payload, state, due_at, created_at)
     select ${rowId}, s.project_id, 'incident_update', s.channel, u.id, s.id, i.id, i.id, $3, '{}', 'queued', $5, $4
     from incident_updates u join incidents i on i.id = u.incident_id join subscribers s on s.status_page_id = i.status_page_id
     where u.id = $2 and i.deleted_at is null and s.state = 'active'
       and (s.component_ids = '{}' or i.affected_components = '{}' or s.component_ids && i.affected_components)
     order by s.id on conflict (subject, channel, recipient) do nothing`,
    [idStart(nowMs), updateId, sequence, instant(createdAt), instant(nowMs)],
  );
  if (added >= analyzeFrom) await sql.run('analyze deliveries');
  return added;
}

export type NewsForWebhooks = {
  projectId: string;
  kind: string;
  subject: string;
  thread: string;
  incidentId: string | null;
  sequence: number;
  payload: unknown;
};

/** Queues one fact for all webhooks of the project that want its kind. */
export async function queueWebhooks(
  sql: Sql,
  news: NewsForWebhooks,
  createdAt: number,
  nowMs: number,
): Promise<number> {
  return sql.run(
    `insert into deliveries (id, project_id, kind, channel, subject, recipient, incident_id, thread, sequence, payload, state, due_at, created_at)
     select ${rowId}, w.project_id, 'webhook', 'webhook', $4, w.id, $5, $6, $7, $8, 'queued', $10, $9
     from webhooks w where w.project_id = $2 and w.enabled and $3 = any(w.kinds)
     order by w.id on conflict (subject, channel, recipient) do nothing`,
    [
      idStart(nowMs),
      news.projectId,
      news.kind,
      news.subject,
      news.incidentId,
      news.thread,
      news.sequence,
      JSON.stringify(news.payload),
      instant(createdAt),
      instant(nowMs),
    ],
  );
}

/** Whether any webhook of the project wants the kind: most projects have none, and need no payload. */
export async function wantsWebhook(sql: Sql, projectId: string, kind: string): Promise<boolean> {
  return (
    (await sql.row('select 1 from webhooks where project_id = $1 and enabled and $2 = any(kinds) limit 1', [
      projectId,
      kind,
    ])) !== null
  );
}

export type NewDelivery = {
  projectId: string;
  kind: 'alert' | 'confirmation';
  channel: DeliveryChannel;
  subject: string;
  recipient: string;
  thread: string | null;
  sequence: number;
  payload: unknown;
};

export async function queueDelivery(sql: Sql, delivery: NewDelivery, createdAt: number, nowMs: number): Promise<void> {
  await sql.run(
    `insert into deliveries (id, project_id, kind, channel, subject, recipient, thread, sequence, payload, state, due_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', $11, $10) on conflict (subject, channel, recipient) do nothing`,
    [
      newId('dlv', nowMs),
      delivery.projectId,
      delivery.kind,
      delivery.channel,
      delivery.subject,
      delivery.recipient,
      delivery.thread,
      delivery.sequence,
      JSON.stringify(delivery.payload),
      instant(createdAt),
      instant(nowMs),
    ],
  );
}
