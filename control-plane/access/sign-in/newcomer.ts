import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { auditPerson, type PersonRow } from '../people/person.ts';
import { insertPerson } from '../people/store.ts';
import type { SignInServices } from './services.ts';

/** Makes somebody new, who did it themselves. */
export async function createNewcomer(
  sql: Sql,
  { name, email, requestId }: { name: string; email: string | null; requestId: string },
  { clock, recordChange }: Pick<SignInServices, 'clock' | 'recordChange'>,
): Promise<PersonRow> {
  const nowMs = clock.now();
  const row = await insertPerson(sql, { name, email, operator: false }, nowMs);
  const actor = { type: 'person', id: row.id, name } as const;
  const origin = { actor, via: 'dashboard', requestId, planId: null, projectId: null } as const;
  const sides = { before: null, after: auditPerson(row) };
  const change: Change = { action: 'person.created', subject: row.id, name, ...sides };
  await recordChange(sql, origin, change, nowMs);
  return row;
}
