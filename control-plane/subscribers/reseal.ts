import type pg from 'pg';
import { transaction } from '../db/transaction.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { resealPepper } from './pepper-store.ts';
import { lockSubscribersAfter, resealSubscriber } from './store.ts';

const pageSize = 200;

/** Seals addresses, tokens and secrets of all subscribers with the first key of the ring. Returns how many there are. */
export async function resealSubscribers(pool: pg.Pool, keyring: Keyring): Promise<number> {
  await transaction(pool, sql => resealPepper(sql, keyring));
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await transaction(pool, async sql => {
      const page = await lockSubscribersAfter(sql, after, pageSize);
      for (const row of page) await resealSubscriber(sql, keyring, row);
      return page;
    });
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return count;
    after = last.id;
  }
}
