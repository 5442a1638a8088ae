import type pg from 'pg';
import { transaction } from '../../../platform/db/transaction.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { lockSealed, reseal } from './seal-store.ts';

const pageSize = 200;

/** Seals the secrets of all monitors with the first key of the ring. Returns the number of monitors. */
export async function resealMonitors(pool: pg.Pool, keyring: Keyring): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await transaction(pool, async sql => {
      const page = await lockSealed(sql, after, pageSize);
      for (const row of page) await reseal(sql, keyring, row);
      return page;
    });
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return count;
    after = last.id;
  }
}
