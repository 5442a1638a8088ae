import { toTimestamp } from '#shared/clock.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { maskAddress } from '../subscribers/address.ts';
import { openAddress, type SubscriberRow } from '../subscribers/store.ts';
import type { Delivery, DeliveryChannel, DeliveryState, DeliveryView, Settlement } from './delivery.ts';
import { openUrl } from './webhook-store.ts';

/** How long a claimed delivery is left to its holder: longer than any attempt may take, shorter than people wait. */
export const leaseMs = 30_000;

/**
 * Takes due deliveries of a channel, at most one a recipient, none whose recipient has one under way, and none before what its
 * thread told earlier. Looks at a bounded number, so that a claim costs the same whatever waits. The conditions stand twice: those
 * on the locked row are the ones checked again when another replica's claim has just ended. The `offset` keeps the planner from
 * a join: among 10,000 that were just queued, of which it knows nothing yet, it took 220 ms a claim instead of under one.
 */
export async function claimDeliveries(
  sql: Sql,
  channel: DeliveryChannel,
  limit: number,
  nowMs: number,
): Promise<Delivery[]> {
  return sql.rows<Delivery>(
    `update deliveries set leased_until = $4, attempts = attempts + 1 where id in (
       select d.id from deliveries d join (
         select id, row_number() over (partition by project_id, recipient order by due_at, id) as place from (
           select q.id, q.project_id, q.recipient, q.due_at from deliveries q
           where q.state = 'queued' and q.channel = $1 and q.due_at <= $3 and (q.leased_until is null or q.leased_until <= $3)
             and not exists (select 1 from deliveries e where e.state = 'queued' and e.recipient = q.recipient and e.project_id = q.project_id
               and (e.leased_until > $3 or (e.thread = q.thread and e.sequence < q.sequence)) offset 0)
           order by q.due_at, q.id limit 4 * $2::integer) as due) as chosen on chosen.id = d.id
       where chosen.place = 1 and d.state = 'queued' and d.due_at <= $3 and (d.leased_until is null or d.leased_until <= $3) order by d.due_at, d.id limit $2 for update of d skip locked)
     returning id, project_id, kind, channel, subject, recipient, incident_id, thread, payload, attempts, created_at`,
    [channel, limit, instant(nowMs), instant(nowMs + leaseMs)],
  );
}

/** Writes what became of an attempt. False when its holder was too late and another has claimed the delivery since. */
export async function settleDelivery(
  sql: Sql,
  delivery: Pick<Delivery, 'id' | 'attempts'>,
  settlement: Settlement,
  nowMs: number,
): Promise<boolean> {
  const count = await sql.run(
    `update deliveries set state = $3, error = $4, due_at = coalesce($5, due_at), leased_until = null,
       sent_at = case when $3 = 'sent' then $6::timestamptz end, ended_at = case when $3 <> 'queued' then $6::timestamptz end
     where id = $1 and attempts = $2 and state = 'queued'`,
    [
      delivery.id,
      delivery.attempts,
      settlement.state,
      settlement.error,
      settlement.retryInMs === null ? null : instant(nowMs + settlement.retryInMs),
      instant(nowMs),
    ],
  );
  return count === 1;
}

/** Sets aside everything of a channel that cannot be sent here; nothing is lost. Returns how many. */
export async function holdQueued(sql: Sql, channel: DeliveryChannel, error: string, nowMs: number): Promise<number> {
  return sql.run(
    "update deliveries set state = 'held', error = $2, ended_at = $3 where channel = $1 and state = 'queued' and due_at <= $3",
    [channel, error, instant(nowMs)],
  );
}

/** Ends what waits for a recipient that is gone. */
export async function cancelOfRecipient(sql: Sql, recipient: string, error: string, nowMs: number): Promise<void> {
  await sql.run(
    "update deliveries set state = 'cancelled', error = $2, ended_at = $3 where recipient = $1 and state = 'queued'",
    [recipient, error, instant(nowMs)],
  );
}

export async function cancelOfIncident(sql: Sql, incidentId: string, error: string, nowMs: number): Promise<void> {
  await sql.run(
    "update deliveries set state = 'cancelled', error = $2, ended_at = $3 where incident_id = $1 and state in ('queued', 'held')",
    [incidentId, error, instant(nowMs)],
  );
}

