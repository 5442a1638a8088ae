import { kindOf } from './kinds/kinds.ts';
import type { MonitorSettings } from './monitor.ts';

/** Who votes on a monitor: its regions, or the voter of a kind that no agent checks. */
export function votersOf({ kind = 'http', regions }: Pick<MonitorSettings, 'kind' | 'regions'>): readonly string[] {
  const { withoutAgents } = kindOf(kind);
  return withoutAgents === null ? regions : [withoutAgents.voter];
}

/** How many regions a monitor counts for in its project's quota. */
export function countedRegions(settings: Pick<MonitorSettings, 'kind' | 'regions'>): number {
  return votersOf(settings).length;
}
