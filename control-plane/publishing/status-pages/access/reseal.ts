import type pg from 'pg';
import { transaction } from '../../../platform/db/transaction.ts';
import { lockProjects } from '../../../platform/projects/store.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { announceDocuments, lockPublication } from '../publish/publication-store.ts';
import { lockStatusPage } from '../store.ts';
import { writeGate } from './change-access.ts';
import { openAccess, sealAccess } from './secrets.ts';
import { listSealedAfter, replaceSealedAccess } from './store.ts';

const pageSize = 100;

/** Seals the secrets and gates of private pages with the first key of the ring. Returns the number of pages. */
export async function resealPages(pool: pg.Pool, keyring: Keyring, nowMs: number): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await transaction(pool, sql => listSealedAfter(sql, after, pageSize));
    for (const { id, project_id } of rows)
      await transaction(pool, async sql => {
        await lockProjects(sql, [project_id]);
        await lockPublication(sql, id, nowMs);
        const row = await lockStatusPage(sql, project_id, id);
        if (row?.sealed_access == null) return;
        const sealed = sealAccess(openAccess(row.sealed_access, row.id, keyring), row.id, keyring);
        await replaceSealedAccess(sql, row.id, sealed);
        await writeGate(sql, { ...row, sealed_access: Buffer.from(sealed) }, keyring, nowMs);
        await announceDocuments(sql, id);
      });
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return count;
    after = last.id;
  }
}
