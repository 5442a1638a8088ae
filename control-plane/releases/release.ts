import { z } from 'zod';
import { timestampSchema } from '../http/parameters.ts';
import { readOnlyKey } from '../http/validate.ts';

export const releaseSchema = z
  .object({
    id: z.string(),
    project_id: z.string(),
    version: z.string(),
    name: z.string().nullable(),
    environment: z.string(),
    released_at: z.string(),
    url: z.string().nullable(),
    commit_sha: z.string().nullable(),
    props: z.record(z.string(), z.unknown()).nullable(),
    event_id: z.string().describe('the release event on timelines'),
    created_at: z.string(),
  })
  .meta({ title: 'Release' });
export type ReleaseView = z.infer<typeof releaseSchema>;

/** Entries are attributed to releases of this environment: events do not say where they happened. */
export const attributedEnvironment = 'production';

const text = (lengthMax: number) => z.string().trim().min(1).max(lengthMax);

const webAddress = z
  .string()
  .max(2048)
  .refine(
    value => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
    'must be an http or https address',
  );

export const releasePostSchema = z
  .object({
    version: text(200),
    name: text(200).nullable().optional(),
    environment: text(100).default('production'),
    released_at: timestampSchema.nullable().optional(),
    url: webAddress.nullable().optional(),
    commit_sha: text(100).nullable().optional(),
    props: z.record(z.string(), z.unknown()).nullable().optional(),
  })
  .meta({ [readOnlyKey]: ['id', 'project_id', 'event_id', 'created_at'] });
export type ReleasePost = z.output<typeof releasePostSchema>;
