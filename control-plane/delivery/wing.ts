import type { ApiServices, Served, Wing } from '../platform/services.ts';
import { allDeliveryEndpoints, type DeliveryServices } from './endpoints.ts';
import { erasureHooks } from './erasure-hooks.ts';
import { fanOutFact } from './notifications/fan-out.ts';
import { emailPeople, mailInvitation, mailSignIn } from './notifications/queue-account-news.ts';
import { deliveryRetention } from './retention.ts';
import { subscriberHooks } from './subscriber-hooks.ts';
import { deliveryTimers } from './timers.ts';

type DeliveryApi = ApiServices & Pick<DeliveryServices, 'channels'>;

export const delivery = {
  serve: ({ keyring, channels }: DeliveryApi): Served => ({
    endpoints: allDeliveryEndpoints({ keyring, channels }),
  }),
  hooks: { subscribers: subscriberHooks },
  erasureHooks,
  emailPeople,
  mailInvitation,
  mailSignIn,
  timers: deliveryTimers,
  retention: () => deliveryRetention,
  onFact: (sql, fact, { clock, baseUrl }) => fanOutFact(sql, fact, baseUrl, clock.now()),
} satisfies Wing & Record<string, unknown>;
