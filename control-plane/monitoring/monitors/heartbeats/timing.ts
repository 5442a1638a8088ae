import { isDeepStrictEqual } from 'node:util';
import { type MonitorPatch, type MonitorSettings, withKind } from '../monitor.ts';
import type { Timing } from './expected.ts';

type Times = Pick<MonitorPatch, 'heartbeat' | 'interval_seconds'>;

/** Pure: when signals are expected by the settings that a patch would leave. */
export function timingAfter(stored: MonitorSettings, changes: Times): Timing {
  const { heartbeat = stored.heartbeat, interval_seconds = stored.interval_seconds } = changes;
  const { interval_seconds: intervalSeconds, heartbeat: own } = withKind({ ...stored, heartbeat, interval_seconds });
  return {
    cron: own?.cron ?? null,
    timezone: own?.timezone ?? 'UTC',
    intervalSeconds,
    graceSeconds: own?.grace_seconds ?? null,
    maxRunSeconds: own?.max_run_seconds ?? null,
  };
}

/** Pure: whether a patch of a heartbeat changes when its signals are expected. */
export function movesDeadlines(stored: MonitorSettings, changes: Times): boolean {
  if (stored.kind !== 'heartbeat') return false;
  return !isDeepStrictEqual(timingAfter(stored, changes), timingAfter(stored, {}));
}
