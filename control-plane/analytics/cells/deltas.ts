import { toTimestamp } from '#shared/clock.ts';
import { hourMs } from '#shared/duration.ts';
import { type CountedType, countedTypes, type Delta } from './cell.ts';

/** What of a stored event is counted; `actor` is null for nobody. */
type CountedEvent = { projectId: string; type: string; name: string; actor: number | null; timestamp: number };

export type ProjectDelta = Delta & { projectId: string };

/** What events that arrive now add to the cells, by project, name and hour. */
export function deltasOf(events: readonly CountedEvent[], nowMs: number): ProjectDelta[] {
  const arrivedOn = toTimestamp(nowMs).slice(0, 10);
  const deltas = new Map<string, ProjectDelta & { users: { users: Set<number> } }>();
  for (const { projectId, type, name, actor, timestamp } of events) {
    if (!isCounted(type)) continue;
    const hour = Math.floor(timestamp / hourMs) * hourMs;
    const key = `${projectId} ${type} ${hour} ${name}`;
    let delta = deltas.get(key);
    if (delta === undefined) {
      const users = { kind: 'exact' as const, users: new Set<number>() };
      const times = { firstAt: timestamp, lastAt: timestamp, at: nowMs };
      delta = { projectId, type, name, hour, arrivedOn, events: 0, users, ...times };
      deltas.set(key, delta);
    }
    delta.events += 1;
    if (actor !== null) delta.users.users.add(actor);
    delta.firstAt = Math.min(delta.firstAt, timestamp);
    delta.lastAt = Math.max(delta.lastAt, timestamp);
  }
  return [...deltas.values()];
}

function isCounted(type: string): type is CountedType {
  return (countedTypes as readonly string[]).includes(type);
}
