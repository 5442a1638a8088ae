import { newId } from '#shared/ids.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { type DeliveryChannel, storedName } from './delivery.ts';
import { queueAdded } from './queue-store.ts';

export const inserted = fragment`
  id, project_id, kind, channel, subject, recipient, incident_id, thread, sequence, payload, state, due_at, created_at,
  maintenance_id`;

export const returnAdded = fragment`
  on conflict (subject, channel, recipient) do nothing
  returning channel, project_id, recipient, due_at`;

// After a large insert the planner underestimates the queue, and each claim reads all of it until autovacuum runs a
// minute later: 36 emails a second instead of hundreds.
const analyzeFrom = 500;

export const portionMax = 20_000;

/** An update whose fact is `sequence`, appended at `createdAt`. */
export type UpdateToQueue = { id: string; sequence: number; createdAt: number };

/**
 * An id made by the server, one per row, of the usual shape: all share the instant of `nowMs`, the rest are 62 random
 * bits in hexadecimal, whose digits are also digits of Crockford's base 32.
 */
export function rowId(nowMs: number): Fragment {
  return fragment`${newId('dlv', nowMs).slice(0, 14)} || substr(replace(gen_random_uuid()::text, '-', ''), 17)`;
}

/** Subscribers by id, after one and up to another; `end` is null in the last portion. */
export type Portion = { after: string; end: string | null };

/**
 * Queues deliveries for the subscribers of pages in portions: each statement has a time limit, and a page may have any
 * number of subscribers. Returns how many were added.
 */
export async function insertInPortions(
  sql: Sql,
  pages: readonly string[],
  portion: number,
  insert: (portion: Portion) => Promise<number>,
): Promise<number> {
  if (pages.length === 0) return 0;
  let added = 0;
  for (let after = ''; ; ) {
    const end = await findPortionEnd(sql, pages, after, portion);
    added += await insert({ after, end });
    if (end === null) break;
    after = end;
  }
  if (added >= analyzeFrom) await analyzeDeliveries(sql);
  return added;
}

/** The last subscriber of the portion after `after`; null if it is the last portion. */
async function findPortionEnd(
  sql: Sql,
  pages: readonly string[],
  after: string,
  portion: number,
): Promise<string | null> {
  const row = await sql.row<{ id: string }>`
    select s.id
    from subscribers s
    where s.status_page_id = any(${pages}::text[])
      and s.id > ${after}
    order by s.id
    offset ${portion - 1}::integer
    limit 1`;
  return row?.id ?? null;
}

/**
 * Queues an incident update for the active subscribers of the whole page and of each affected component. Incidents
 * without components go to all subscribers. Idempotent. Returns the number of deliveries added.
 */
export async function insertUpdateDeliveries(
  sql: Sql,
  update: UpdateToQueue,
  nowMs: number,
  portion = portionMax,
): Promise<number> {
  const pages = await sql.rows<{ id: string }>`
    select status_page_id as id
    from incident_updates
    where id = ${update.id}`;
  return insertInPortions(
    sql,
    pages.map(page => page.id),
    portion,
    range => insertPortion(sql, update, range, nowMs),
  );
}

async function insertPortion(
  sql: Sql,
  { id: updateId, sequence, createdAt }: UpdateToQueue,
  { after, end }: Portion,
  nowMs: number,
): Promise<number> {
  return sql.run`
    with added as (
      insert into deliveries (${inserted})
      select
        ${rowId(nowMs)}, s.project_id, 'incident_update', s.channel, u.id, s.id, i.id, i.id, ${sequence}, '{}',
        'queued', ${instant(nowMs)}, ${instant(createdAt)}, null
      from incident_updates u
      join incidents i on i.id = u.incident_id
      join subscribers s on s.status_page_id = i.status_page_id
      where u.id = ${updateId}
        and i.deleted_at is null
        and s.state = 'active'
        and s.id > ${after}
        and (${end}::text is null or s.id <= ${end})
        and (s.component_ids = '{}' or i.affected_components = '{}' or s.component_ids && i.affected_components)
      order by s.id
      ${returnAdded}
    )
    ${queueAdded}`;
}

export type WebhookNotice = {
  projectId: string;
  kind: string;
  /** Of an alert: webhooks that do not want it are left out. Null: it is about something else. */
  alertKind: string | null;
  subject: string;
  thread: string;
  incidentId: string | null;
  maintenanceId: string | null;
  sequence: number;
  payload: unknown;
};

/** Queues a notice for the enabled webhooks of the project that want its kind. Idempotent. Returns the number added. */
export async function insertWebhookDeliveries(
  sql: Sql,
  notice: WebhookNotice,
  createdAt: number,
  nowMs: number,
): Promise<number> {
  return sql.run`
    with added as (
      insert into deliveries (${inserted})
      select
        ${rowId(nowMs)}, w.project_id, 'webhook', 'webhook', ${notice.subject}, w.id, ${notice.incidentId},
        ${notice.thread}, ${notice.sequence}, ${JSON.stringify(notice.payload)}, 'queued', ${instant(nowMs)},
        ${instant(createdAt)}, ${notice.maintenanceId}
      from webhooks w
      where w.project_id = ${notice.projectId}
        and w.enabled
        and ${notice.kind} = any(w.kinds)
        and (${notice.alertKind}::text is null or ${notice.alertKind}::text = any(w.alert_kinds))
      order by w.id
      ${returnAdded}
    )
    ${queueAdded}`;
}

/** Whether an enabled webhook of the project wants the kind. Most projects have none, and then need no payload. */
export async function isWebhookKindWanted(sql: Sql, projectId: string, kind: string): Promise<boolean> {
  const row = await sql.row`
    select 1
    from webhooks
    where project_id = ${projectId}
      and enabled
      and ${kind} = any(kinds)
    limit 1`;
  return row !== null;
}

export type NewDelivery = {
  projectId: string;
  kind: 'alert' | 'confirmation' | 'account' | 'invitation';
  channel: DeliveryChannel;
  subject: string;
  recipient: string;
  /** Null: it waits for no other. */
  thread: string | null;
  sequence: number;
  payload: unknown;
};

/** Queues one delivery. Idempotent by subject, channel and recipient. */
export async function insertDelivery(sql: Sql, delivery: NewDelivery, createdAt: number, nowMs: number): Promise<void> {
  const id = newId('dlv', nowMs);
  await sql.run`
    with added as (
      insert into deliveries (${inserted})
      values (
        ${id}, ${delivery.projectId}, ${delivery.kind}, ${storedName(delivery.channel)}, ${delivery.subject},
        ${delivery.recipient}, null, ${delivery.thread ?? id}, ${delivery.sequence},
        ${JSON.stringify(delivery.payload)}, 'queued', ${instant(nowMs)}, ${instant(createdAt)}, null
      )
      ${returnAdded}
    )
    ${queueAdded}`;
}

/** Puts what was just queued for a fact on hold. */
export async function putDeliveriesOnHold(
  sql: Sql,
  fact: { id: number; projectId: string | null; at: number },
  reason: string,
  nowMs: number,
): Promise<void> {
  await sql.run`
    update deliveries
    set state = 'held', error = ${reason}, ended_at = ${instant(nowMs)}
    where project_id = ${fact.projectId}
      and created_at = ${instant(fact.at)}
      and sequence = ${fact.id}
      and state = 'queued'`;
}

async function analyzeDeliveries(sql: Sql): Promise<void> {
  await sql.run`analyze deliveries, delivery_queues`;
}
