import { z } from 'zod';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import { timestampSchema } from '../../platform/http/endpoint/parameters.ts';
import { controlCharacter } from '../events/event.ts';

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
    event_id: z.string().describe('ID of the event that marks the release on timelines.'),
    created_at: z.string(),
  })
  .meta({ title: 'Release' });
export type ReleaseView = z.infer<typeof releaseSchema>;

/** Entries are attributed to releases of this environment only: events do not name theirs. */
export const attributedEnvironment = 'production';

const text = (lengthMax: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(lengthMax)
    .check(context => {
      if (!controlCharacter.test(context.value)) return;
      const message = 'must not contain control characters';
      context.issues.push({ code: 'custom', params: { code: 'format' }, message, input: context.value });
    });

const webAddress = z
  .string()
  .max(2048)
  .refine(value => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), 'must be an http or https URL');

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
