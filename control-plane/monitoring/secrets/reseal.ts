import type pg from 'pg';
import { transaction } from '../../platform/db/transaction.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { valueContext } from '../monitors/secrets/project-secrets-store.ts';
import { lockValues, writeValue } from './store.ts';

const pageSize = 200;

/** Seals the secrets of all projects with the first key of the ring. Agents are not notified: no value changes. */
export async function resealProjectSecrets(pool: pg.Pool, keyring: Keyring): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await transaction(pool, async sql => {
      const page = await lockValues(sql, after, pageSize);
      for (const { id, sealed } of page)
        await writeValue(sql, id, keyring.seal(keyring.open(sealed, valueContext(id)), valueContext(id)));
      return page;
    });
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return count;
    after = last.id;
  }
}
