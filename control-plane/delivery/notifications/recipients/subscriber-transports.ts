import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../platform/http/outbound.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { SubscriberChannel } from '../../../publishing/subscribers/address.ts';
import { openAddress, openSecret, openToken } from '../../../publishing/subscribers/sealed.ts';
import type { SubscriberRow } from '../../../publishing/subscribers/store.ts';
import { outcomeOf } from '../../transports/answer.ts';
import { emailNotConfigured, type Mailer } from '../../transports/email/send.ts';
import { type Outcome, onHold } from '../../transports/outcome.ts';
import type { ChatPost } from '../../transports/post.ts';
import { slackContent } from '../../transports/slack/blocks.ts';
import { slackWebhookPost } from '../../transports/slack/incoming.ts';
import { teamsRequest } from '../../transports/teams/card.ts';
import { callService, type Transport, unthreaded } from '../../transports/transport.ts';
import { webhookTransport } from '../../transports/webhook/webhook.ts';
import type { UpdateEmail } from '../email/update.ts';

/** An update of an incident or a window in every form that subscribers get it in. `key`: one text for all. */
export type SubscriberNews = { key: string; email(): UpdateEmail; payload(): unknown; chat(): ChatPost };

type SubscriberTarget = {
  subscriber: SubscriberRow;
  keyring: Keyring;
  outbound: Outbound;
  mailer: Mailer | null;
  /** Rendered for others of the same claim, by key. */
  emails: Map<string, UpdateEmail>;
  posts: Map<string, ChatPost>;
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

const slack = chatTransport((url, { title, lines, links }) => {
  const buttons = links.map(link => ({ label: link.title, more: { action_id: 'view', url: link.url } }));
  return slackWebhookPost(url, slackContent(title, lines, buttons));
});

const teams = chatTransport(teamsRequest);

/** An incoming webhook of a chat. */
function chatTransport(requestOf: (url: string, post: ChatPost) => OutboundRequest): SubscriberTransport {
  return {
    send: (news, { subscriber, keyring, outbound, posts, nowMs }) => {
      const post = posts.get(news.key) ?? news.chat();
      posts.set(news.key, post);
      const request = requestOf(openAddress(subscriber, keyring), post);
      return callService(outbound, request, answer => unthreaded(outcomeOfWebhook(answer, nowMs)));
    },
  };
}

/** What a service refuses it would refuse again; 410 says that there is no such webhook any more. */
function outcomeOfWebhook(answer: OutboundAnswer, nowMs: number): Outcome {
  const outcome = outcomeOf(answer, nowMs);
  return outcome.type === 'refused' && answer.status === 410 ? { ...outcome, gone: true } : outcome;
}

/** How subscribers of each kind are reached. */
export const subscriberTransports: Readonly<Record<SubscriberChannel, SubscriberTransport>> = {
  email,
  webhook,
  slack,
  teams,
};
