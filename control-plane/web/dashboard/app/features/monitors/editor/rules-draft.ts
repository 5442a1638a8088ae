import { typedNumber } from '../../../kit/form/typed-number.ts';
import type { Monitor } from '../../../session/api-types.ts';

type Severity = Monitor['alert_policy']['severity'];
export type AlertRules = Monitor['alert_rules'];
export type ThresholdDraft = { daysLeft: string; severity: Severity };

/** When an alert about an end opens. Without thresholds those by default hold. */
export type ExpiryDraft = { enabled: boolean; thresholds: readonly ThresholdDraft[] };

/** The rules for alerts while they are edited; an empty text switches off what it belongs to. */
export type RulesDraft = {
  confirm: string;
  recover: string;
  flapChanges: string;
  flapWindow: string;
  hasFlap: boolean;
  degradedAfter: string;
  degradedSeverity: Severity;
  hasDegraded: boolean;
  certificate: { enabled: boolean; inVerdict: boolean; thresholds: readonly ThresholdDraft[] };
  domain: ExpiryDraft;
};

export const noRules: RulesDraft = {
  confirm: '0',
  recover: '0',
  hasFlap: false,
  flapChanges: '3',
  flapWindow: '1800',
  hasDegraded: false,
  degradedAfter: '300',
  degradedSeverity: 'p3',
  certificate: { enabled: true, inVerdict: false, thresholds: [] },
  domain: {
    enabled: true,
    thresholds: [
      { daysLeft: '30', severity: 'p3' },
      { daysLeft: '7', severity: 'p2' },
    ],
  },
};

export function draftOfRules(rules: AlertRules): RulesDraft {
  const { flap, degraded, certificate, domain } = rules;
  return {
    confirm: String(rules.confirm_seconds),
    recover: String(rules.recover_seconds),
    hasFlap: flap !== null,
    flapChanges: flap === null ? noRules.flapChanges : String(flap.changes),
    flapWindow: flap === null ? noRules.flapWindow : String(flap.window_seconds),
    hasDegraded: degraded !== null,
    degradedAfter: degraded === null ? noRules.degradedAfter : String(degraded.after_seconds),
    degradedSeverity: degraded?.severity ?? noRules.degradedSeverity,
    certificate: certificate === null ? noRules.certificate : draftOfCertificate(certificate),
    domain: domain == null ? noRules.domain : { enabled: domain.enabled, thresholds: draftOf(domain.thresholds) },
  };
}

function draftOfCertificate({
  enabled,
  in_verdict,
  thresholds,
}: NonNullable<Monitor['alert_rules']['certificate']>): RulesDraft['certificate'] {
  return {
    enabled,
    inVerdict: in_verdict,
    thresholds: draftOf(thresholds ?? []),
  };
}

function draftOf(thresholds: readonly { days_left: number; severity: Severity }[]): ThresholdDraft[] {
  return thresholds.map(({ days_left, severity }) => ({ daysLeft: String(days_left), severity }));
}

/** The object that the API takes. */
export function rulesBody(draft: RulesDraft): AlertRules {
  return {
    confirm_seconds: typedNumber(draft.confirm),
    recover_seconds: typedNumber(draft.recover),
    flap: draft.hasFlap
      ? { changes: typedNumber(draft.flapChanges), window_seconds: typedNumber(draft.flapWindow) }
      : null,
    degraded: draft.hasDegraded
      ? { after_seconds: typedNumber(draft.degradedAfter), severity: draft.degradedSeverity }
      : null,
    certificate: certificateBody(draft.certificate),
    domain: domainBody(draft.domain),
  };
}

function certificateBody({ enabled, inVerdict, thresholds }: RulesDraft['certificate']): AlertRules['certificate'] {
  const given = bodyOf(thresholds);
  return { enabled, thresholds: given.length === 0 ? null : given, in_verdict: inVerdict };
}

/** What is left out takes its default. */
function domainBody({ enabled, thresholds }: ExpiryDraft): AlertRules['domain'] {
  const given = bodyOf(thresholds);
  return { enabled, ...(given.length === 0 ? {} : { thresholds: given }) } as AlertRules['domain'];
}

function bodyOf(thresholds: readonly ThresholdDraft[]) {
  return thresholds.map(({ daysLeft, severity }) => ({ days_left: typedNumber(daysLeft), severity }));
}
