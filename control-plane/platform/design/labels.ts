import type {
  AlertKind,
  AlertState,
  Impact,
  IncidentState,
  Severity,
  ShownStatus,
  UnknownVoteReason,
  Verdict,
  VoteValue,
} from '#shared/vocabulary.ts';

// The words people read for states. Browsers load this file too: it must import nothing but types.

export const verdictWords = {
  up: 'Up',
  degraded: 'Degraded',
  down: 'Down',
  undetermined: 'Undetermined',
  pending: 'Pending',
  paused: 'Paused',
  deleted: 'Deleted',
} as const satisfies Record<Verdict, string>;

export const voteWords = {
  up: 'up',
  warn: 'warn',
  down: 'down',
  unknown: 'unknown',
} as const satisfies Record<VoteValue, string>;

/** Why a vote is unknown. */
export const unknownVoteWords = {
  no_result: 'no result yet',
  expired: 'no recent result',
  resolver: 'the agent’s resolver does not answer',
  blocked_address: 'agents may not reach this address',
  probe: 'the agent itself failed',
  no_registry: 'no registry answers for this suffix',
  lookup_failed: 'the registry could not be asked',
  too_few: 'too few events to judge',
  too_large: 'too many events to count',
  not_kept: 'events of that time are not there',
} as const satisfies Record<UnknownVoteReason, string>;

export const severityWords = { p1: 'P1', p2: 'P2', p3: 'P3' } as const satisfies Record<Severity, string>;

/** What each severity is for, where one is chosen. */
export const severityDescriptions = {
  p1: 'P1 – core service down',
  p2: 'P2 – feature degraded',
  p3: 'P3 – minor issue',
} as const satisfies Record<Severity, string>;

export const alertStateWords = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
} as const satisfies Record<AlertState, string>;

/** What an alert is about. */
export const alertKindWords = {
  down: 'Down',
  degraded: 'Degraded',
  certificate: 'Certificate',
  domain: 'Domain',
} as const satisfies Record<AlertKind, string>;

export const stateWords = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
} as const satisfies Record<IncidentState, string>;

export const impactWords = {
  none: 'No impact',
  degraded: 'Degraded performance',
  partial: 'Partial outage',
  major: 'Major outage',
} as const satisfies Record<Impact, string>;

export const statusWords = {
  operational: 'Operational',
  degraded_performance: 'Degraded performance',
  partial_outage: 'Partial outage',
  major_outage: 'Major outage',
  under_maintenance: 'Under maintenance',
  unknown: 'No data',
} as const satisfies Record<ShownStatus, string>;
