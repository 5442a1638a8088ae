import type pg from 'pg';
import { transaction } from '../../platform/db/transaction.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { resealPepper } from '../../platform/secrets/pepper-store.ts';
import { lockSubscribersAfter, replaceSealed } from './reseal-store.ts';
import { openAddress, openSecret, openToken, sealSubscriber } from './sealed.ts';

const pageSize = 200;

/**
 * Seals the pepper and the addresses, tokens and secrets of all subscribers with the first key of the ring, in one
 * transaction per page. Returns the number of subscribers.
 */
export async function resealSubscribers(pool: pg.Pool, keyring: Keyring): Promise<number> {
  await transaction(pool, sql => resealPepper(sql, keyring));
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await transaction(pool, async sql => {
      const page = await lockSubscribersAfter(sql, after, pageSize);
      for (const row of page) {
        const opened = {
          address: openAddress(row, keyring),
          token: openToken(row, keyring),
          secret: openSecret(row, keyring),
        };
        await replaceSealed(sql, row.id, sealSubscriber(row.id, opened, keyring));
      }
      return page;
    });
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return count;
    after = last.id;
  }
}
