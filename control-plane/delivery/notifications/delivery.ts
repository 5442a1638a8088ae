import { z } from 'zod';
import { hourMs, minuteMs, secondMs } from '#shared/duration.ts';
import type { Outcome } from '../transports/outcome.ts';

const shownKinds = [
  'incident_update',
  'confirmation',
  'alert',
  'webhook',
  'operator',
  'digest',
  'notice',
  'test',
  'maintenance_update',
  'account',
  'invitation',
] as const;
/**
 * Queues of deliveries, each with slots of its own. `slack`: the Slack channels of monitors. `alert_channel`: channels
 * of alerts, whatever their types. The two after it: subscribers of pages. `account`: emails to people.
 */
export const deliveryChannels = [
  'email',
  'webhook',
  'slack',
  'alert_channel',
  'slack_webhook',
  'teams_webhook',
  'account',
] as const;
export type DeliveryChannel = (typeof deliveryChannels)[number];
type DeliveryKind = Exclude<(typeof shownKinds)[number], 'operator'> | 'alert_channel';

/** The project of deliveries that belong to none. */
export const noProject = 'none';

type Stored<Name extends string> = Name extends 'alert_channel' ? 'operator' : Name;

/** What the database, the API and metrics call a queue or a kind: `operator` is to channels of alerts. */
export function storedName<Name extends string>(name: Name): Stored<Name> {
  return (name === 'alert_channel' ? 'operator' : name) as Stored<Name>;
}

export const deliveryStates = ['queued', 'sent', 'failed', 'held', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A claimed delivery. `attempts` includes the current one, so it also identifies the claim. */
export type Delivery = {
  id: string;
  project_id: string;
  kind: DeliveryKind;
  channel: DeliveryChannel;
  subject: string;
  recipient: string;
  incident_id: string | null;
  thread: string;
  payload: unknown;
  attempts: number;
  created_at: number;
  alert_id: string | null;
  group_id: string | null;
  channel_id: string | null;
  channel_type: string | null;
  route_id: string | null;
  step: string | null;
};

/** A delivery to a channel of alerts. */
export type ChannelDelivery = Pick<
  Delivery,
  'id' | 'project_id' | 'kind' | 'recipient' | 'payload' | 'attempts' | 'channel_id' | 'channel_type' | 'group_id'
>;

/**
 * A delivery's state after an attempt. `blame`: it counts against the recipient. `gone`: the recipient wants no more.
 */
export type Settlement = {
  state: DeliveryState;
  error: string | null;
  /** Set for `queued` only. */
  retryInMs: number | null;
  blame: boolean;
  gone: boolean;
};

/** Delays before each retry, 24 hours in total. */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
  8 * hourMs,
  8 * hourMs,
];

const retryAfterMaxMs = hourMs;

/**
 * The delay after this number of attempts; null after the last. `random` in [0, 1) lengthens it by up to a fifth, so
 * that deliveries that failed together are not retried together.
 */
export function retryDelayMs(attempts: number, random: number): number | null {
  const delay = retryDelaysMs[attempts - 1];
  return delay === undefined ? null : Math.round(delay * (1 + random / 5));
}

/** Decides what an outcome means for its delivery. `attempts` includes the one just made; `random` is in [0, 1). */
export function settle(outcome: Outcome, attempts: number, random: number): Settlement {
  const ended = { retryInMs: null, blame: false, gone: false };
  switch (outcome.type) {
    case 'sent':
      return { ...ended, state: 'sent', error: outcome.note ?? null, blame: outcome.blame === true };
    case 'on_hold':
      return { ...ended, state: 'held', error: outcome.error };
    case 'cancelled':
      return { ...ended, state: 'cancelled', error: outcome.error };
    case 'refused':
      return { ...ended, state: 'failed', error: outcome.error, blame: !outcome.ours, gone: outcome.gone };
    case 'failed': {
      const delay = retryDelayMs(attempts, random);
      if (delay === null) return { ...ended, state: 'failed', error: outcome.error, blame: !outcome.ours };
      const requested = Math.min(outcome.retryAfterMs ?? 0, retryAfterMaxMs);
      return { ...ended, state: 'queued', error: outcome.error, retryInMs: Math.max(delay, requested) };
    }
    default:
      return outcome satisfies never;
  }
}

const deliverySchema = z
  .object({
    id: z.string(),
    kind: z.enum(shownKinds),
    channel: z.string().describe('Kind of channel: `email`, `slack`, `webhook`, or the type of the alert channel.'),
    subject: z
      .string()
      .describe('What the message is about: the ID of an incident update or alert, or an internal key.'),
    incident_id: z.string().nullable(),
    alert_id: z.string().nullable(),
    group_id: z.string().nullable().describe('ID of the group of alerts; null if there is none.'),
    channel_id: z.string().nullable().describe('ID of the alert channel; null if there is none.'),
    route_id: z.string().nullable().describe('ID of the route that named the channel; null if there is none.'),
    step: z
      .string()
      .nullable()
      .describe('What the channel is notified of, such as `opened` or `reminder`; null for other messages.'),
    recipient_id: z.string().nullable().describe('ID of the subscriber, webhook or channel; null for a Slack channel.'),
    recipient: z
      .string()
      .nullable()
      .describe(
        'Address, URL or Slack channel. Masked without `subscribers:read`, and a project’s webhook without ' +
          '`project:write`.',
      ),
    state: z.enum(deliveryStates),
    attempts: z.int(),
    error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed, or why the delivery is held or cancelled; for a sent one, a remark.'),
    next_attempt_at: z.string().nullable(),
    created_at: z.string(),
    sent_at: z.string().nullable(),
  })
  .meta({ title: 'Delivery' });
export type DeliveryView = z.infer<typeof deliverySchema>;

/** The same with the types of channels that there are: a later wing knows them. */
export function deliverySchemaFor(channelTypes: readonly string[]) {
  const channel = z.enum(channelTypes).describe(deliverySchema.shape.channel.description ?? '');
  return deliverySchema.extend({ channel }).meta({ title: 'Delivery' });
}
