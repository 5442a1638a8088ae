import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import { failureTeller } from '../db/failure-teller.ts';
import type { Metrics } from '../http/metrics.ts';
import { attempt, type DeliveryServices, gatherMaterial, keepScore, type Material, noMailServer } from './deliver.ts';
import { type Delivery, type DeliveryChannel, type Outcome, settle } from './delivery.ts';
import { mailPlaces } from './send-mail.ts';
import { claimDeliveries, holdQueued, settleDelivery } from './store.ts';

export type NotifierServices = DeliveryServices & { clock: Clock; log: Logger; metrics: Metrics };

/** Sends what is queued, each channel with places of its own, so that a slow one holds up no other. */
export type Notifier = {
  /** Claims nothing more and lets what is under way end; what does not is tried again by whoever runs next. */
  stop(): Promise<void>;
};

/** Deliveries of a channel that one replica has under way at most. */
const places: Readonly<Record<DeliveryChannel, number>> = { email: mailPlaces, webhook: 32, slack: 8 };
const lookEveryMs = 500;
const stopWithinMs = 5000;

export function startNotifier(services: NotifierServices): Notifier {
  const abort = new AbortController();
  const lines = (Object.keys(places) as DeliveryChannel[]).map(channel =>
    startChannel(services, channel, abort.signal),
  );
  return {
    stop: async () => {
      abort.abort();
      await Promise.all(lines.map(line => line.claiming));
      await Promise.race([
        Promise.all(lines.map(line => line.queue.onIdle())),
        wait(stopWithinMs, null, { ref: false }),
      ]);
      services.mailer?.close();
    },
  };
}

function startChannel(
  services: NotifierServices,
  channel: DeliveryChannel,
  signal: AbortSignal,
): { queue: PQueue; claiming: Promise<void> } {
  const queue = new PQueue({ concurrency: places[channel] });
  const tell = failureTeller(services.log, 'deliveries could not be claimed', { channel });
  const claiming = (async () => {
    while (!signal.aborted) {
      const claimed = await claim(services, channel, queue).catch(error => {
        tell(error);
        return 0;
      });
      // Half empty again: so a claim takes several, and none waits for the slowest.
      if (claimed === 0) await wait(lookEveryMs, undefined, { signal }).catch(() => {});
      else
        while (queue.pending > places[channel] / 2 && !signal.aborted)
          await once(queue, 'next', { signal }).catch(() => {});
    }
  })();
  return { queue, claiming };
}

/** Takes as many as there are free places, so that a lease begins with the attempt. Returns how many. */
async function claim(services: NotifierServices, channel: DeliveryChannel, queue: PQueue): Promise<number> {
  const { sql, clock, log, metrics } = services;
  if (channel === 'email' && services.mailer === null) {
    const held = await holdQueued(sql, channel, noMailServer, clock.now());
    metrics.deliveries.inc({ channel, outcome: 'held' }, held);
    return 0;
  }
  const deliveries = await claimDeliveries(sql, channel, places[channel] - queue.pending, clock.now());
  if (deliveries.length === 0) return 0;
  const material = await gatherMaterial(sql, deliveries);
  for (const delivery of deliveries) {
    void queue
      .add(() => deliver(services, delivery, material))
      .catch(error => log.warn({ err: error, delivery: delivery.id }, 'a delivery could not be settled'));
  }
  return deliveries.length;
}

async function deliver(services: NotifierServices, delivery: Delivery, material: Material): Promise<void> {
  const { sql, clock, metrics, log } = services;
  const outcome = await attempt(services, delivery, material, clock.now()).catch((error): Outcome => {
    // The message may hold what is secret; a fault of ours is found by its name and place.
    log.error({ delivery: delivery.id, fault: (error as Error).name, stack: placeOf(error) }, 'a delivery failed here');
    return { type: 'failed', error: 'a fault on our side', retryAfterMs: null, ours: true };
  });
  const settlement = settle(outcome, delivery.attempts, Math.random());
  const settled = await settleDelivery(sql, delivery, settlement, clock.now());
  metrics.deliveries.inc({
    channel: delivery.channel,
    outcome: settlement.state === 'queued' ? 'retry' : settlement.state,
  });
  if (settlement.state === 'failed' || settlement.state === 'held')
    log.warn(
      { delivery: delivery.id, channel: delivery.channel, error: settlement.error },
      `delivery ${settlement.state}`,
    );
  if (settled) await keepScore(services, delivery, settlement, material, clock.now());
}

function placeOf(error: unknown): string[] {
  return ((error as Error).stack ?? '')
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .slice(0, 5);
}
