import type { MonitorVersions } from './diff.ts';
import { foldId, weightOf } from './weight.ts';

/** More than a few went together: what an agent had before is not worth finding out. */
const othersMax = 100;

/**
 * Of the monitors that an agent is to run, those it ran while these agents of its region were live too; null if there
 * are none or too many of them.
 */
export function previouslyOwned(
  agentId: string,
  wanted: MonitorVersions,
  others: readonly string[],
): MonitorVersions | null {
  if (others.length === 0 || others.length > othersMax) return null;
  const own = foldId(agentId);
  const rivals = others.map(id => ({ hash: foldId(id), isFirst: id < agentId }));
  return new Map(
    [...wanted].filter(([monitorId]) => {
      const monitor = foldId(monitorId);
      const weight = weightOf(own, monitor);
      return !rivals.some(({ hash, isFirst }) => {
        const rival = weightOf(hash, monitor);
        return rival > weight || (rival === weight && isFirst);
      });
    }),
  );
}
