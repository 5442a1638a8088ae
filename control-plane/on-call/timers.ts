import type { Services } from '../platform/services.ts';
import { drain, type Timer } from '../platform/timers/timers.ts';
import { sendDueDigest } from './routing/digest.ts';
import { isAnyGroupDue } from './routing/due-store.ts';
import { runDueGroup } from './routing/run.ts';

/** What a worker does by time for alert groups. */
export function onCallTimers({ pools, clock, metrics }: Services): Timer[] {
  const pool = pools.background;
  return [
    {
      name: 'alert-groups',
      everyMs: 250,
      due: isAnyGroupDue,
      run: async signal => {
        await drain(signal, () => runDueGroup(pool, clock.now()));
        await drain(signal, () => sendDueDigest(pool, clock.now()));
        metrics.commits.mark('alert_groups');
      },
    },
  ];
}
