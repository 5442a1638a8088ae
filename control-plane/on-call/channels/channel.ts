import { z } from 'zod';
import { channelTypes } from '#shared/vocabulary.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { configSchemas } from './config.ts';

const details = ['full', 'brief'] as const;
const channelStates = ['ok', 'failing', 'unverified'] as const;

const fields = {
  name: lineSchema(100),
  detail: z.enum(details).describe('`brief`: only names, counts, times, the kind of failure and the status code'),
  enabled: z.boolean(),
};
const readOnly = {
  [readOnlyKey]: [
    'id',
    'project_id',
    'key',
    'managed_by',
    'state',
    'unconfirmed',
    'last_sent_at',
    'last_error',
    'secret',
    'created_at',
    'updated_at',
  ],
};

const variants = channelTypes.map(type => {
  const detail = fields.detail.default(type === 'ntfy' ? 'brief' : 'full');
  const config: z.ZodType = configSchemas[type];
  return z
    .object({ type: z.literal(type), ...fields, config, detail, enabled: fields.enabled.default(true) })
    .meta(readOnly);
});

/** Body of POST: `config` depends on the type. */
export const channelPostSchema = z.discriminatedUnion('type', variants as [(typeof variants)[0], ...typeof variants]);
export type ChannelPost = z.output<(typeof variants)[0]>;

/** Body of PATCH. `config` is replaced as a whole, and checked with the stored type. */
export const channelPatchSchema = z
  .object({ ...fields, config: z.record(z.string(), z.unknown()) })
  .partial()
  .meta({ [readOnlyKey]: [...readOnly[readOnlyKey], 'type'] });
export type ChannelPatch = z.output<typeof channelPatchSchema>;

const channel_id = z
  .string()
  .max(40)
  .optional()
  .describe('a channel of the type, whose stored secrets stand for masked ones');
const testVariants = channelTypes.map(type => {
  const config: z.ZodType = configSchemas[type];
  return z.object({ type: z.literal(type), config, channel_id });
});

/** Body of a test without a channel. */
export const channelTestSchema = z.discriminatedUnion(
  'type',
  testVariants as [(typeof testVariants)[0], ...typeof testVariants],
);

export type ChannelTest = z.output<(typeof testVariants)[0]>;

export const testAnswerSchema = z
  .object({
    sent: z.boolean(),
    error: z.string().nullable().describe('why it was not sent'),
    ms: z.int().describe('how long the service took'),
  })
  .meta({ title: 'ChannelTest' });
export type TestAnswer = z.infer<typeof testAnswerSchema>;

export const channelSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    name: z.string(),
    type: z.enum(channelTypes),
    config: z.record(z.string(), z.unknown()).describe('secrets read `********`; sent back, they are kept'),
    detail: z.enum(details),
    enabled: z.boolean(),
    state: z
      .enum(channelStates)
      .describe(
        '`failing`: five deliveries in a row failed, or one three times; `unverified`: an address is not confirmed',
      ),
    unconfirmed: z.array(z.string()).describe('email addresses that have not confirmed yet'),
    last_sent_at: z.string().nullable(),
    last_error: z.string().nullable(),
    secret: z.string().optional().describe('signs what a webhook gets; only in the response that created the channel'),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Channel' });
export type ChannelView = z.infer<typeof channelSchema>;
