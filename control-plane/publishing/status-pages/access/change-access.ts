import type { Sql } from '../../../platform/db/sql.ts';
import { fieldProblem } from '../../../platform/http/problem.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { saveDocument } from '../publish/document-store.ts';
import { listFormerSlugs } from '../slug-store.ts';
import type { StatusPageRow } from '../store.ts';
import type { AccessSettings } from './access.ts';
import { gateDocument } from './gate.ts';
import { type NewAccess, newAccess, openAccess, type PageAccess, sealAccess } from './secrets.ts';
import { hideDocuments, listAdmitted, showDocuments, updateAccess } from './store.ts';

export function accessOf(row: StatusPageRow, keyring: Keyring): PageAccess {
  const secrets = openAccess(row.sealed_access, row.id, keyring);
  return { type: row.access_type, ranges: row.access_ranges, secrets };
}

/** The access that was asked for; null if the page has it already. Throws if there is no password to keep. */
export async function askedAccess(
  row: StatusPageRow,
  asked: AccessSettings | undefined,
  keyring: Keyring,
): Promise<NewAccess | null> {
  if (asked === undefined) return null;
  const access = await newAccess(accessOf(row, keyring), asked);
  if (access === 'no_password')
    throw fieldProblem('/access/password', 'not_allowed', 'there is no stored value to keep');
  return access;
}

/** Writes the access and gives the documents their names. The gate is written after all else of the change. */
export async function setAccess(
  sql: Sql,
  row: StatusPageRow,
  access: NewAccess,
  keyring: Keyring,
  nowMs: number,
): Promise<void> {
  const { type, ranges, secrets } = access;
  const sealed = type === 'public' ? null : sealAccess(secrets, row.id, keyring);
  await updateAccess(sql, row.id, { type, ranges, sealed }, nowMs);
  if (type === 'public') await showDocuments(sql, row.id, row.slug);
  else await hideDocuments(sql, row.id);
}

/**
 * Publishes who may see the page, in the transaction of the change. A public page has no gate. Where it may be one for
 * members, the project must be locked.
 */
export async function writeGate(sql: Sql, row: StatusPageRow, keyring: Keyring, nowMs: number): Promise<void> {
  const { type, ranges, secrets } = accessOf(row, keyring);
  if (type === 'public') return;
  const gate = {
    pageId: row.id,
    type,
    version: row.access_version,
    ranges: [...ranges],
    ...secrets,
    ...(type === 'members' ? { people: Object.fromEntries(await listAdmitted(sql, row.project_id)) } : {}),
    formerSlugs: await listFormerSlugs(sql, row.id),
  };
  await saveDocument(sql, { id: row.id, projectId: row.project_id }, gateDocument(gate, row.slug, keyring), nowMs);
}
