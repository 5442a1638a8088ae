import type { Sql } from '../db/sql.ts';
import type { Caller } from '../http/endpoint.ts';
import { writeAudit } from '../projects/audit-store.ts';

/** Records who did what to an incident, with the values that were given; fields without a value are left out. */
export function recordAudit(
  sql: Sql,
  caller: Caller,
  entry: { action: string; subject: string; given?: Readonly<Record<string, unknown>> },
  nowMs: number,
): Promise<void> {
  const { action, subject, given = {} } = entry;
  const detail = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
  return writeAudit(sql, { projectId: caller.projectId, actor: caller.tokenId, action, subject, detail }, nowMs);
}
