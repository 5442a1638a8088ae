import { createHash } from 'node:crypto';
import type { Fields } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { readLogo, type StatusPageRow } from './store.ts';

/** A page for the audit: what a client sets, the logo by its type, size and hash. */
export async function auditPage(sql: Sql, row: StatusPageRow): Promise<Fields> {
  const { logo_width: width, logo_height: _height, sealed_access: _sealed, access_changed_at: _at, ...rest } = row;
  const { access_type: type, access_ranges: ranges, access_version: version, ...shown } = rest;
  // The version says that a password or link changed.
  const fields = { ...shown, access: { type, ranges, version } };
  const logo = width === null ? null : await readLogo(sql, row.id);
  if (logo === null) return { ...fields, logo: null };
  const digest = createHash('sha256').update(logo.bytes).digest('hex').slice(0, 8);
  return { ...fields, logo: `${logo.contentType}, ${logo.bytes.length} bytes, sha256 ${digest}` };
}
