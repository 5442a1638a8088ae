import type pg from 'pg';
import type { Sql } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { secretContext } from '../monitors/heartbeats/store.ts';
import { keyContext } from './key-routes.ts';
import { lockKeys, lockSecrets, type SealedText, writeKey, writeSecret } from './store.ts';

const pageSize = 200;

type Texts = {
  lock(sql: Sql, afterId: string, limit: number): Promise<SealedText[]>;
  write(sql: Sql, id: string, sealed: Uint8Array): Promise<void>;
  context(id: string): string;
};

/**
 * Seals the secrets of heartbeats and the keys of projects with the first key of the ring. Returns how many. What came
 * with signals stays as it is for its 30 days.
 */
export async function resealHeartbeats(pool: pg.Pool, keyring: Keyring): Promise<number> {
  const secrets = await resealTexts(pool, keyring, { lock: lockSecrets, write: writeSecret, context: secretContext });
  return secrets + (await resealTexts(pool, keyring, { lock: lockKeys, write: writeKey, context: keyContext }));
}

async function resealTexts(pool: pg.Pool, keyring: Keyring, { lock, write, context }: Texts): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await transaction(pool, async sql => {
      const page = await lock(sql, after, pageSize);
      for (const { id, sealed } of page)
        await write(sql, id, keyring.seal(keyring.open(sealed, context(id)), context(id)));
      return page;
    });
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return count;
    after = last.id;
  }
}
