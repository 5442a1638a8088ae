import type { z } from 'zod';
import { jsonOf, outcomeOf } from '../../../delivery/transports/answer.ts';
import type { Mailer } from '../../../delivery/transports/email/send.ts';
import { onHold } from '../../../delivery/transports/outcome.ts';
import {
  callService,
  type Sent,
  type Thread,
  type Transport,
  unthreaded,
} from '../../../delivery/transports/transport.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../../platform/http/outbound.ts';
import type { Message } from '../message.ts';
import type { ServiceAddresses } from './service-addresses.ts';

/** What a request is made of beside the message and the configuration. */
export type ChannelContext = {
  /** Id of the delivery: the same in each attempt. */
  deliveryId: string;
  nowMs: number;
  addresses: ServiceAddresses;
  /** What the first message of the group left in this channel; null if there is none. */
  thread: Thread | null;
  /** The project's bot token; null if Slack is not connected. */
  slackToken: string | null;
  /** Whether Slack sends us clicks on buttons. */
  slackButtons: boolean;
  /** Signing secret of a webhook channel. */
  signingSecret: string | null;
};

/** With what it is sent. The mailer is null without an SMTP server: emails are on hold. */
export type ChannelClients = { outbound: Outbound; mailer: Mailer | null };

type SendContext<Config> = ChannelContext & ChannelClients & { config: Config };

type Description<Schema extends z.ZodObject> = {
  label: string;
  /** What it is for, in the list of types. */
  about: string;
  /** The configuration. What forms show of each field, and what is secret, is said by `field` (fields.ts). */
  schema: Schema;
  /** `detail` of a new channel; full unless it says brief. */
  detail?: 'brief';
  /** Calls people until somebody reacts: what ended before they were notified is not sent at all. */
  isPaging?: true;
  /** Its messages are signed with a secret that is shown when the channel is created. */
  isSigned?: true;
  /** Its messages are sent by the project's Slack app. */
  needsSlack?: true;
  /** The customer writes the body: what a receiver refuses of it is wrong for good. */
  hasTemplate?: true;
  /** Stored secrets stay with the exact URL instead of its server. */
  isBoundToUrl?: true;
  /** Email addresses, each of which has to confirm and is a recipient by itself. */
  mailboxes?(config: z.output<Schema>): readonly string[];
  /** Throws `validation_failed` for what the schema cannot tell. */
  check?(config: z.output<Schema>): void;
};

/**
 * How a service is called over HTTP. `request` is pure: null means that the service has nothing to be notified of in
 * this step. `result` says what its answer means.
 */
type Call<Schema extends z.ZodObject> = {
  request(
    message: Message,
    config: z.output<Schema>,
    context: ChannelContext,
  ): OutboundRequest | { onHold: string } | null;
  result(answer: OutboundAnswer, context: ChannelContext, config: z.output<Schema>): Sent;
};

/** A type of channel: its configuration, and the transport of messages about alerts. */
export type ChannelDefinition<Schema extends z.ZodObject = z.ZodObject> = Description<Schema> &
  Transport<Message, SendContext<z.output<Schema>>>;

/** A type whose service is called over HTTP. */
export type CalledDefinition<Schema extends z.ZodObject = z.ZodObject> = ChannelDefinition<Schema> & Call<Schema>;

/** A type that is sent by one request. Failures of the service and the network become outcomes. */
export function calledType<Schema extends z.ZodObject>(
  definition: Description<Schema> & Call<Schema>,
): CalledDefinition<Schema> {
  return {
    ...definition,
    send: async (message, { outbound, mailer: _, config, ...context }) => {
      const request = definition.request(message, config, context);
      if (request === null) return unthreaded({ type: 'sent' });
      if ('onHold' in request) return unthreaded(onHold(request.onHold));
      return callService(outbound, request, answer => definition.result(answer, context, config));
    },
  };
}

/** What an answer means, by its status alone. */
export function byStatus(answer: OutboundAnswer, { nowMs }: Pick<ChannelContext, 'nowMs'>): Sent {
  return unthreaded(outcomeOf(answer, nowMs));
}

/** By status, with the `message` of JSON as the reason. Only for services whose addresses customers cannot choose. */
export function byStatusAndMessage(answer: OutboundAnswer, { nowMs }: Pick<ChannelContext, 'nowMs'>): Sent {
  const reason = (jsonOf(answer) as { message?: unknown } | null)?.message;
  return unthreaded(outcomeOf(answer, nowMs, { reason }));
}
