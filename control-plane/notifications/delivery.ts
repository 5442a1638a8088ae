import { z } from 'zod';

export const deliveryKinds = ['incident_update', 'confirmation', 'alert', 'webhook'] as const;
export const deliveryChannels = ['email', 'webhook', 'slack'] as const;
export type DeliveryChannel = (typeof deliveryChannels)[number];
export const deliveryStates = ['queued', 'sent', 'failed', 'held', 'cancelled'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A delivery as it was claimed; `attempts` counts this one and tells its holder from any later one. */
export type Delivery = {
  id: string;
  project_id: string;
  kind: (typeof deliveryKinds)[number];
  channel: DeliveryChannel;
  subject: string;
  recipient: string;
  incident_id: string | null;
  thread: string | null;
  payload: unknown;
  attempts: number;
  created_at: number;
};

/**
 * What one attempt came to. `refused` will not get better; `failed` may. `ours` says that the recipient is not to blame:
 * our server could not be reached or would not have us.
 */
export type Outcome =
  | { type: 'sent' }
  | { type: 'refused'; error: string; gone: boolean; ours: boolean }
  | { type: 'failed'; error: string; retryAfterMs: number | null; ours: boolean }
  | { type: 'held'; error: string }
  | { type: 'cancelled'; error: string };

/** What becomes of a delivery after an attempt. `blame`: it counts against the recipient; `gone`: nothing more is to be sent there. */
export type Settlement = {
  state: DeliveryState;
  error: string | null;
  /** Set for `queued` alone. */
  retryInMs: number | null;
  blame: boolean;
  gone: boolean;
};

const [second, minute, hour] = [1000, 60_000, 3_600_000];

/** Waits before each further attempt, 24 hours in all. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  8 * hour,
];

const retryAfterMaxMs = hour;

/** The wait after so many attempts, up to a fifth longer by `random` in [0, 1), so that what failed together does not come back together; null after the last. */
export function retryDelayMs(attempts: number, random: number): number | null {
  const delay = retryDelaysMs[attempts - 1];
  return delay === undefined ? null : Math.round(delay * (1 + random / 5));
}

export function settle(outcome: Outcome, attempts: number, random: number): Settlement {
  const ended = { retryInMs: null, blame: false, gone: false };
  switch (outcome.type) {
    case 'sent':
      return { ...ended, state: 'sent', error: null };
    case 'held':
    case 'cancelled':
      return { ...ended, state: outcome.type, error: outcome.error };
    case 'refused':
      return { ...ended, state: 'failed', error: outcome.error, blame: !outcome.ours, gone: outcome.gone };
    case 'failed': {
      const delay = retryDelayMs(attempts, random);
      if (delay === null) return { ...ended, state: 'failed', error: outcome.error, blame: !outcome.ours };
      const asked = Math.min(outcome.retryAfterMs ?? 0, retryAfterMaxMs);
      return { ...ended, state: 'queued', error: outcome.error, retryInMs: Math.max(delay, asked) };
    }
    default:
      return outcome satisfies never;
  }
}

export const deliverySchema = z
  .object({
    id: z.string(),
    kind: z.enum(deliveryKinds),
    channel: z.enum(deliveryChannels),
    subject: z.string().describe('the update, alert or fact it tells of'),
    incident_id: z.string().nullable(),
    recipient_id: z.string().nullable().describe('the subscriber or webhook'),
    recipient: z.string().nullable().describe('address, URL or Slack channel; masked without subscribers:read'),
    state: z.enum(deliveryStates),
    attempts: z.int(),
    error: z.string().nullable().describe('why the last attempt failed, or why it is held'),
    next_attempt_at: z.string().nullable(),
    created_at: z.string(),
    sent_at: z.string().nullable(),
  })
  .meta({ title: 'Delivery' });
export type DeliveryView = z.infer<typeof deliverySchema>;
