import type { Sql } from '../../../platform/db/sql.ts';
import { newBearer } from '../../../platform/secrets/bearer.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { announceDocuments, lockPublication } from '../publish/publication-store.ts';
import { lockStatusPage, type StatusPageRow } from '../store.ts';
import { writeGate } from './change-access.ts';
import { type AccessSecrets, openAccess, sealAccess } from './secrets.ts';
import { listSealedAfter, raiseVersion, replaceSealedAccess } from './store.ts';

/**
 * Ends all cookies, tickets and feed keys of private pages, in the transaction of a restore: a backup brings nobody
 * back. A page whose secrets the keys do not open has a gate that they do not open either: it lets nobody in.
 */
export async function endAllVisits(sql: Sql, keyring: Keyring, nowMs: number): Promise<void> {
  for (const { id, project_id } of await listSealedAfter(sql, '', null)) {
    await lockPublication(sql, id, nowMs);
    await raiseVersion(sql, id, nowMs);
    const row = await lockStatusPage(sql, project_id, id);
    const secrets = row === null ? null : secretsOf(row, keyring);
    if (row === null || secrets === null) continue;
    const fresh = secrets.key === undefined ? secrets : { ...secrets, key: newBearer('upf') };
    const sealed = row.sealed_access === null ? null : Buffer.from(sealAccess(fresh, id, keyring));
    if (sealed !== null) await replaceSealedAccess(sql, id, sealed);
    await writeGate(sql, { ...row, sealed_access: sealed }, keyring, nowMs);
    await announceDocuments(sql, id);
  }
}

function secretsOf({ id, sealed_access }: StatusPageRow, keyring: Keyring): AccessSecrets | null {
  try {
    return openAccess(sealed_access, id, keyring);
  } catch {
    return null;
  }
}
