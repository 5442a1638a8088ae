import type { SubscriberRow } from '../../../publishing/subscribers/store.ts';
import type { Outcome } from '../../transports/outcome.ts';
import type { ChatPost } from '../../transports/post.ts';
import type { Delivery, Settlement } from '../delivery.ts';
import type { UpdateEmail } from '../email/update.ts';
import type { IncidentNotice } from '../incident-notice.ts';
import type { MaintenanceNotice } from '../maintenance-notice.ts';

/**
 * What the deliveries of one claim have in common, by id: subscribers, and notices by the id of their update. Emails
 * and posts are rendered once per update.
 */
export type DeliveryContext = {
  subscribers: Map<string, SubscriberRow>;
  notices: Map<string, IncidentNotice>;
  maintenances: Map<string, MaintenanceNotice>;
  emails: Map<string, UpdateEmail>;
  posts: Map<string, ChatPost>;
};

/**
 * A kind of recipient. `attempt` finds the recipient's transport and sends once; `settled` counts the end of a delivery
 * for or against the recipient.
 */
export type Recipient = {
  attempt(delivery: Delivery, nowMs: number, context: DeliveryContext): Promise<Outcome>;
  settled(delivery: Delivery, settlement: Settlement, nowMs: number, context: DeliveryContext): Promise<void>;
};

/** Whether a settlement says something about the recipient: it was sent, or failed for good and not by our fault. */
export function isVerdict({ state, blame }: Settlement): boolean {
  return state === 'sent' || (state === 'failed' && blame);
}
