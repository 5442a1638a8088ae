import { isIP } from 'node:net';
import { hourMs } from '#shared/duration.ts';
import { type AddressPolicy, isAllowed } from '#shared/network/guard.ts';
import { insertDelivery } from '../../delivery/notifications/fan-out-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { isTrial } from '../../platform/db/transaction.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { HashAddress } from '../../publishing/subscribers/address-hash.ts';
import { takeOfDay } from '../../publishing/subscribers/confirmation-store.ts';
import { type AddressRow, keepAddress, markAsked } from './addresses/address-store.ts';
import { addressesOf, unmaskConfig } from './config.ts';
import { type ChannelType, channelTypes } from './types/registry.ts';

export type ChannelServices = {
  keyring: Keyring;
  hashAddress: HashAddress;
  /** Which addresses channels may call. */
  reachable: AddressPolicy;
  /** Domains whose email addresses need not confirm. */
  mailDomains: readonly string[];
  /** Charges a project with the email that asks an address to confirm. Throws `rate_limited`. */
  chargeConfirmation(projectId: string): Promise<void>;
};

/**
 * The configuration with stored secrets in place of masks. Throws `validation_failed` for a secret that is not stored,
 * an address that no channel may call and what else the type refuses, such as a template that cannot be filled.
 */
export function completeConfig(
  type: ChannelType,
  given: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>> | null,
  reachable: AddressPolicy,
): Readonly<Record<string, unknown>> {
  const config = unmaskConfig(type, given, stored);
  for (const [field, url] of addressesOf(type, config)) {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isAllowed(host, reachable))
      throw fieldProblem(`/config/${field}`, 'not_allowed', 'is an address that channels may not call');
  }
  channelTypes[type].check?.(config);
  return config;
}

const askEveryMs = hourMs;

/** The ids of the addresses of an email channel; those that are new to the project are asked to confirm. */
export async function keepAddresses(
  sql: Sql,
  services: ChannelServices,
  projectId: string,
  texts: readonly string[],
  nowMs: number,
): Promise<string[]> {
  const { keyring, hashAddress, mailDomains } = services;
  const hashes = new Map<string, Buffer>();
  for (const text of texts) hashes.set(text, await hashAddress(null, 'email', text));
  const ids: string[] = [];
  // In one order, so that two channels with the same addresses cannot deadlock.
  for (const [text, hash] of [...hashes].sort(([, left], [, right]) => left.compare(right))) {
    const confirmed = isTrusted(text, mailDomains);
    const row = await keepAddress(sql, keyring, { projectId, text, hash, confirmed }, nowMs);
    if (row.confirmed_at === null) await askToConfirm(sql, services, row, hash, nowMs);
    ids.push(row.id);
  }
  return ids;
}

/** Whether the operator vouches for the address's domain. */
export function isTrusted(address: string, mailDomains: readonly string[]): boolean {
  return mailDomains.includes(address.slice(address.lastIndexOf('@') + 1).toLowerCase());
}

/** At most once an hour, and five times a day for one address of all projects together. */
async function askToConfirm(
  sql: Sql,
  { chargeConfirmation }: ChannelServices,
  row: AddressRow,
  hash: Buffer,
  nowMs: number,
): Promise<void> {
  // A plan asks nobody, and costs nothing of what a project may send.
  if (isTrial(sql)) return;
  if (row.asked_at !== null && nowMs < row.asked_at + askEveryMs) return;
  await chargeConfirmation(row.project_id);
  if (!(await takeOfDay(sql, hash, nowMs))) return;
  await markAsked(sql, row.id, nowMs);
  const subject = `confirm ${row.id} ${nowMs}`;
  const delivery = { kind: 'confirmation', channel: 'alert_channel', thread: null, sequence: 0, payload: {} } as const;
  await insertDelivery(sql, { ...delivery, projectId: row.project_id, subject, recipient: row.id }, nowMs, nowMs);
}
