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
