import type { Sql } from '../db/sql.ts';
import type { Keyring } from '../secrets/keyring.ts';
import type { SubscriberChannel } from './address.ts';
import type { HashAddress } from './pepper-store.ts';
import type { SubscriberStages } from './stages.ts';
import { insertSubscribers, lockByAddress, markConfirmationSent, renewSubscriber } from './store.ts';
import { decideAgain, newWebhookSecret, type SubscriberImport } from './subscriber.ts';

export type SubscriberServices = { keyring: Keyring; hashAddress: HashAddress; stages: SubscriberStages };

export type Entry = {
  projectId: string;
  statusPageId: string;
  channel: SubscriberChannel;
  address: string;
  componentIds: readonly string[];
  consent: string | null;
  /** Typed into the public page, by whomever. */
  byVisitor: boolean;
};

/** `secret` is there when one was made. */
export type Entered = { id: string; isNew: boolean; secret: string | null };

/** Enters an address on a page, or again one that is known. Whoever is not active yet is asked by mail. */
export async function enterSubscriber(
  sql: Sql,
  services: SubscriberServices,
  entry: Entry,
  nowMs: number,
): Promise<Entered> {
  const { statusPageId, channel } = entry;
  const hash = await services.hashAddress(statusPageId, channel, entry.address);
  const secret = channel === 'webhook' ? newWebhookSecret() : null;
  const state = channel === 'webhook' || entry.consent !== null ? 'active' : 'pending';
  const [id] = await insertSubscribers(sql, services.keyring, [{ ...entry, hash, state, secret }], nowMs);
  if (id !== undefined) {
    if (state === 'pending') await askToConfirm(sql, services, { id, projectId: entry.projectId }, nowMs);
    return { id, isNew: true, secret };
  }
  const known = await lockByAddress(sql, statusPageId, channel, hash);
  if (known === null) throw new Error('a subscriber is known and cannot be found');
  const componentIds = entry.componentIds;
  if (channel === 'webhook') {
    const revived = known.state === 'active' ? null : secret;
    const change = { state: 'active', componentIds, consent: entry.consent, secret: revived } as const;
    await renewSubscriber(sql, services.keyring, known.id, change, nowMs);
    return { id: known.id, isNew: false, secret: revived };
  }
  const again = decideAgain({ state: known.state, confirmationSentAt: known.confirmation_sent_at }, entry, nowMs);
  const change = {
    state: again.state,
    componentIds: again.replaceComponents ? componentIds : null,
    consent: entry.consent,
    secret: null,
  };
  await renewSubscriber(sql, services.keyring, known.id, change, nowMs);
  if (again.confirm) await askToConfirm(sql, services, { id: known.id, projectId: entry.projectId }, nowMs);
  return { id: known.id, isNew: false, secret: null };
}

/** Enters addresses whose owners agreed elsewhere; those that are known stay as they are. Returns how many were new. */
export async function importSubscribers(
  sql: Sql,
  services: SubscriberServices,
  page: { projectId: string; statusPageId: string },
  posted: SubscriberImport,
  nowMs: number,
): Promise<number> {
  const entries = await Promise.all(
    posted.subscribers.map(async ({ email, component_ids }) => ({
      ...page,
      channel: 'email' as const,
      address: email,
      hash: await services.hashAddress(page.statusPageId, 'email', email),
      componentIds: component_ids,
      state: 'active' as const,
      consent: posted.consent,
      secret: null,
    })),
  );
  return (await insertSubscribers(sql, services.keyring, entries, nowMs)).length;
}

async function askToConfirm(
  sql: Sql,
  services: SubscriberServices,
  subscriber: { id: string; projectId: string },
  nowMs: number,
): Promise<void> {
  await markConfirmationSent(sql, subscriber.id, nowMs);
  await services.stages.confirmationWanted(sql, subscriber, nowMs);
}
