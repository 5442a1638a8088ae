import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { dayMs, hourMs } from '#shared/duration.ts';
import { readOnlyKey, refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { channels, emailSchema, webhookUrlSchema } from './address.ts';

export const subscriberStates = ['pending', 'active', 'unsubscribed', 'quarantined'] as const;
export type SubscriberState = (typeof subscriberStates)[number];

/** Consecutive failed deliveries after which nothing more is sent. */
export const failuresMax = 5;

const componentIds = z
  .array(z.string().max(64))
  .max(200)
  .superRefine(refuseRepeats)
  .default([])
  .describe('IDs of the components to be notified about; empty for the whole page.');
const consent = z.string().trim().min(1).max(1000).describe('How and when the person consented.');

/** Body of POST. With consent an email address is active at once; without, it is sent a confirmation email. */
export const subscriberPostSchema = z
  .object({
    channel: z.enum(channels).default('email'),
    email: emailSchema.nullable().default(null),
    url: webhookUrlSchema.nullable().default(null),
    component_ids: componentIds,
    consent: consent.nullable().default(null),
  })
  .superRefine((body, context) => {
    const [required, other] = body.channel === 'email' ? (['email', 'url'] as const) : (['url', 'email'] as const);
    const message = `is required for the channel ${body.channel}`;
    if (body[required] === null)
      context.addIssue({ code: 'custom', path: [required], params: { code: 'required' }, message });
    if (body[other] !== null)
      context.addIssue({
        code: 'custom',
        path: [other],
        params: { code: 'not_allowed' },
        message: `is not allowed for the channel ${body.channel}`,
      });
  })
  .meta({ [readOnlyKey]: ['id', 'status_page_id', 'state', 'state_reason', 'secret', 'created_at', 'confirmed_at'] });

const importedState = z
  .enum(subscriberStates)
  .default('active')
  .describe('State that the subscriber had on the former page. Only active ones receive updates.');

export const importSchema = z.object({
  consent,
  subscribers: z
    .array(z.object({ email: emailSchema, component_ids: componentIds, state: importedState }))
    .min(1)
    .max(1000),
});
export type SubscriberImport = z.output<typeof importSchema>;

/** Body of the form on the public page. */
export const subscribeSchema = z.object({ email: emailSchema, component_ids: componentIds });

export const subscriberSchema = z
  .object({
    id: z.string(),
    status_page_id: z.string(),
    channel: z.enum(channels),
    email: z.string().nullable(),
    url: z.string().nullable(),
    component_ids: z.array(z.string()),
    state: z.enum(subscriberStates),
    state_reason: z
      .string()
      .nullable()
      .describe('Why the subscriber was quarantined, if the import was ended; otherwise null.'),
    consent: z.string().nullable(),
    failures: z.int().describe('Number of failed deliveries in a row.'),
    created_at: z.string(),
    confirmed_at: z.string().nullable(),
    secret: z
      .string()
      .optional()
      .describe('Secret that signs the webhook’s messages. Returned only when it is created.'),
  })
  .meta({ title: 'Subscriber' });
export type SubscriberView = z.infer<typeof subscriberSchema>;

/** A token for the links in a subscriber's emails, and the hash by which it is found again. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(24).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** Whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{32}$/.test(text);
}

/** A token has 192 random bits, so one round of SHA-256 is enough. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A signing key as standard-webhooks specifies: `whsec_` and 32 random bytes in Base64. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The confirmation emails that an address got for a page. */
export type Confirmations = { sent: number; lastSentAt: number | null };

/** How long after each confirmation email the next may be sent. After the last there is no other. */
const confirmationWaitsMs: readonly number[] = [hourMs, dayMs, 7 * dayMs];

/** Whether an address may be sent another confirmation email for a page, whoever asks. */
export function mayConfirm({ sent, lastSentAt }: Confirmations, nowMs: number): boolean {
  if (sent === 0 || lastSentAt === null) return true;
  const waitMs = confirmationWaitsMs[sent - 1];
  return waitMs !== undefined && nowMs - lastSentAt >= waitMs;
}

/** What becomes of an existing subscriber that subscribes, or is added, again. */
export type Resubscription = { state: SubscriberState; confirm: boolean; replaceComponents: boolean };

/**
 * A subscriber that was quarantined must confirm again, whoever adds it; one that unsubscribed is asked again only by
 * the operator. A visitor changes nothing of an active subscriber, since anyone can type an address.
 */
export function decideResubscription(
  state: SubscriberState,
  request: { byVisitor: boolean; consent: string | null },
): Resubscription {
  if (state === 'unsubscribed' && request.byVisitor) return { state, confirm: false, replaceComponents: false };
  const replaceComponents = !request.byVisitor || state !== 'active';
  if (state === 'active' || (state === 'pending' && request.consent !== null))
    return { state: 'active', confirm: false, replaceComponents };
  return { state: 'pending', confirm: true, replaceComponents };
}
