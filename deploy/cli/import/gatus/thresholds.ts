import type { Thing } from '../draft/thing.ts';
import { atMost } from '../draft/timing.ts';
import { numberOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';

/** How long it must be down and up, from how often in a row; the largest number of all alerts counts. */
export function thresholdRules(thing: Thing, alerts: readonly Item[], interval: number): Item {
  if (alerts.length === 0) return {};
  const most = (name: string, usual: number) => Math.max(...alerts.map(alert => numberOf(alert[name]) || usual));
  return {
    confirm_seconds: atMost(thing, 'failure-threshold', (most('failure-threshold', 3) - 1) * interval, 3600),
    recover_seconds: atMost(thing, 'success-threshold', (most('success-threshold', 2) - 1) * interval, 86_400),
  };
}
