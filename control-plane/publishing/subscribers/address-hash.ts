import { createHmac } from 'node:crypto';
import type { Pepper } from '../../platform/secrets/pepper-store.ts';
import { normalise, type SubscriberChannel } from './address.ts';

/**
 * The keyed hash by which an address is found again on its page, since the address is stored sealed; without a page,
 * the same on all.
 */
export type HashAddress = (statusPageId: string | null, channel: SubscriberChannel, address: string) => Promise<Buffer>;

export function createAddressHash(pepper: Pepper): HashAddress {
  return async (statusPageId, channel, address) =>
    createHmac('sha256', await pepper())
      .update(JSON.stringify([statusPageId, channel, normalise(channel, address)]))
      .digest();
}
