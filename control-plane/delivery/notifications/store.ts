import { toTimestamp } from '#shared/clock.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { inPortions } from '../../platform/db/series/portions.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { maskAddress } from '../../publishing/subscribers/address.ts';
import { openAddress } from '../../publishing/subscribers/sealed.ts';
import { isAboutAlert } from './about-alert-store.ts';
import { type Delivery, type DeliveryChannel, type DeliveryState, type DeliveryView, storedName } from './delivery.ts';
import { deliveryColumns, queueAdded } from './queue-store.ts';
import { openUrl } from './webhooks/store.ts';

/** What deliveries are about, as scopes name it. Those to channels of alerts are about alerts, whatever they say. */
export const deliveryTopics = ['alerts', 'maintenances', 'incidents', 'members'] as const;
export type DeliveryTopic = (typeof deliveryTopics)[number];

/** What the delivery `d` is sent by, as lists show it: a type of channels. */
const shownChannel = fragment`
  coalesce(
    d.channel_type,
    case d.channel
      when 'slack_webhook' then 'slack'
      when 'teams_webhook' then 'teams'
      when 'account' then 'email'
      else d.channel
    end
  )`;

/** Of the delivery `d`. */
const topic = fragment`
  case
    when d.channel = 'account' then 'members'
    when d.channel in ('operator', 'slack') or d.kind = 'alert' or d.subject like 'alert.%' then 'alerts'
    when d.maintenance_id is not null then 'maintenances'
    else 'incidents'
  end`;

/**
 * The state and attempts of a delivery, and what it is about, locked until the transaction ends. Null when the project
 * has no such one.
 */
export async function lockDelivery(
  sql: Sql,
  projectId: string,
  id: string,
): Promise<{ state: DeliveryState; attempts: number; topic: DeliveryTopic } | null> {
  return sql.row`
    select d.state, d.attempts, ${topic} as topic
    from deliveries d
    where d.project_id = ${projectId}
      and d.id = ${id}
    for update`;
}

/** Queues a failed delivery, or one on hold, with all its attempts. False when it is neither, or does not exist. */
export async function replayDelivery(sql: Sql, projectId: string, id: string, nowMs: number): Promise<boolean> {
  const count = await sql.run`
    with added as (
      update deliveries
      set state = 'queued', attempts = 0, due_at = ${instant(nowMs)}, leased_until = null, ended_at = null, error = null
      where project_id = ${projectId}
        and id = ${id}
        and state in ('failed', 'held')
      returning channel, project_id, recipient, due_at
    )
    ${queueAdded}`;
  return count === 1;
}

/** Returns the number of deliveries deleted. */
export function deleteDeliveriesEndedBefore(sql: Sql, beforeMs: number): Promise<number> {
  return inPortions(
    limit => sql.run`
      delete from deliveries
      where id in (
        select id
        from deliveries
        where ended_at < ${instant(beforeMs)}
        limit ${limit}
      )`,
    5000,
  );
}

/**
 * A delivery with the sealed address of its recipient; both addresses are null for Slack and for deleted recipients.
 */
export type DeliveryRow = Delivery & {
  state: DeliveryState;
  due_at: number;
  error: string | null;
  sent_at: number | null;
  sealed_address: Buffer | null;
  sealed_url: Buffer | null;
};

const rowColumns = fragment`${deliveryColumns}, d.state, d.due_at, d.error, d.sent_at, s.sealed_address, w.sealed_url`;
const recipients = fragment`
  left join subscribers s on s.id = d.recipient
  left join webhooks w on w.id = d.recipient`;

/** Null means any. */
export type DeliveryFilter = {
  /** What they are about, or for: at most one. Deliveries about an alert are those about its group as well. */
  about: { incidentId?: string; alertId?: string; channelId?: string; maintenanceId?: string };
  topics?: readonly DeliveryTopic[] | null;
  states: readonly string[] | null;
  channels: readonly string[] | null;
};

