/** What an operator sets of a component, and what worse things make of it. */
export const componentStatuses = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
] as const;
export type ComponentStatus = (typeof componentStatuses)[number];

/** What is shown: `unknown` when monitors are bound and cannot tell. No data is never shown as up. */
export const shownStatuses = [...componentStatuses, 'unknown'] as const;
export type ShownStatus = (typeof shownStatuses)[number];

const fromBest: readonly ShownStatus[] = [
  'operational',
  'unknown',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
];

/** The worst of several; operational when there is none. */
export function worstOf(statuses: readonly ShownStatus[]): ShownStatus {
  return fromBest[Math.max(0, ...statuses.map(status => fromBest.indexOf(status)))] ?? 'operational';
}

const ofImpact: Readonly<Record<string, ShownStatus>> = {
  none: 'operational',
  degraded: 'degraded_performance',
  partial: 'partial_outage',
  major: 'major_outage',
};
const ofVerdict: Readonly<Record<string, ShownStatus>> = {
  up: 'operational',
  degraded: 'degraded_performance',
  down: 'major_outage',
};

/**
 * What is shown of a component: the worst of what is set, of the impacts of open incidents that affect it and of its
 * monitors' verdicts. A monitor that is undetermined, pending or paused tells nothing.
 */
export function shownStatus(
  set: ComponentStatus,
  impacts: readonly string[],
  verdicts: readonly string[],
): ShownStatus {
  return worstOf([
    set,
    ...impacts.map(impact => ofImpact[impact] ?? 'operational'),
    ...verdicts.map(verdict => ofVerdict[verdict] ?? 'unknown'),
  ]);
}
