import { z } from 'zod';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { channelTypeNames, channelTypes } from './types/registry.ts';

const details = ['full', 'brief'] as const;
const channelStates = ['ok', 'failing', 'unverified'] as const;

const fields = {
  name: lineSchema(100),
  detail: z
    .enum(details)
    .describe('How much messages tell. `brief`: only names, counts, times, the kind of failure and the status code.'),
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

const variants = channelTypeNames.map(type => {
  const { schema: config, detail = 'full' } = channelTypes[type];
  return z
    .object({
      type: z.literal(type),
      ...fields,
      config,
      detail: fields.detail.default(detail),
      enabled: fields.enabled.default(true),
    })
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
  .describe('ID of a channel of the same type whose stored secrets replace masked ones.');
const testVariants = channelTypeNames.map(type =>
  z.object({ type: z.literal(type), config: channelTypes[type].schema, channel_id }),
);

/** Body of a test without a channel. */
export const channelTestSchema = z.discriminatedUnion(
  'type',
  testVariants as [(typeof testVariants)[0], ...typeof testVariants],
);

export type ChannelTest = z.output<(typeof testVariants)[0]>;

export const testAnswerSchema = z
  .object({
    sent: z.boolean(),
    error: z.string().nullable().describe('Why the message was not sent; null if it was.'),
    ms: z.int().describe('Time that the service took, in milliseconds.'),
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
    type: z.enum(channelTypeNames),
    config: z
      .record(z.string(), z.unknown())
      .describe('Settings of the service. Secrets are shown as `********`; sent back like this, they are kept.'),
    detail: z.enum(details),
    enabled: z.boolean(),
    state: z
      .enum(channelStates)
      .describe(
        'State of the channel. `failing`: five deliveries in a row failed, or one three times; `unverified`: ' +
          'an address is not confirmed.',
      ),
    unconfirmed: z.array(z.string()).describe('Email addresses that have not been confirmed yet.'),
    last_sent_at: z.string().nullable(),
    last_error: z.string().nullable(),
    secret: z
      .string()
      .optional()
      .describe('Secret that signs the messages of a webhook channel. Returned only when the channel is created.'),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'Channel' });
export type ChannelView = z.infer<typeof channelSchema>;