/** Queues again what failed or is held, with all its attempts. False when it is neither. */
export async function replayDelivery(sql: Sql, projectId: string, id: string, nowMs: number): Promise<boolean> {
  return (
    (await sql.run(
      `update deliveries set state = 'queued', attempts = 0, due_at = $3, leased_until = null, ended_at = null, error = null
       where project_id = $1 and id = $2 and state in ('failed', 'held')`,
      [projectId, id, instant(nowMs)],
    )) === 1
  );
}

export async function deleteDeliveriesEndedBefore(sql: Sql, beforeMs: number): Promise<number> {
  return sql.run('delete from deliveries where ended_at < $1', [instant(beforeMs)]);
}

export type DeliveryRow = Delivery & {
  state: DeliveryState;
  due_at: number;
  error: string | null;
  sent_at: number | null;
  subscriber: { sealed_address: string } | null;
  webhook: { sealed_url: string } | null;
};

const listed = `select d.*, case when s.id is not null then json_build_object('sealed_address', encode(s.sealed_address, 'hex')) end as subscriber,
  case when w.id is not null then json_build_object('sealed_url', encode(w.sealed_url, 'hex')) end as webhook
  from deliveries d left join subscribers s on s.id = d.recipient left join webhooks w on w.id = d.recipient`;

export type DeliveryFilter = {
  incidentId: string | null;
  states: readonly string[] | null;
  channels: readonly string[] | null;
};

/** Newest first. */
export async function listDeliveries(
  sql: Sql,
  projectId: string,
  filter: DeliveryFilter,
  page: Page,
): Promise<DeliveryRow[]> {
  return sql.rows<DeliveryRow>(
    `${listed} where d.project_id = $1 and ($2::text is null or d.incident_id = $2) and ($3::text[] is null or d.state = any($3))
       and ($4::text[] is null or d.channel = any($4)) and ($5::timestamptz is null or (d.created_at, d.id) < ($5, $6))
     order by d.created_at desc, d.id desc limit $7`,
    [
      projectId,
      filter.incidentId,
      filter.states,
      filter.channels,
      instant(page.after?.[0] ?? null),
      page.after?.[1] ?? null,
      page.limit + 1,
    ],
  );
}

export async function findDelivery(sql: Sql, projectId: string, id: string): Promise<DeliveryRow | null> {
  return sql.row<DeliveryRow>(`${listed} where d.project_id = $1 and d.id = $2`, [projectId, id]);
}

/** A delivery for one caller: addresses in clear only to those who may read subscribers. */
/** What of a delivery's address the caller may see: subscribers' and project webhooks' are rights of their own. */
export type Sight = { subscribers: boolean; webhooks: boolean };

export function viewDelivery(row: DeliveryRow, keyring: Keyring, sight: Sight): DeliveryView {
  const address = addressOf(row, keyring);
  const inClear = row.webhook === null ? sight.subscribers : sight.webhooks;
  return {
    id: row.id,
    kind: row.kind,
    channel: row.channel,
    subject: row.subject,
    incident_id: row.incident_id,
    recipient_id: row.channel === 'slack' ? null : row.recipient,
    recipient: address === null || inClear || row.channel === 'slack' ? address : maskAddress(address),
    state: row.state,
    attempts: row.attempts,
    error: row.error,
    next_attempt_at: row.state === 'queued' ? toTimestamp(row.due_at) : null,
    created_at: toTimestamp(row.created_at),
    sent_at: row.sent_at === null ? null : toTimestamp(row.sent_at),
  };
}

function addressOf(row: DeliveryRow, keyring: Keyring): string | null {
  if (row.channel === 'slack') return row.recipient;
  if (row.subscriber !== null) {
    const sealed_address = Buffer.from(row.subscriber.sealed_address, 'hex');
    return openAddress({ id: row.recipient, sealed_address } as SubscriberRow, keyring);
  }
  if (row.webhook !== null)
    return openUrl({ id: row.recipient, sealed_url: Buffer.from(row.webhook.sealed_url, 'hex') }, keyring);
  return null;
}
