import { describeDiagnosis } from '#shared/checks/diagnosis.ts';
import type { ExplainedVote } from './explanation.ts';

// What the sentence says of a vote beside its error.

export function stepText(check: ExplainedVote['check']): string {
  const step = check?.steps?.find(({ status }) => status === 'err');
  return step === undefined ? '' : ` in step “${step.name}”`;
}

export function addressesText(partial: ExplainedVote['partial_addresses']): string {
  return partial === null ? '' : ` (${partial.answering} of ${partial.total} addresses answer)`;
}

export function diagnosisText(check: ExplainedVote['check']): string {
  return check?.diagnosis == null ? '' : ` (${describeDiagnosis(check.diagnosis)})`;
}
