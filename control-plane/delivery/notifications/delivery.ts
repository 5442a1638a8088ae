import { z } from 'zod';
import { hourMs, minuteMs, secondMs } from '#shared/duration.ts';
import { type ChannelType, channelTypes } from '#shared/vocabulary.ts';

const deliveryKinds = [
  'incident_update',
  'confirmation',
  'alert',
  'webhook',
  'operator',
  'digest',
  'notice',
  'test',
  'maintenance_update',
] as const;
/** Queues of deliveries. `operator` are those to channels of alerts, whatever their types. */
export const deliveryChannels = ['email', 'webhook', 'slack', 'operator'] as const;
export type DeliveryChannel = (typeof deliveryChannels)[number];
/** What lists of deliveries show as their channel, and filter by. */
export const shownChannels = channelTypes;
export const deliveryStates = ['queued', 'sent', 'failed', 'held', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A claimed delivery. `attempts` includes the current one, so it also identifies the claim. */
export type Delivery = {
  id: string;
  project_id: string;
  kind: (typeof deliveryKinds)[number];
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
  channel_type: ChannelType | null;
  route_id: string | null;
  step: string | null;
};

/** A delivery to a channel of alerts. */
export type ChannelDelivery = Pick<
  Delivery,
  'id' | 'project_id' | 'kind' | 'recipient' | 'payload' | 'attempts' | 'channel_id' | 'channel_type' | 'group_id'
>;

/** Sends deliveries to channels of alerts, and hears what became of them. */
export type ChannelSender = {
  attempt(delivery: ChannelDelivery, nowMs: number): Promise<Outcome>;
  settled(delivery: ChannelDelivery, settlement: Settlement, nowMs: number): Promise<void>;
};

/** Why emails are held without an SMTP server. */
export const emailNotConfigured = 'email is not configured: SMTP_URL is not set';

/**
 * The result of one attempt. `note`: what there is to say of one that was sent, `blame`: it counts against the channel
 * nevertheless. `refused` is permanent, `failed` is retried. `ours`: the recipient is not to blame,
 * because our own server was unreachable or rejected the message itself.
 */
export type Outcome =
  | { type: 'sent'; note?: string; blame?: boolean }
  | { type: 'refused'; error: string; gone: boolean; ours: boolean }
  | { type: 'failed'; error: string; retryAfterMs: number | null; ours: boolean }
  | { type: 'held'; error: string }
  | { type: 'cancelled'; error: string };

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
    case 'held':
    case 'cancelled':
      return { ...ended, state: outcome.type, error: outcome.error };
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

export const deliverySchema = z
  .object({
    id: z.string(),
    kind: z.enum(deliveryKinds),
    channel: z
      .enum(shownChannels)
      .describe('Kind of channel: `email`, `slack`, `webhook`, or the type of the alert channel.'),
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
