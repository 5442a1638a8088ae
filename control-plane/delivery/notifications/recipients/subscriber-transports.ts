import type { Outbound } from '../../../platform/http/outbound.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { SubscriberChannel } from '../../../publishing/subscribers/address.ts';
import { openAddress, openSecret, openToken } from '../../../publishing/subscribers/sealed.ts';
import type { SubscriberRow } from '../../../publishing/subscribers/store.ts';
import { emailNotConfigured, type Mailer } from '../../transports/email/send.ts';
import { onHold } from '../../transports/outcome.ts';
import { type Transport, unthreaded } from '../../transports/transport.ts';
import { webhookTransport } from '../../transports/webhook/webhook.ts';
import type { UpdateEmail } from '../email/update.ts';

/** An update of an incident or a window in every form that subscribers get it in. `key`: one text for all. */
export type SubscriberNews = { key: string; email(): UpdateEmail; payload(): unknown };

type SubscriberTarget = {
  subscriber: SubscriberRow;
  keyring: Keyring;
  outbound: Outbound;
  mailer: Mailer | null;
  /** Rendered for others of the same claim, by key. */
  emails: Map<string, UpdateEmail>;
  deliveryId: string;
  nowMs: number;
};

type SubscriberTransport = Transport<SubscriberNews, SubscriberTarget>;

const email: SubscriberTransport = {
  send: async (news, { subscriber, keyring, mailer, emails, deliveryId }) => {
    if (mailer === null) return unthreaded(onHold(emailNotConfigured));
    const rendered = emails.get(news.key) ?? news.email();
    emails.set(news.key, rendered);
    const [to, token] = [openAddress(subscriber, keyring), openToken(subscriber, keyring)];
    return unthreaded(await mailer.send(rendered({ to, token, deliveryId })));
  },
};

const webhook: SubscriberTransport = {
  send: (news, { subscriber, keyring, outbound, deliveryId, nowMs }) => {
    const [url, secrets] = [openAddress(subscriber, keyring), [openSecret(subscriber, keyring) ?? '']];
    return webhookTransport.send(
      { id: deliveryId, body: JSON.stringify(news.payload()) },
      { url, secrets, nowMs, outbound },
    );
  },
};

/** How subscribers of each kind are reached. */
export const subscriberTransports: Readonly<Record<SubscriberChannel, SubscriberTransport>> = {
  email,
  webhook,
};
