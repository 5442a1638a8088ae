import type pg from 'pg';
import type { Sql } from '../../../platform/db/sql.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { lockProjects } from '../../../platform/projects/store.ts';
import { newBearer } from '../../../platform/secrets/bearer.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { announceDocuments, lockPublication } from '../publish/publication-store.ts';
import { lockStatusPage, type StatusPageRow } from '../store.ts';
import { writeGate } from './change-access.ts';
import { openAccess, sealAccess } from './secrets.ts';
import { listSealedAfter, replaceSealedAccess, updateAccess } from './store.ts';

const pageSize = 100;

/** Seals the secrets and gates of private pages with the first key of the ring. Returns the number of pages. */
export function resealPages(pool: pg.Pool, keyring: Keyring, nowMs: number): Promise<number> {
  return forEachPage(pool, nowMs, async (sql, row) => {
    if (row.sealed_access === null) return;
    const sealed = sealAccess(openAccess(row.sealed_access, row.id, keyring), row.id, keyring);
    await replaceSealedAccess(sql, row.id, sealed);
    await writeGate(sql, { ...row, sealed_access: Buffer.from(sealed) }, keyring, nowMs);
  });
}

/**
 * Ends all cookies, tickets and keys of feeds of private pages: a backup may have brought some back that had ended. A
 * page whose secrets no key opens stays closed to all.
 */
export function renewPages(pool: pg.Pool, keyring: Keyring, nowMs: number): Promise<number> {
  return forEachPage(pool, nowMs, async (sql, row) => {
    const { id, access_type: type, access_ranges: ranges } = row;
    if (row.sealed_access !== null && !keyring.has(row.sealed_access.subarray(0, 4))) return;
    const secrets = openAccess(row.sealed_access, id, keyring);
    const renewed = secrets.key === undefined ? secrets : { ...secrets, key: newBearer('upf') };
    await updateAccess(sql, id, { type, ranges, sealed: sealAccess(renewed, id, keyring) }, nowMs);
    const after = await lockStatusPage(sql, row.project_id, id);
    if (after !== null) await writeGate(sql, after, keyring, nowMs);
  });
}

async function forEachPage(
  pool: pg.Pool,
  nowMs: number,
  work: (sql: Sql, row: StatusPageRow) => Promise<void>,
): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await transaction(pool, sql => listSealedAfter(sql, after, pageSize));
    for (const { id, project_id } of rows)
      await transaction(pool, async sql => {
        await lockProjects(sql, [project_id]);
        await lockPublication(sql, id, nowMs);
        const row = await lockStatusPage(sql, project_id, id);
        if (row === null) return;
        await work(sql, row);
        await announceDocuments(sql, id);
      });
    count += rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return count;
    after = last.id;
  }
}
