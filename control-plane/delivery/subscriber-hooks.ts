import type { SubscriberHooks } from '../publishing/subscribers/hooks.ts';
import { cancelOfRecipient } from './notifications/cancel-store.ts';
import { queueConfirmation } from './notifications/fan-out.ts';

export const subscriberHooks: SubscriberHooks = {
  confirmationWanted: queueConfirmation,
  left: (sql, id, nowMs) => cancelOfRecipient(sql, id, 'the subscriber unsubscribed', nowMs),
};
