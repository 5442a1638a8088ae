import type { Sql } from '../../platform/db/sql.ts';
import { findSubscribers } from '../../publishing/subscribers/store.ts';
import type { Outcome } from '../transports/outcome.ts';
import type { Delivery, Settlement } from './delivery.ts';
import { readNotices } from './incident-notice-store.ts';
import { readMaintenanceNotices } from './maintenance-notice-store.ts';
import { askedSubject } from './queue-account-news.ts';
import { type AskedServices, askedRecipient } from './recipients/asked.ts';
import { invitedRecipient } from './recipients/invited.ts';
import { type PersonServices, personRecipient } from './recipients/person.ts';
import { type ProjectServices, projectRecipient } from './recipients/project.ts';
import type { DeliveryContext, Recipient } from './recipients/recipient.ts';
import { type SubscriberServices, subscriberRecipient } from './recipients/subscriber.ts';

export type DeliveryServices = SubscriberServices &
  ProjectServices &
  PersonServices &
  AskedServices & {
    /** Channels of alerts are of a later wing. */
    alertChannels: Recipient;
  };

const toSubscribers: ReadonlySet<Delivery['kind']> = new Set(['incident_update', 'maintenance_update', 'confirmation']);

export const noContext: DeliveryContext = {
  subscribers: new Map(),
  notices: new Map(),
  maintenances: new Map(),
  emails: new Map(),
  posts: new Map(),
};

/** Reads what the deliveries need, once for all of them. What was deleted is missing. */
export async function loadContext(sql: Sql, deliveries: readonly Delivery[]): Promise<DeliveryContext> {
  if (deliveries.length === 0) return noContext;
  const subjects = (wanted: Delivery['kind']) => [
    ...new Set(deliveries.filter(({ kind }) => kind === wanted).map(({ subject }) => subject)),
  ];
  const recipients = deliveries.filter(isToSubscriber).map(({ recipient }) => recipient);
  const [subscribers, notices, maintenances] = await Promise.all([
    recipients.length === 0 ? [] : findSubscribers(sql, [...new Set(recipients)]),
    readNotices(sql, subjects('incident_update')),
    readMaintenanceNotices(sql, subjects('maintenance_update')),
  ]);
  const rows = new Map(subscribers.map(row => [row.id, row]));
  return { subscribers: rows, notices, maintenances, emails: new Map(), posts: new Map() };
}

/** Makes one attempt. A delivery whose subject or recipient is gone is cancelled. */
export function attempt(
  services: DeliveryServices,
  delivery: Delivery,
  context: DeliveryContext,
  nowMs: number,
): Promise<Outcome> {
  return recipientOf(services, delivery).attempt(delivery, nowMs, context);
}

/** Counts the end of a delivery for or against its recipient: repeated failures stop further deliveries. */
export function updateRecipientHealth(
  services: DeliveryServices,
  delivery: Delivery,
  settlement: Settlement,
  context: DeliveryContext,
  nowMs: number,
): Promise<void> {
  return recipientOf(services, delivery).settled(delivery, settlement, nowMs, context);
}

function recipientOf(services: DeliveryServices, delivery: Delivery): Recipient {
  if (delivery.channel === 'alert_channel') return services.alertChannels;
  if (delivery.kind === 'invitation') return invitedRecipient(services);
  if (delivery.channel === 'account')
    return delivery.subject.startsWith(askedSubject) ? askedRecipient(services) : personRecipient(services);
  return isToSubscriber(delivery) ? subscriberRecipient(services) : projectRecipient(services);
}

function isToSubscriber({ channel, kind }: Delivery): boolean {
  return channel !== 'alert_channel' && toSubscribers.has(kind);
}