/** Newest first. Reads one row more than the page shows. */
export async function listDeliveries(
  sql: Sql,
  projectId: string,
  filter: DeliveryFilter,
  page: Page,
): Promise<DeliveryRow[]> {
  const { about, topics = null, states, channels } = filter;
  const { incidentId = null, alertId = null, channelId = null, maintenanceId = null } = about;
  const isOnPage = fragment`
    d.project_id = ${projectId}
      and (${topics}::text[] is null or ${topic} = any(${topics}))
      and (${states}::text[] is null or d.state = any(${states}))
      and (${channels}::text[] is null or ${shownChannel} = any(${channels}))
      and ${olderThan(page, fragment`d.created_at, d.id`)}`;
  const newest = fragment`order by d.created_at desc, d.id desc limit ${page.limit + 1}`;
  if (alertId !== null)
    return sql.once<DeliveryRow>`
      with found as materialized (${ofAlert(projectId, alertId, isOnPage, newest)})
      select ${rowColumns}
      from found
      join deliveries d on d.id = found.id ${recipients}
      ${newest}`;
  return sql.rows<DeliveryRow>`
    select ${rowColumns}
    from deliveries d ${recipients}
    where ${isOnPage}
      and (${incidentId}::text is null or d.incident_id = ${incidentId})
      and (${maintenanceId}::text is null or d.maintenance_id = ${maintenanceId})
      and (${channelId}::text is null or d.channel_id = ${channelId})
    ${newest}`;
}

/** The ids of what is about an alert or its group: each part by an index of its own, and no more than fits a page. */
function ofAlert(projectId: string, alertId: string, isOnPage: Fragment, newest: Fragment): Fragment {
  return fragment`
    (
      select d.id
      from deliveries d
      where (${isAboutAlert(alertId)}) and ${isOnPage}
      ${newest}
    )
    union
    (
      select d.id
      from deliveries d
      where d.alert_id = ${alertId} and ${isOnPage}
      ${newest}
    )
    union
    (
      select d.id
      from alerts a
      join deliveries d on d.group_id = a.group_id
      where a.project_id = ${projectId} and a.id = ${alertId} and ${isOnPage}
      ${newest}
    )`;
}

/** Null when the project has no such delivery. */
export async function findDelivery(sql: Sql, projectId: string, id: string): Promise<DeliveryRow | null> {
  return sql.row<DeliveryRow>`
    select ${rowColumns}
    from deliveries d ${recipients}
    where d.project_id = ${projectId}
      and d.id = ${id}`;
}

/** Of deliveries without a type: emails that ask addresses of channels to confirm are of the queue of these. */
const shownNames: Readonly<Record<DeliveryChannel, string>> = {
  email: 'email',
  webhook: 'webhook',
  slack: 'slack',
  alert_channel: 'email',
  slack_webhook: 'slack',
  teams_webhook: 'teams',
  account: 'email',
};

/** Names of channels of alerts by id, without those that were deleted. */
export type ChannelNames = ReadonlyMap<string, string>;

/** Whose addresses the caller may see unmasked. */
export type DeliveryViewRights = { subscribers: boolean; webhooks: boolean };

/** A delivery as the API shows it, its recipient's address masked unless the caller may see it. */
export function viewDelivery(
  row: DeliveryRow,
  keyring: Keyring,
  rights: DeliveryViewRights,
  names: ChannelNames,
): DeliveryView {
  return {
    id: row.id,
    kind: storedName(row.kind),
    channel: row.channel_type ?? shownNames[row.channel],
    subject: row.subject,
    incident_id: row.incident_id,
    alert_id: row.alert_id,
    group_id: row.group_id,
    channel_id: row.channel_id,
    route_id: row.route_id,
    step: row.step,
    recipient_id: row.channel === 'slack' ? null : (row.channel_id ?? row.recipient),
    recipient: row.channel === 'alert_channel' ? nameOf(row, names) : recipientOf(row, keyring, rights),
    state: row.state,
    attempts: row.attempts,
    error: row.error,
    next_attempt_at: row.state === 'queued' ? toTimestamp(row.due_at) : null,
    created_at: toTimestamp(row.created_at),
    sent_at: row.sent_at === null ? null : toTimestamp(row.sent_at),
  };
}

function nameOf({ channel_id }: DeliveryRow, names: ChannelNames): string | null {
  return channel_id === null ? null : (names.get(channel_id) ?? null);
}

function recipientOf(row: DeliveryRow, keyring: Keyring, rights: DeliveryViewRights): string | null {
  const { channel, recipient, sealed_address, sealed_url } = row;
  if (channel === 'slack') return recipient;
  if (sealed_address !== null) {
    const address = openAddress({ id: recipient, sealed_address }, keyring);
    const isChat = channel === 'slack_webhook' || channel === 'teams_webhook';
    return rights.subscribers && !isChat ? address : maskAddress(address);
  }
  if (sealed_url === null) return null;
  const url = openUrl({ id: recipient, sealed_url }, keyring);
  return rights.webhooks ? url : maskAddress(url);
}
