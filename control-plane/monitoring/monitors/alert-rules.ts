import { z } from 'zod';
import { severities } from '#shared/vocabulary.ts';

const flapSchema = z.object({ changes: z.int().min(3).max(50), window_seconds: z.int().min(300).max(86_400) });

const degradedSchema = z.object({
  after_seconds: z.int().min(0).max(86_400).default(300),
  severity: z.enum(severities).default('p3'),
});

const severity = z.enum(severities).default('p3');
const thresholdSchema = z.object({ days_left: z.number().min(0.04).max(398), severity });
const domainThresholdSchema = z.object({ days_left: z.number().min(1).max(365), severity });
type Threshold = z.output<typeof thresholdSchema>;

function requireDescending(thresholds: readonly Threshold[], context: z.RefinementCtx): void {
  for (const [index, { days_left }] of thresholds.entries())
    if (days_left >= (thresholds[index - 1]?.days_left ?? Number.POSITIVE_INFINITY))
      context.addIssue({
        code: 'custom',
        path: [index, 'days_left'],
        params: { code: 'out_of_range' },
        message: 'must be less than the one before',
      });
}

const certificateSchema = z.object({
  enabled: z.boolean().default(true),
  thresholds: z
    .array(thresholdSchema)
    .min(1)
    .max(5)
    .superRefine(requireDescending)
    .nullable()
    .default(null)
    .describe(
      'Thresholds of the alert; null for one of p3 at 14 days, or a third of the certificate’s life if ' +
        'that is less.',
    ),
  in_verdict: z
    .boolean()
    .default(false)
    .describe('Whether checks warn at the first threshold. Changing it makes a new `config_version`.'),
});
export type CertificateRules = z.output<typeof certificateSchema>;
export const defaultCertificateRules: CertificateRules = certificateSchema.parse({});

const domainSchema = z.object({
  enabled: z.boolean().default(true),
  thresholds: z
    .array(domainThresholdSchema)
    .min(1)
    .max(5)
    .superRefine(requireDescending)
    .default([
      { days_left: 30, severity: 'p3' },
      { days_left: 7, severity: 'p2' },
    ])
    .describe('Thresholds of the alert, in descending order.'),
});
const defaultDomainRules = domainSchema.parse({});

/** What an alert about an end depends on: thresholds are null for the one that follows from a certificate's life. */
export type ExpiryRules = { enabled: boolean; thresholds: readonly Threshold[] | null };

export const alertRulesSchema = z
  .object({
    confirm_seconds: z
      .int()
      .min(0)
      .max(3600)
      .default(0)
      .describe('Seconds that the monitor must be down before an alert opens.'),
    recover_seconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(0)
      .describe('Seconds that the monitor must be up again before the alert resolves.'),
    flap: flapSchema
      .nullable()
      .default(null)
      .describe(
        'When an alert counts as flapping: after this many transitions to down within the window, it stays ' +
          'open until the window is quiet; null: never.',
      ),
    degraded: degradedSchema.nullable().default(null).describe('When an alert of kind `degraded` opens; null: never.'),
    certificate: z
      .preprocess(value => value ?? undefined, certificateSchema.default(defaultCertificateRules))
      .describe(
        'When an alert of kind `certificate` opens. It does not affect the verdict unless `in_verdict` is ' +
          'true. Only of kinds whose checks see certificates.',
      ),
    domain: z
      .preprocess(value => value ?? undefined, domainSchema.default(defaultDomainRules))
      .describe(
        'When an alert of kind `domain` opens, by the end that the registry names. It does not affect the verdict. ' +
          'Only of monitors of kind `domain`.',
      ),
  })
  .meta({ title: 'AlertRules', description: 'When alerts open and resolve.' });
/** As the API shows them: no rules about an end that the kind of the monitor does not have. */
export const shownAlertRulesSchema = alertRulesSchema
  .extend({ certificate: certificateSchema.nullable(), domain: domainSchema.nullable() })
  .meta({ title: 'AlertRules' });
export type AlertRules = z.output<typeof alertRulesSchema>;

export const defaultAlertRules: AlertRules = alertRulesSchema.parse({});

/** The rules in a row, which may be from a version that did not know all of them. */
export function toAlertRules(stored: unknown): AlertRules {
  return alertRulesSchema.parse(stored);
}

/** How checks turn to `warn`: by these thresholds, null standing for the default ones; null: they do not. */
export type CertificateWarning = Pick<CertificateRules, 'thresholds'> | null;

/** The part of the rules that verdicts depend on: the first threshold, where `in_verdict` asks for it. */
export function warningOf(rules: AlertRules | null): CertificateWarning {
  if (rules?.certificate.in_verdict !== true) return null;
  return { thresholds: rules.certificate.thresholds?.slice(0, 1) ?? null };
}
