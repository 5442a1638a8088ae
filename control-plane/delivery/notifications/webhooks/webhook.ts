import { z } from 'zod';
import { alertKinds } from '#shared/vocabulary.ts';
import { usualWebhookKinds, webhookKinds } from '#shared/webhook-kinds.ts';
import { readOnlyKey, refuseRepeats } from '../../../platform/http/bodies/validate.ts';
import { webhookUrlSchema } from '../../../publishing/subscribers/address.ts';

const fields = {
  url: webhookUrlSchema,
  kinds: z.array(z.enum(webhookKinds)).min(1).max(webhookKinds.length).superRefine(refuseRepeats),
  alert_kinds: z
    .array(z.enum(alertKinds))
    .min(1)
    .max(alertKinds.length)
    .superRefine(refuseRepeats)
    .describe('Kinds of alerts whose events are sent to the webhook.'),
  enabled: z.boolean(),
};
const readOnly = {
  [readOnlyKey]: ['id', 'project_id', 'secret', 'previous_secret_until', 'failures', 'created_at'],
};

export const webhookPostSchema = z
  .object({
    ...fields,
    kinds: fields.kinds.default([...usualWebhookKinds]),
    alert_kinds: fields.alert_kinds.default(['down']),
    enabled: fields.enabled.default(true),
  })
  .meta(readOnly);
export type WebhookPost = z.output<typeof webhookPostSchema>;

export const webhookPatchSchema = z.object(fields).partial().meta(readOnly);
export type WebhookPatch = z.output<typeof webhookPatchSchema>;

const overlapSecondsMax = 604_800;

export const secretRotationSchema = z.object({
  overlap_seconds: z
    .int()
    .min(0)
    .max(overlapSecondsMax)
    .default(86_400)
    .describe('Seconds for which messages are also signed with the previous secret.'),
});

export const webhookSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    url: z.string().describe('URL of the webhook. Masked without `project:write`, since it may contain a secret.'),
    kinds: z.array(z.enum(webhookKinds)),
    alert_kinds: z.array(z.enum(alertKinds)),
    enabled: z
      .boolean()
      .describe('Whether messages are sent. Five failed deliveries in a row or one 410 response disable the webhook.'),
    failures: z.int().describe('Number of failed deliveries in a row.'),
    created_at: z.string(),
    previous_secret_until: z
      .string()
      .nullable()
      .describe('Time until which messages are also signed with the previous secret; null if there is none.'),
    secret: z
      .string()
      .optional()
      .describe(
        'Secret that signs the messages. Returned only when the webhook is created and when its secret is ' +
          'rotated.',
      ),
  })
  .meta({ title: 'Webhook' });
export type WebhookView = z.infer<typeof webhookSchema>;
