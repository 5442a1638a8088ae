import { plural } from '../../kit/plural.ts';
import { formatShare } from '../../kit/share.ts';
import type { IncidentImpact, ReleaseComparison } from '../../session/api-types.ts';

type Verdict = ReleaseComparison['verdict'];
type Reason = NonNullable<ReleaseComparison['reason']>;

export const releaseVerdictWords: Readonly<Record<Verdict, string>> = {
  suspect: 'Suspect',
  unlikely: 'Unlikely',
  cannot_tell: 'Cannot tell',
};

const reasons: Readonly<Record<Reason, string>> = {
  too_few_users: 'Too few users to compare.',
  too_close: 'Less than five minutes on one side.',
  rose_before: 'Errors had begun to rise before it.',
  not_clear: 'The difference may be chance.',
  not_kept: 'Its events are no longer kept.',
  too_many_events: 'Too many events to read.',
};

/** What the comparison says beside its verdict, in a sentence that never names a cause. */
export function describeComparison({ verdict, reason, ratio, low, high }: IncidentComparison): string {
  if (verdict === 'cannot_tell') return reason === null ? 'Not enough data.' : (reasons[reason] ?? reason);
  const times = ratio === null ? '' : ` (${multiple(ratio)}, between ${multiple(low)} and ${multiple(high)})`;
  return verdict === 'suspect'
    ? `The share of users with errors rose after it${times}.`
    : `The share of users with errors did not rise much after it${times}.`;
}

/** `300 users, 3 with errors (1%)`. */
export function describeSide({ active, with_errors }: NonNullable<ReleaseComparison['before']>): string {
  const share = active === 0 ? '' : ` (${formatShare(with_errors / active)})`;
  return `${plural(active, 'user')}, ${with_errors.toLocaleString('en')} with errors${share}`;
}

type IncidentComparison = Pick<ReleaseComparison, 'verdict' | 'reason' | 'ratio' | 'low' | 'high'>;

function multiple(value: number | null): string {
  return value === null ? '?' : `× ${value >= 10 ? Math.round(value) : value.toFixed(1)}`;
}

type Unknown = NonNullable<IncidentImpact['users']['reason']>;
const unknowns: Readonly<Record<string, string>> = {
  no_events: 'this project sent no events at that time',
  window_too_short: 'the incident is shorter than a minute',
  too_few_users: 'there were too few users to compare',
  no_baseline: 'there are not two comparable weeks before it',
  not_kept: 'the events of that time are no longer kept',
  too_many_events: 'there are too many events to read',
} satisfies Partial<Record<Unknown, string>>;

function describeUnknown(reason: string | null): string {
  return `Cannot tell: ${unknowns[reason ?? ''] ?? 'there is not enough data'}.`;
}

/** How many users an incident affected, in one sentence. */
export function describeUsers(users: IncidentImpact['users']): string {
  if (users.status === 'cannot_tell') return describeUnknown(users.reason);
  const { affected, low, high, significant } = users;
  if (significant !== true) return 'No more users had errors than usual at this hour.';
  return `About ${count(affected)} more users than usual had errors, between ${count(low)} and ${count(high)}.`;
}

/** Whom an outage kept away. */
export function describeMissing({ status, reason, low, high }: IncidentImpact['missing']): string {
  if (status === 'cannot_tell') return describeUnknown(reason);
  if ((high ?? 0) === 0) return 'About as many users as usual were active.';
  return `Between ${count(low)} and ${count(high)} fewer users than usual were active.`;
}

function count(value: number | null): string {
  return value === null ? '?' : value.toLocaleString('en');
}
