import type { Services } from '../platform/services.ts';
import type { Timer } from '../platform/timers/timers.ts';
import { forgiveBurst } from './notifications/email/relay-watch.ts';

/** What a worker does by time for deliveries, besides sending them. */
export function deliveryTimers({ pools, clock, log }: Services): Timer[] {
  const forgive = () => forgiveBurst(pools.background, clock.now(), log);
  return [{ name: 'email-relay', everyMs: 5000, leaseMs: 30_000, run: forgive }];
}
