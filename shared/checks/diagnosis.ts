import { z } from 'zod';

export const diagnosisKinds = ['challenge', 'blocked', 'rate_limited', 'origin_unreachable', 'login'] as const;
const confidences = ['certain', 'likely'] as const;

/** Of the table in `agent/probe/http/diagnose.ts`, raised whenever a row of it changes. */
export const diagnosisRules = 1;

export const diagnosisSchema = z.object({
  kind: z.enum(diagnosisKinds),
  provider: z.string().max(32).nullable().describe('Who answered instead; null if that is not known.'),
  confidence: z.enum(confidences),
});
export type Diagnosis = z.infer<typeof diagnosisSchema>;

/** As it is sent and stored: with the version of the rules that it was made by. */
export const diagnosisFactsSchema = diagnosisSchema.extend({ rules: z.int().min(1).max(32_767) });
export type DiagnosisFacts = z.infer<typeof diagnosisFactsSchema>;

/** `answered by cloudflare: challenge`, or `answered with: login`. */
export function describeDiagnosis({ kind, provider }: Pick<Diagnosis, 'kind' | 'provider'>): string {
  return `answered ${provider === null ? 'with' : `by ${provider}`}: ${kind.replaceAll('_', ' ')}`;
}
