import { z } from 'zod';
import type { ChannelType } from '#shared/vocabulary.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import { emailSchema, webhookUrlSchema } from '../../publishing/subscribers/address.ts';

/** What the API shows instead of a secret; sent back, it keeps the stored one. */
const mask = '********';

/** A secret: what its own schema accepts, or the mask. */
const sealed = <Schema extends z.ZodType>(schema: Schema) => schema.or(z.literal(mask));

const printable = (min: number, max: number) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII without blanks');
const secretUrl = sealed(webhookUrlSchema);
const secret = sealed(printable(8, 500));
const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'must be a header name');
const headerValue = z
  .string()
  .max(2000)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');
const ownHeaders = ['connection', 'content-length', 'content-type', 'host', 'keep-alive', 'te', 'trailer'];
const framingHeaders = ['transfer-encoding', 'upgrade', 'user-agent', 'accept-encoding'];

/** The `config` of each type of channel. */
export const configSchemas = {
  email: z.object({
    to: z
      .array(emailSchema)
      .min(1)
      .max(20)
      .superRefine((items, context) => {
        for (const [index, item] of items.entries())
          if (items.findIndex(other => other.toLowerCase() === item.toLowerCase()) < index)
            context.addIssue({
              code: 'custom',
              path: [index],
              params: { code: 'not_allowed' },
              message: 'is given twice',
            });
      })
      .describe('Email addresses, each of which must be confirmed once.'),
  }),
  slack: z
    .object({
      channel: z
        .string()
        .regex(/^(#[^\s#@<>&]{1,80}|[CGD][A-Z0-9]{5,20})$/, 'must be #name or a channel’s ID')
        .nullable()
        .default(null)
        .describe('Slack channel that the project’s bot posts to.'),
      webhook_url: secretUrl.nullable().default(null).describe('URL of an incoming webhook, instead of the bot.'),
    })
    .superRefine((config, context) => {
      if ((config.channel === null) === (config.webhook_url === null))
        context.addIssue({
          code: 'custom',
          path: ['channel'],
          params: { code: 'required' },
          message: 'give either `channel` or `webhook_url`',
        });
    }),
  webhook: z.object({ url: secretUrl }),
  pagerduty: z.object({
    routing_key: secret.describe('Integration key of an Events API v2 integration.'),
    region: z.enum(['us', 'eu']).default('us'),
    webhook_secret: secret
      .nullable()
      .default(null)
      .describe('Secret of a V3 webhook subscription that acknowledges alerts here.'),
  }),
  opsgenie: z.object({
    api_key: secret,
    site: z
      .enum(['us', 'eu', 'jsm'])
      .default('us')
      .describe('Site of the account. `jsm`: Jira Service Management, the successor of Opsgenie.'),
  }),
  teams: z.object({
    url: secretUrl.describe('URL of a workflow that posts to a channel when a webhook request is received.'),
  }),
  discord: z.object({
    url: secretUrl,
    thread_id: z
      .string()
      .regex(/^\d{5,20}$/, 'must be the ID of a thread')
      .nullable()
      .default(null),
  }),
  telegram: z.object({
    bot_token: sealed(z.string().regex(/^\d{3,20}:[\w-]{20,100}$/, 'must be a bot token such as 123456:AbC…')),
    chat_id: z.string().regex(/^(-?\d{1,20}|@\w{5,32})$/, 'must be a chat’s ID or @channelname'),
    topic_id: z.int().min(1).nullable().default(null),
  }),
  ntfy: z.object({
    server: webhookUrlSchema.default('https://ntfy.sh'),
    topic: sealed(z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, `_` or `-`')),
    token: secret.nullable().default(null),
  }),
  google_chat: z.object({ url: secretUrl }),
  apprise: z.object({
    url: secretUrl.describe('URL of an Apprise API, such as `https://apprise.example.com/notify/key`.'),
    tag: z.string().min(1).max(200).nullable().default(null),
  }),
  http: z.object({
    url: secretUrl,
    method: z.enum(['POST', 'PUT']).default('POST'),
    headers: z
      .record(headerName, headerValue)
      .superRefine((headers, context) => {
        const names = Object.keys(headers);
        if (names.length > 20)
          context.addIssue({ code: 'custom', params: { code: 'too_long' }, message: 'must have at most 20 items' });
        for (const name of names)
          if ([...ownHeaders, ...framingHeaders].includes(name.toLowerCase()))
            context.addIssue({
              code: 'custom',
              path: [name],
              params: { code: 'not_allowed' },
              message: 'is set by Upquorum and cannot be changed',
            });
      })
      .default({}),
    content_type: z
      .string()
      .max(100)
      .regex(/^[\w.+-]+\/[\w.+-]+(; ?charset=utf-8)?$/i, 'must be a media type')
      .default('application/json'),
    template: z
      .string()
      .min(1)
      .max(16_384)
      .describe('Template of the body. `{{path}}` is replaced by a value, escaped for `content_type`.'),
  }),
} as const satisfies Record<ChannelType, z.ZodType>;

export type ChannelConfig<Type extends ChannelType = ChannelType> = z.output<(typeof configSchemas)[Type]>;
type Fields = Readonly<Record<string, unknown>>;

/** Fields that are never shown; of `headers`, each value. */
const sealedFields: Readonly<Record<ChannelType, readonly string[]>> = {
  email: [],
  slack: ['webhook_url'],
  webhook: ['url'],
  pagerduty: ['routing_key', 'webhook_secret'],
  opsgenie: ['api_key'],
  teams: ['url'],
  discord: ['url'],
  telegram: ['bot_token'],
  ntfy: ['topic', 'token'],
  google_chat: ['url'],
  apprise: ['url'],
  http: ['url', 'headers'],
};

/** The configuration as the API shows it: null stays null, every other secret is masked. */
export function maskConfig(type: ChannelType, config: Fields): Fields {
  const masked = (name: string, value: unknown) => {
    if (!sealedFields[type].includes(name) || value === null) return value;
    if (typeof value === 'string') return mask;
    return Object.fromEntries(Object.keys(value as object).map(header => [header, mask]));
  };
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, masked(name, value)]));
}

