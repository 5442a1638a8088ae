import { unknownVoteWords } from '#control-plane/platform/design/labels.ts';
import { describeDiagnosis } from '#shared/checks/diagnosis.ts';
import { describeFailure } from '#shared/checks/failure-words.ts';
import type { ExplainedVote } from './explanation.ts';

// What the sentence says of a vote.

/** Addresses that are named: a name has at most 16. */
const namedMax = 4;
const voteVerbs = { up: 'up', warn: 'warned', down: 'failed', unknown: 'unknown' } as const;

/** The vote of a region and what it is made of. */
export function voteText(explained: Omit<ExplainedVote, 'counted' | 'as_of' | 'expires_at'>): string {
  const { region, vote, since, age_ms, check, why_not, partial_addresses } = explained;
  if (why_not !== null) return `${region} not counted (${whyNotText(why_not)})`;
  const addresses = addressesText(partial_addresses);
  if (vote !== 'down') {
    const age = age_ms === null ? '' : ` ${(age_ms / 1000).toFixed(1)} s before`;
    return `${region} ${voteVerbs[vote]}${addresses}${age}`;
  }
  const { code, host } = check?.error ?? {};
  const error = code === undefined ? '' : `: ${describeFailure(code)}${host == null ? '' : ` at ${host}`}`;
  // The code can be looked up in the docs.
  const what = `${region} ${code ?? 'failed'} since ${since ?? 'then'}`;
  return `${what}${error}${stepText(check)}${diagnosisText(check)}${addresses}`;
}

function whyNotText(why: NonNullable<ExplainedVote['why_not']>): string {
  return why === 'quarantined' ? 'it fails alone for many monitors' : unknownVoteWords[why];
}

function stepText(check: ExplainedVote['check']): string {
  const step = check?.steps?.find(({ status }) => status === 'err');
  return step === undefined ? '' : ` in step “${step.name}”`;
}

function addressesText(partial: ExplainedVote['partial_addresses']): string {
  if (partial === null) return '';
  const { answering, total, failing } = partial;
  const rest = failing.length - namedMax;
  const named = failing
    .slice(0, namedMax)
    .map(({ address, error_code: code }) => `${address}: ${code === null ? 'no answer' : describeFailure(code)}`);
  const words = [`${answering} of ${total} addresses answer`, ...named, ...(rest > 0 ? [`${rest} more`] : [])];
  return ` (${words.join('; ')})`;
}

function diagnosisText(check: ExplainedVote['check']): string {
  return check?.diagnosis == null ? '' : ` (${describeDiagnosis(check.diagnosis)})`;
}
