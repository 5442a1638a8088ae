import { z } from 'zod';
import { lineSchema } from '../components/component.ts';
import { readOnlyKey } from '../http/validate.ts';

export const themes = ['auto', 'light', 'dark'] as const;

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
  theme: z.enum(themes),
  history_days: z.int().min(7).max(365),
};
const readOnly = { [readOnlyKey]: ['id', 'project_id', 'url', 'created_at', 'updated_at'] };

/** Body of POST; without a slug it is made from the name. */
export const statusPagePostSchema = z
  .object({
    ...fields,
    slug: fields.slug.nullable().default(null),
    description: fields.description.default(''),
    timezone: fields.timezone.default('UTC'),
    theme: fields.theme.default('auto'),
    history_days: fields.history_days.default(90),
  })
  .meta(readOnly);
export type StatusPagePost = z.output<typeof statusPagePostSchema>;

export const statusPagePatchSchema = z.object(fields).partial().meta(readOnly);
export type StatusPagePatch = z.output<typeof statusPagePatchSchema>;

export const statusPageSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    ...fields,
    url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ title: 'StatusPage' });

/** A slug from a name; null when nothing of it can stand in one. */
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

/** Address of a page, without a slash at its end. */
export function pageUrl(baseUrl: string, slug: string): string {
  return `${baseUrl}/status/${slug}`;
}

function isTimeZone(name: string): boolean {
  try {
    // An offset such as +02:00 is accepted by Intl, but has no name to show.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
