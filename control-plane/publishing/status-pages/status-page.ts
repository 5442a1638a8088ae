import { z } from 'zod';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { lineSchema } from '../../platform/http/line.ts';
import { accessSchema, shownAccessSchema } from './access/access.ts';
import { domainSchema } from './domains/domain.ts';
import { locales } from './locale/language.ts';
import { logoBytesMax, logoPixelsMax, parseLogo } from './logo.ts';

const themes = ['auto', 'light', 'dark'] as const;
const addressCharactersMax = 2048;
/** Base64 and the head of a data URL. */
const logoCharactersMax = Math.ceil(logoBytesMax / 3) * 4 + 30;

const addressOf = (pattern: RegExp, message: string) =>
  z
    .string()
    .max(addressCharactersMax)
    .refine(text => isAddress(text, pattern), { params: { code: 'format' }, message });

const fields = {
  name: lineSchema(200),
  slug: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens between them'),
  description: z.string().max(5000),
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, { params: { code: 'format' }, message: 'must be a time zone such as Europe/Berlin' }),
  locale: z.enum(locales).describe('Language of all fixed words, numbers and dates of the page and its feeds.'),
  theme: z.enum(themes),
  history_days: z.int().min(7).max(365),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1d4ed8')
    .toLowerCase()
    .nullable()
    .describe('Color of buttons and links, adjusted so that text stays readable in both themes.'),
  home_url: addressOf(/^https?:$/, 'must be an http or https URL without credentials')
    .nullable()
    .describe('Target of the link on the name and the logo; null for the page itself.'),
  support_url: addressOf(/^(https?|mailto):$/, 'must be an http, https or mailto URL without credentials')
    .nullable()
    .describe('URL where visitors get help, linked on every page; null for none.'),
};
const logoSchema = z
  .string()
  .max(logoCharactersMax)
  .superRefine((text, context) => {
    const file = parseLogo(text);
    const refuse = (code: string, message: string) => context.addIssue({ code: 'custom', params: { code }, message });
    if (file === null) refuse('format', 'must be a data URL with a PNG, JPEG or WebP image in base64');
    else if (file.bytes.length > logoBytesMax) refuse('too_long', `must have at most ${logoBytesMax} bytes`);
    else if (Math.max(file.width, file.height) > logoPixelsMax)
      refuse('out_of_range', `must be at most ${logoPixelsMax} pixels wide and high`);
  })
  .nullable()
  .describe(
    `Logo: a PNG, JPEG or WebP image of at most ${logoBytesMax / 1024} KiB as a data URL ` +
      '(data:image/png;base64,…); null for none.',
  );
const canonicalSchema = domainSchema
  .nullable()
  .describe('Own domain by which the page is known; null for its address below the installation’s.');
const readOnlyFields = ['id', 'project_id', 'key', 'managed_by', 'url', 'created_at', 'updated_at'];

/** Body of POST. Without a slug one is derived from the name. */
export const statusPagePostSchema = z
  .object({
    ...fields,
    slug: fields.slug.nullable().default(null),
    description: fields.description.default(''),
    timezone: fields.timezone.default('UTC'),
    locale: fields.locale.default('en'),
    theme: fields.theme.default('auto'),
    history_days: fields.history_days.default(90),
    logo: logoSchema.default(null),
    color: fields.color.default(null),
    home_url: fields.home_url.default(null),
    support_url: fields.support_url.default(null),
    access: accessSchema.default({ type: 'public' }),
  })
  .meta({ [readOnlyKey]: [...readOnlyFields, 'canonical_domain'] });
export type StatusPagePost = z.output<typeof statusPagePostSchema>;

export const statusPagePatchSchema = z
  .object({ ...fields, logo: logoSchema, access: accessSchema, canonical_domain: canonicalSchema })
  .partial()
  .meta({ [readOnlyKey]: readOnlyFields });
export type StatusPagePatch = z.output<typeof statusPagePatchSchema>;

export const statusPageSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    key: z.string().nullable(),
    managed_by: z.string().nullable(),
    ...fields,
    logo: z.string().nullable().describe('URL of the logo, which is served with the page; null for none.'),
    access: shownAccessSchema,
    canonical_domain: canonicalSchema,
    url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'StatusPage' });

/** The page that a PATCH changed. */
export const changedPageSchema = statusPageSchema
  .extend({
    warnings: z.array(z.string()).optional().describe('What to think of after the change, in sentences.'),
  })
  .meta({ title: 'ChangedStatusPage' });

/** Derives a slug from a name; null if the name has no letter or digit that a slug may contain. */
export function slugOf(name: string): string | null {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '');
  return slug === '' ? null : slug;
}

function isAddress(text: string, protocols: RegExp): boolean {
  const url = URL.parse(text);
  if (url === null || /[\s\p{Cc}]/u.test(text)) return false;
  return protocols.test(url.protocol) && url.username === '' && url.password === '';
}

function isTimeZone(name: string): boolean {
  try {
    // Intl accepts offsets such as +02:00 too, which have no name to show.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
