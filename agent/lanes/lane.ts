import type { Assignment } from '#shared/protocol/messages.ts';

/** The lane of a monitor. An older control plane names none: then all monitors share one. */
export function laneOf(assignment: Pick<Assignment, 'lane'>): string {
  return assignment.lane ?? '';
}
