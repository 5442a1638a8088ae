import { z } from 'zod';
import { errorPhases, skipReasons, spokenVersions, stepStatuses } from './vocabulary.ts';

const ms = z.number().min(0).max(86_400_000);
const phase = ms.nullable();

/** Those of a request; null for a phase that did not take place. */
const stepTimingsSchema = z.object({
  dns_ms: phase,
  connect_ms: phase,
  tls_ms: phase,
  first_byte_ms: phase,
  download_ms: phase,
  proxy_ms: ms.optional(),
  auth_ms: ms.optional(),
});

/** What one step of a check of kind `multistep` came to. `error` is null where an assertion failed. */
export const stepFactsSchema = z.object({
  name: z.string().max(100),
  status: z.enum(stepStatuses),
  reason: z.enum(skipReasons).nullable().describe('Why the step was skipped; null if it was not.'),
  status_code: z.int().min(100).max(999).nullable(),
  latency_ms: ms.nullable(),
  timings: stepTimingsSchema.nullable(),
  error: z
    .object({
      code: z.string().max(32),
      message: z.string().max(300),
      phase: z.enum(errorPhases).describe('Phase of the request in which the step failed.'),
      host: z.string().max(320).nullable().describe('Host and port that it failed at; null if it was not sent.'),
    })
    .nullable(),
  http_version: z.enum(spokenVersions).optional().describe('Version of HTTP of the last response; absent without one.'),
});
export type StepFacts = z.infer<typeof stepFactsSchema>;
