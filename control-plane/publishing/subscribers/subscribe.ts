import type { Sql } from '../../platform/db/sql.ts';
import { requireWithinQuota } from '../../platform/project-limits/quota-store.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { publishingCounts } from '../quotas/store.ts';
import type { SubscriberChannel } from './address.ts';
import type { HashAddress } from './address-hash.ts';
import { countConfirmation, findConfirmations, takeOfDay } from './confirmation-store.ts';
import type { SubscriberHooks } from './hooks.ts';
import { countSingle } from './import-store.ts';
import { bindToMember, bindVisitor } from './member-store.ts';
import {
  insertSubscribers,
  lockByAddress,
  markConfirmationSent,
  renewSubscriber,
  type SubscriberRow,
} from './store.ts';
import { decideResubscription, mayConfirm, newWebhookSecret } from './subscriber.ts';

export type SubscriberServices = {
  keyring: Keyring;
  hashAddress: HashAddress;
  hooks: SubscriberHooks;
  /** Charges the project for a confirmation that a token causes; throws `rate_limited`. */
  chargeConfirmation(projectId: string): Promise<void>;
};

export type Subscription = {
  projectId: string;
  statusPageId: string;
  channel: SubscriberChannel;
  address: string;
  componentIds: readonly string[];
  consent: string | null;
  /** Submitted on the public page, by anyone. */
  byVisitor: boolean;
  /** The member who subscribes, on a page for members. */
  personId?: string | null;
};

/**
 * `secret` is the signing secret of a webhook that is new or active again; otherwise null. `before` is null for a new
 * subscriber.
 */
export type Subscribed = { id: string; before: SubscriberRow | null; secret: string | null };

/**
 * Subscribes an address to a page, or renews the subscription that it has. Webhooks, those of chats too, are active at
 * once. So is an email address with consent, as an import of one: it is counted and watched. Any other address, and one
 * beyond the day's number, is sent a confirmation email.
 */
export async function subscribeAddress(
  sql: Sql,
  services: SubscriberServices,
  subscription: Subscription,
  nowMs: number,
): Promise<Subscribed> {
  const { projectId, statusPageId, channel } = subscription;
  const hash = await services.hashAddress(statusPageId, channel, subscription.address);
  const isWebhook = channel !== 'email';
  // Chats take no signatures.
  const secret = channel === 'webhook' ? newWebhookSecret() : null;
  const [id] = await insertSubscribers(
    sql,
    services.keyring,
    [{ ...subscription, hash, state: isWebhook ? 'active' : 'pending', secret }],
    nowMs,
  );
  if (id !== undefined) {
    if (subscription.personId) await bindToMember(sql, id, subscription.personId);
    const isActive = isWebhook || (await activateByConsent(sql, services, id, subscription, nowMs));
    const state = isActive ? 'active' : 'pending';
    // Addresses that visitors typed in count once they are confirmed.
    if (!subscription.byVisitor) await requireWithinQuota(sql, projectId, publishingCounts.subscribers);
    if (state === 'pending') await requestConfirmation(sql, services, { id, projectId, hash }, subscription, nowMs);
    return { id, before: null, secret };
  }
  const existing = await lockByAddress(sql, statusPageId, channel, hash);
  if (existing === null) throw new Error('an existing subscriber could not be found by its address');
  return isWebhook
    ? renewWebhook(sql, services, existing, { ...subscription, secret }, nowMs)
    : renewEmail(sql, services, { ...existing, hash }, subscription, nowMs);
}

/** True if consent makes the new subscriber active. */
async function activateByConsent(
  sql: Sql,
  { keyring }: SubscriberServices,
  id: string,
  { projectId, componentIds, consent, byVisitor }: Subscription,
  nowMs: number,
): Promise<boolean> {
  if (consent === null || byVisitor || !(await countSingle(sql, projectId, nowMs))) return false;
  const change = { state: 'active', componentIds, consent, secret: null, imported: true } as const;
  await renewSubscriber(sql, keyring, id, change, nowMs);
  return true;
}

async function renewWebhook(
  sql: Sql,
  { keyring }: SubscriberServices,
  existing: SubscriberRow,
  { componentIds, consent, ...subscription }: Subscription & { secret: string | null },
  nowMs: number,
): Promise<Subscribed> {
  const secret = existing.state === 'active' ? null : subscription.secret;
  await renewSubscriber(sql, keyring, existing.id, { state: 'active', componentIds, consent, secret }, nowMs);
  return { id: existing.id, before: existing, secret };
}

async function renewEmail(
  sql: Sql,
  services: SubscriberServices,
  { hash, ...existing }: SubscriberRow & { hash: Buffer },
  subscription: Subscription,
  nowMs: number,
): Promise<Subscribed> {
  const { id, state } = existing;
  const unchanged: Subscribed = { id, before: existing, secret: null };
  const counts = state === 'pending' && subscription.consent !== null;
  const imported = counts && (await countSingle(sql, subscription.projectId, nowMs));
  const consent = counts && !imported ? null : subscription.consent;
  const decision = decideResubscription(state, { ...subscription, consent });
  if (decision.state === 'unsubscribed') return unchanged;
  const componentIds = decision.replaceComponents ? subscription.componentIds : null;
  const change = { state: decision.state, componentIds, consent: subscription.consent, secret: null, imported };
  await renewSubscriber(sql, services.keyring, id, change, nowMs);
  // Whom the operator adds stays when a membership ends.
  if (!subscription.byVisitor) await bindToMember(sql, id, null);
  else if (subscription.personId) await bindVisitor(sql, id, subscription.personId);
  const subscriber = { id, projectId: subscription.projectId, hash };
  if (decision.confirm) await requestConfirmation(sql, services, subscriber, subscription, nowMs);
  return unchanged;
}

/** Asks the address to confirm, unless it was asked too often: for this page, or today for all pages together. */
async function requestConfirmation(
  sql: Sql,
  services: SubscriberServices,
  { id, projectId, hash }: { id: string; projectId: string; hash: Buffer },
  { channel, address, byVisitor }: Subscription,
  nowMs: number,
): Promise<void> {
  if (!mayConfirm(await findConfirmations(sql, hash), nowMs)) return;
  if (!(await takeOfDay(sql, await services.hashAddress(null, channel, address), nowMs))) return;
  if (!byVisitor) await services.chargeConfirmation(projectId);
  await countConfirmation(sql, hash, nowMs);
  await markConfirmationSent(sql, id, nowMs);
  await services.hooks.confirmationWanted(sql, { id, projectId }, nowMs);
}
