import type { Clock } from '#shared/clock.ts';
import { secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { wait } from '#shared/wait.ts';
import { mayBeOfOneItem } from '../../platform/failures/failure.ts';
import type { Metrics } from '../../platform/http/metrics.ts';
import { warnThrottled } from '../../platform/resilience/throttled-warning.ts';
import { emailConcurrency, emailNotConfigured } from '../transports/email/send.ts';
import type { Outcome } from '../transports/outcome.ts';
import { attempt, type DeliveryServices, loadContext, noContext, updateRecipientHealth } from './deliver.ts';
import { type DeliveryChannel, deliveryChannels, settle, storedName } from './delivery.ts';
import { type ClaimedDelivery, claimDeliveries, leaseMs, listQueuedChannels } from './queue-store.ts';
import type { DeliveryContext } from './recipients/recipient.ts';
import { putDueOnHold, releaseQueue, restoreQueues } from './settle-store.ts';
import { createSettler, type Settler } from './settler.ts';
import { type Capacity, createSlots, type Slots } from './slots.ts';

export type NotifierServices = DeliveryServices & { clock: Clock; log: Logger; metrics: Metrics };

/** Sends queued deliveries until it is stopped. */
export type Notifier = {
  /**
   * Claims nothing more and waits up to five seconds for attempts in flight; the rest is retried when the lease ends.
   */
  stop(): Promise<void>;
};

/** A request that waits for its answer is a socket and little memory. */
const slow = { slots: 384, slotsPerProject: 24 };
/** For each channel and replica. Webhooks of a project may hang as long as they like: they keep no others waiting. */
const capacities: Readonly<Record<DeliveryChannel, Capacity>> = {
  email: { slots: emailConcurrency, slotsPerProject: 4, claimedPerProject: 32, slow: null },
  webhook: { slots: 64, slotsPerProject: 4, claimedPerProject: 4, slow },
  slack: { slots: 8, slotsPerProject: 4, claimedPerProject: 4, slow: null },
  alert_channel: { slots: 64, slotsPerProject: 8, claimedPerProject: 16, slow },
  slack_webhook: { slots: 32, slotsPerProject: 4, claimedPerProject: 4, slow },
  teams_webhook: { slots: 32, slotsPerProject: 4, claimedPerProject: 4, slow },
  account: { slots: emailConcurrency, slotsPerProject: 4, claimedPerProject: 16, slow: null },
};
const pollMs = 500;
/** Every fifth second all channels are asked, whatever is queued. */
const pollsToAll = 10;
const stopTimeoutMs = 5000;
/** An attempt that starts later could outlive its lease. */
const startWithinMs = leaseMs - 21 * secondMs;
const releaseRetryMs = 100;

type Channel = { name: DeliveryChannel; slots: Slots; settler: Settler; wakeUp: WakeUp; signal: AbortSignal };

/** Wakes whoever waits for it. */
type WakeUp = { wake(): void; woken(): Promise<void> };

/** Starts one claiming loop per channel, so that a slow channel delays no other. Closes the mailer when it stops. */
export function startNotifier(services: NotifierServices): Notifier {
  services.metrics.commits.expect(...deliveryChannels.map(name => `deliveries_${storedName(name)}` as const));
  const abort = new AbortController();
  const channels = deliveryChannels.map(name => openChannel(services, name, abort.signal));
  const wakeAll = () => channels.map(({ wakeUp }) => wakeUp.wake());
  const restored = restoreQueues(services.sql).catch(warnThrottled(services.log, 'could not restore queues', {}));
  const claiming = channels.map(channel => claimUntilStopped(services, channel));
  const poll = createPoll(services, channels);
  void poll();
  const polling = setInterval(poll, pollMs);
  return {
    stop: async () => {
      abort.abort();
      clearInterval(polling);
      wakeAll();
      await Promise.all([restored, ...claiming]);
      const idle = Promise.all(channels.map(({ slots }) => slots.idle()));
      await Promise.race([idle, wait(stopTimeoutMs, { ref: false })]);
      await Promise.all(channels.map(({ settler }) => settler.stop(0)));
      services.mailer?.close();
    },
  };
}

function openChannel({ sql, log, metrics }: NotifierServices, name: DeliveryChannel, signal: AbortSignal): Channel {
  const wakeUp = createWakeUp();
  const settler = createSettler({ sql, log, metrics }, name);
  return { name, slots: createSlots(capacities[name], wakeUp.wake), settler, wakeUp, signal };
}

function createWakeUp(): WakeUp {
  let next = Promise.withResolvers<void>();
  return {
    wake: () => {
      next.resolve();
      next = Promise.withResolvers();
    },
    woken: () => next.promise,
  };
}

/**
 * Wakes the channels that have something in their queues, asked of all in one statement, and now and then those that
 * have nothing, too. If they cannot be asked, all are.
 */
function createPoll({ sql }: NotifierServices, channels: readonly Channel[]): () => Promise<void> {
  let [polls, isAsking] = [0, false];
  return async () => {
    if (isAsking) return;
    isAsking = true;
    polls += 1;
    const asked = channels.map(({ name }) => storedName(name));
    const queued = polls % pollsToAll === 0 ? asked : await listQueuedChannels(sql, asked).catch(() => asked);
    for (const { name, wakeUp } of channels) if (queued.includes(storedName(name))) wakeUp.wake();
    isAsking = false;
  };
}

/** Claims twice a second while something is queued, and whenever a claim ended: the recipient's next may be due. */
async function claimUntilStopped(services: NotifierServices, channel: Channel): Promise<void> {
  const { name, slots, wakeUp, signal } = channel;
  const warn = warnThrottled(services.log, 'could not claim deliveries', { channel: name });
  let woken = wakeUp.woken();
  for (;;) {
    await woken;
    if (signal.aborted) return;
    // Before the claim: what ends meanwhile counts.
    woken = wakeUp.woken();
    const limit = slots.free();
    const claimed = await claim(services, channel, limit).catch(error => {
      warn(error);
      return 0;
    });
    // There may be more.
    if (claimed === limit && limit > 0) wakeUp.wake();
  }
}

/** Returns the number of deliveries claimed. */
async function claim(services: NotifierServices, channel: Channel, limit: number): Promise<number> {
  const { name, slots, settler, signal } = channel;
  const { sql, clock, log, metrics } = services;
  const label = storedName(name);
  if (name === 'email' && services.mailer === null) {
    const suspended = await putDueOnHold(sql, name, emailNotConfigured, clock.now());
    metrics.commits.mark(`deliveries_${label}`);
    metrics.deliveries.inc({ channel: label, outcome: 'held' }, suspended);
    return 0;
  }
  if (limit <= 0) return 0;
  const request = { channel: name, limit, perProject: capacities[name].claimedPerProject, ...waitingOf(slots) };
  const claimedAt = performance.now();
  const deliveries = await claimDeliveries(sql, request, clock.now());
  const shared = await loadContext(sql, deliveries).catch(nullIfOfOneItem);
  metrics.commits.mark(`deliveries_${label}`);
  for (const delivery of deliveries) {
    const own = shared ?? (await loadContext(sql, [delivery]).catch(nullIfOfOneItem));
    const context = own ?? noContext;
    const attemptInTime = () => {
      if (own === null) return Promise.resolve(unreadable);
      return performance.now() - claimedAt > startWithinMs
        ? Promise.resolve(tooLate)
        : makeAttempt(services, delivery, context);
    };
    const record = (outcome: Outcome) => settleOne(services, settler, { delivery, context, outcome }, signal);
    void slots
      .run(delivery, attemptInTime, record)
      .catch(error => log.warn({ err: error, delivery: delivery.id }, 'could not record the result of a delivery'));
  }
  return deliveries.length;
}

function nullIfOfOneItem(error: unknown): null {
  if (!mayBeOfOneItem(error)) throw error;
  return null;
}

const unreadable: Outcome = { type: 'failed', error: 'internal error', retryAfterMs: null, ours: true };

function waitingOf(slots: Slots) {
  return { capacities: slots.capacities(), leftOut: slots.leftOut() };
}

/** It waited for a slot behind attempts that hang. */
const tooLate: Outcome = { type: 'failed', error: 'the SMTP server timed out', retryAfterMs: null, ours: true };

async function makeAttempt(
  services: NotifierServices,
  delivery: ClaimedDelivery,
  context: DeliveryContext,
): Promise<Outcome> {
  return attempt(services, delivery, context, services.clock.now()).catch((error): Outcome => {
    // The error's message may contain a secret; its name and stack are enough to find the bug.
    const fault = { delivery: delivery.id, fault: (error as Error).name, stack: stackOf(error) };
    services.log.error(fault, 'internal error in a delivery');
    services.metrics.failures.inc({ work: 'deliveries' });
    return { type: 'failed', error: 'internal error', retryAfterMs: null, ours: true };
  });
}

type Ended = { delivery: ClaimedDelivery; context: DeliveryContext; outcome: Outcome };

/**
 * Records the result together with those of other deliveries, and lets the recipient's next delivery go. Returns
 * whether there is one.
 */
async function settleOne(
  services: NotifierServices,
  settler: Settler,
  { delivery, context, outcome }: Ended,
  signal: AbortSignal,
): Promise<boolean> {
  const { sql, clock, metrics, log } = services;
  const { id } = delivery;
  const channel = storedName(delivery.channel);
  const settlement = settle(outcome, delivery.attempts, Math.random());
  // Before the next delivery may go: a receiver that is gone gets none.
  await updateRecipientHealth(services, delivery, settlement, context, clock.now()).catch(error =>
    log.warn({ err: error, delivery: id }, 'could not count a delivery for its recipient'),
  );
  const [result] = await settler.add([{ delivery, settlement, atMs: clock.now() }]);
  metrics.deliveries.inc({ channel, outcome: settlement.state === 'queued' ? 'retry' : settlement.state });
  if (settlement.state === 'failed' || settlement.state === 'held')
    log.warn({ delivery: id, channel, error: settlement.error }, `delivery ${settlement.state}`);
  let released = result?.released ?? true;
  const leaseEnd = performance.now() + leaseMs;
  while (!released && !signal.aborted && performance.now() < leaseEnd) {
    await wait(releaseRetryMs, { ref: false });
    released = await releaseQueue(sql, delivery);
  }
  return result?.more === true || result?.released === false;
}

function stackOf(error: unknown): string[] {
  return ((error as Error).stack ?? '')
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .slice(0, 5);
}
