import type { Logger } from '#shared/log.ts';
import { wait } from '#shared/wait.ts';
import type { LeaseHolder } from '../../../platform/db/lease.ts';
import { channels, type Listener, listen } from '../../../platform/db/listen.ts';
import { warnThrottled } from '../../../platform/resilience/throttled-warning.ts';
import type { Broker } from './broker.ts';

const leaseName = 'intake bridge';
const leaseMs = 6000;
const renewMs = 2000;

/**
 * Passes on by the broker what the database notifies of, on one process at a time: twice would ask agents for the same
 * check twice. What is lost when it changes hands is found by those who poll.
 */
export function openBridge({
  connectionString,
  broker,
  leases,
  log,
}: {
  connectionString: string;
  broker: Pick<Broker, 'notify'>;
  leases: LeaseHolder;
  log: Logger;
}): AsyncDisposable {
  const stop = new AbortController();
  const warn = warnThrottled(log, 'notifications of the database may not be passed on', {});
  const notifiers = Object.fromEntries(
    channels.map(channel => [channel, (payload: string) => broker.notify(channel, payload)]),
  );
  const running = (async () => {
    let listener: Listener | null = null;
    while (!stop.signal.aborted) {
      try {
        const isOurs = (await leases.take(leaseName, leaseMs)) !== null;
        if (isOurs) listener ??= listen({ connectionString, log, channels: notifiers });
        else {
          await listener?.[Symbol.asyncDispose]();
          listener = null;
        }
      } catch (error) {
        warn(error);
      }
      await wait(renewMs, { signal: stop.signal }).catch(() => {});
    }
    await listener?.[Symbol.asyncDispose]();
    await leases.release(leaseName).catch(() => {});
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
    },
  };
}
