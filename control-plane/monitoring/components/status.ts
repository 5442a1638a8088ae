import type { ComponentStatus, Impact, ShownStatus, Verdict } from '#shared/vocabulary.ts';

const bestToWorst: readonly ShownStatus[] = [
  'operational',
  'unknown',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
];

/** The worst of the statuses; operational when there are none. */
export function worstOf(statuses: readonly ShownStatus[]): ShownStatus {
  return bestToWorst[Math.max(0, ...statuses.map(status => bestToWorst.indexOf(status)))] ?? 'operational';
}

const statusOfImpact: Readonly<Record<Impact, ShownStatus>> = {
  none: 'operational',
  degraded: 'degraded_performance',
  partial: 'partial_outage',
  major: 'major_outage',
};
const statusOfVerdict: Readonly<Record<Verdict, ShownStatus>> = {
  up: 'operational',
  degraded: 'degraded_performance',
  down: 'major_outage',
  undetermined: 'unknown',
  pending: 'unknown',
  paused: 'unknown',
  deleted: 'unknown',
};

/**
 * The status shown for a component: the worst of the status set by the operator, of the impacts of open incidents that
 * affect it, and of its monitors' verdicts. A monitor without a verdict makes it unknown, never operational. In the
 * scope of a window, or with all its monitors in one, it is under maintenance unless an incident is worse; else only
 * its other monitors count.
 */
export function shownStatus(
  setStatus: ComponentStatus,
  impacts: readonly Impact[],
  verdicts: readonly (Verdict | 'maintenance')[],
  inScope = false,
): ShownStatus {
  const reported = impacts.map(impact => statusOfImpact[impact]);
  const counted = verdicts.filter(verdict => verdict !== 'maintenance');
  const inMaintenance = inScope || (verdicts.length > 0 && counted.length === 0);
  if (inMaintenance) return worstOf(['under_maintenance', ...reported]);
  return worstOf([setStatus, ...reported, ...counted.map(verdict => statusOfVerdict[verdict])]);
}
