import { z } from 'zod';
import { assertionSchema, assertionsMax } from '../assertions/assertion.ts';
import { jsonPathLengthMax } from '../assertions/json-path.ts';
import { patternLengthMax } from '../assertions/text-pattern.ts';
import { wireAuthSchema } from './auth.ts';
import { variableName } from './templates.ts';

// One step of a check of kind `multistep`: a request with what is asserted of its answer, and what is taken from it.

/** Most values that one step takes from its answer. */
export const extractsMax = 10;
/** Most bytes of such a value. */
export const extractedBytesMax = 4096;
export const extractSources = ['json_path', 'header', 'regex'] as const;

export const extractSchema = z.object({
  name: z.string().regex(variableName),
  from: z.enum(extractSources),
  path: z.string().min(1).max(jsonPathLengthMax).optional(),
  header: z
    .string()
    .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/)
    .optional(),
  pattern: z.string().min(1).max(patternLengthMax).optional(),
});
export type Extract = z.infer<typeof extractSchema>;

/** As agents get it: `{{name}}` in `url`, values of `headers` and `body` stands for what an earlier step took. */
export const stepSchema = z.object({
  name: z.string().min(1).max(100),
  url: z.string().max(2048),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  auth: wireAuthSchema.optional().describe('with what its token is fetched; agents that say `auth.steps` alone'),
  follow_redirects: z.boolean(),
  assertions: z.array(assertionSchema).max(assertionsMax),
  extract: z.array(extractSchema).max(extractsMax),
  always: z.boolean().describe('runs also after a failure, in time that is set aside for it'),
  timeout_ms: z.int().min(1).max(60_000).nullable(),
});
export type Step = z.infer<typeof stepSchema>;