/** The configuration with the stored secrets in place of masks. Throws `validation_failed` if one is not stored. */
export function unmaskConfig(type: ChannelType, config: Fields, stored: Fields | null): Fields {
  const moved = stored !== null && isElsewhere(type, config, stored);
  const kept = (pointer: string, value: unknown, known: unknown) => {
    if (value !== mask) return value;
    if (moved) throw fieldProblem(`/config${pointer}`, 'not_allowed', 'must be given anew for another address');
    if (typeof known === 'string') return known;
    throw fieldProblem(`/config${pointer}`, 'not_allowed', 'there is no stored value to keep');
  };
  const unmasked = (name: string, value: unknown): unknown => {
    if (!sealedFields[type].includes(name) || value === null) return value;
    const known = stored?.[name];
    if (typeof value === 'string') return kept(`/${name}`, value, known);
    const headers = Object.entries(value as Record<string, unknown>);
    const before = new Map(Object.entries((known ?? {}) as Fields).map(([key, text]) => [key.toLowerCase(), text]));
    return Object.fromEntries(
      headers.map(([key, text]) => [key, kept(`/headers/${key}`, text, before.get(key.toLowerCase()))]),
    );
  };
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, unmasked(name, value)]));
}

/**
 * Whether the channel would call another server: a stored secret does not follow to one that a client names. The
 * headers of `http` are for one address: the paths of a host may belong to different people.
 */
function isElsewhere(type: ChannelType, config: Fields, stored: Fields): boolean {
  const known = new Map(addressesOf(stored));
  const placeOf = (url: string) => (type === 'http' ? new URL(url).href : new URL(url).origin);
  return addressesOf(config).some(([field, url]) => {
    const before = known.get(field);
    return url !== mask && before !== undefined && placeOf(url) !== placeOf(before);
  });
}

/** The addresses that a channel calls, with their fields. */
export function addressesOf(config: Fields): [field: string, url: string][] {
  return ['url', 'webhook_url', 'server'].flatMap(name => {
    const value = config[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
}
