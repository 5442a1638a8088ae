// The words both programs, the API, the dashboard and the pages use for states. Rules about them live in the domains.

/** What a region says about a monitor. `unknown`: it said nothing, or nothing that still counts. */
export const voteValues = ['up', 'warn', 'down', 'unknown'] as const;
export type VoteValue = (typeof voteValues)[number];

/** Why a vote is unknown: nothing counts any more, or what was seen says nothing about the target. */
export const unknownVoteReasons = [
  'no_result',
  'expired',
  'resolver',
  'blocked_address',
  'probe',
  'no_registry',
  'lookup_failed',
  'too_few',
  'too_large',
  'not_kept',
] as const;
export type UnknownVoteReason = (typeof unknownVoteReasons)[number];

/** Who votes on monitors that no agent checks. No region may bear such a name. */
const voters = ['heartbeat', 'registry', 'events'] as const;
export type Voter = (typeof voters)[number];

export function isVoter(region: string): region is Voter {
  return (voters as readonly string[]).includes(region);
}

/** What the quorum says about a monitor, or why it says nothing. */
export const verdicts = ['up', 'degraded', 'down', 'undetermined', 'pending', 'paused', 'deleted'] as const;
export type Verdict = (typeof verdicts)[number];

export const severities = ['p1', 'p2', 'p3'] as const;
export type Severity = (typeof severities)[number];

export const alertStates = ['open', 'acknowledged', 'resolved'] as const;
export type AlertState = (typeof alertStates)[number];

/** What an alert is about: the target, slowness or warnings of it, its certificate, or its domain. */
export const alertKinds = ['down', 'degraded', 'certificate', 'domain'] as const;
export type AlertKind = (typeof alertKinds)[number];

export const incidentStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type IncidentState = (typeof incidentStates)[number];

export const impacts = ['none', 'degraded', 'partial', 'major'] as const;
export type Impact = (typeof impacts)[number];

/** What an operator may set on a component. */
export const componentStatuses = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
] as const;
export type ComponentStatus = (typeof componentStatuses)[number];

/** What a page shows. `unknown`: monitors are bound and have no verdict; no data is never shown as up. */
export const shownStatuses = [...componentStatuses, 'unknown'] as const;
export type ShownStatus = (typeof shownStatuses)[number];

/**
 * Asks the other regions of a monitor, or those that are named, to check at once. `at` becomes the `scheduled_at` of
 * their checks, which are of kind `confirm` unless it says otherwise.
 */
export type Confirmation = {
  monitorId: string;
  configVersion: number;
  at: number;
  exceptRegion: string;
  regions?: readonly string[] | undefined;
  kind?: 'scheduled' | undefined;
  /** The project of the monitor. */
  projectId: string;
};
