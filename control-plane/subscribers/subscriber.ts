import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readOnlyKey, refuseRepeats } from '../http/validate.ts';
import { channels, emailSchema, webhookUrlSchema } from './address.ts';

export const subscriberStates = ['pending', 'active', 'unsubscribed', 'quarantined'] as const;
export type SubscriberState = (typeof subscriberStates)[number];

/** After so many failed deliveries in a row nothing more is sent. */
export const failuresMax = 5;

const componentIds = z
  .array(z.string().max(64))
  .max(200)
  .superRefine(refuseRepeats)
  .default([])
  .describe('components to be told of; empty: all of the page');
const consent = z.string().trim().min(1).max(1000).describe('how and when the person agreed');

/** Body of POST. With consent an address is active at once, without it is asked by mail. */
export const subscriberPostSchema = z
  .object({
    channel: z.enum(channels).default('email'),
    email: emailSchema.nullable().default(null),
    url: webhookUrlSchema.nullable().default(null),
    component_ids: componentIds,
    consent: consent.nullable().default(null),
  })
  .superRefine((body, context) => {
    const [wanted, other] = body.channel === 'email' ? (['email', 'url'] as const) : (['url', 'email'] as const);
    const message = `is required for the channel ${body.channel}`;
    if (body[wanted] === null)
      context.addIssue({ code: 'custom', path: [wanted], params: { code: 'required' }, message });
    if (body[other] !== null)
      context.addIssue({
        code: 'custom',
        path: [other],
        params: { code: 'not_allowed' },
        message: 'is of another channel',
      });
  })
  .meta({ [readOnlyKey]: ['id', 'status_page_id', 'state', 'secret', 'created_at', 'confirmed_at'] });
export type SubscriberPost = z.output<typeof subscriberPostSchema>;

export const importSchema = z.object({
  consent,
  subscribers: z
    .array(z.object({ email: emailSchema, component_ids: componentIds }))
    .min(1)
    .max(1000),
});
export type SubscriberImport = z.output<typeof importSchema>;

/** What a visitor of the page sends. */
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
    consent: z.string().nullable(),
    failures: z.int().describe('deliveries that failed in a row'),
    created_at: z.string(),
    confirmed_at: z.string().nullable(),
    secret: z.string().optional().describe('signs the webhook’s messages; only in the answer that made it'),
  })
  .meta({ title: 'Subscriber' });
export type SubscriberView = z.infer<typeof subscriberSchema>;

/** The secret of one's own links, and what is stored to find it again. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(24).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** A token has 192 random bits, so one round of SHA-256 is enough. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A key of the standard-webhooks form. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** What to do when an address that is known asks, or is entered, again. */
export type Again = { state: SubscriberState; confirm: boolean; replaceComponents: boolean };

const confirmAgainAfterMs = 3_600_000;

/**
 * Who left, or could not be reached, is asked anew, whoever enters them. A visitor changes nothing of an active one: anybody
 * may type an address. One mail an hour at most.
 */
export function decideAgain(
  known: { state: SubscriberState; confirmationSentAt: number | null },
  request: { byVisitor: boolean; consent: string | null },
  nowMs: number,
): Again {
  const replaceComponents = !request.byVisitor || known.state !== 'active';
  if (known.state === 'active') return { state: 'active', confirm: false, replaceComponents };
  if (known.state === 'pending' && request.consent !== null)
    return { state: 'active', confirm: false, replaceComponents };
  const lately = known.confirmationSentAt !== null && nowMs - known.confirmationSentAt < confirmAgainAfterMs;
  return { state: 'pending', confirm: !lately, replaceComponents };
}
