import type pg from 'pg';
import { transaction } from '../../../platform/db/transaction.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { openChannelAddress, sealAddress } from '../addresses/address-store.ts';
import { lockAddresses, lockChannels, replaceAddress, replaceSealed } from './reseal-store.ts';
import { openChannelSecret, resealConfig, sealChannelSecret } from './sealed.ts';

/** Seals configurations and addresses of channels with the first key of the ring. Returns the number of channels. */
export function resealChannels(pool: pg.Pool, keyring: Keyring): Promise<number> {
  return transaction(pool, async sql => {
    const channels = await lockChannels(sql);
    for (const row of channels) {
      const secret = openChannelSecret(row, keyring);
      const sealedSecret = secret === null ? null : sealChannelSecret(row.id, secret, keyring);
      await replaceSealed(sql, row.id, resealConfig(row, keyring), sealedSecret);
    }
    for (const row of await lockAddresses(sql))
      await replaceAddress(sql, row.id, sealAddress(row.id, openChannelAddress(row, keyring), keyring));
    return channels.length;
  });
}
