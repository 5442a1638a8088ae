import type { ApiServices, Served, Wing } from '../platform/services.ts';
import type { SubscriberHooks } from '../publishing/subscribers/hooks.ts';
import { allDeliveryEndpoints, type DeliveryServices } from './endpoints.ts';
import { cancelOfRecipient } from './notifications/cancel-store.ts';
import { fanOutFact, queueConfirmation } from './notifications/fan-out.ts';
import { deliveryRetention } from './retention.ts';
import { deliveryTimers } from './timers.ts';

type DeliveryApi = ApiServices & Pick<DeliveryServices, 'channels'>;

const subscriberHooks: SubscriberHooks = {
  confirmationWanted: queueConfirmation,
  left: (sql, id, nowMs) => cancelOfRecipient(sql, id, 'the subscriber unsubscribed', nowMs),
};

export const delivery = {
  serve: ({ keyring, channels }: DeliveryApi): Served => ({
    endpoints: allDeliveryEndpoints({ keyring, channels }),
  }),
  hooks: { subscribers: subscriberHooks },
  timers: deliveryTimers,
  retention: () => deliveryRetention,
  onFact: (sql, fact, { clock, baseUrl }) => fanOutFact(sql, fact, baseUrl, clock.now()),
} satisfies Wing & Record<string, unknown>;
