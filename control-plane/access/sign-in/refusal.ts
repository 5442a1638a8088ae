import type { Sql } from '../../platform/db/sql.ts';
import { recordEverywhere } from '../people/record.ts';
import { findPerson } from '../people/store.ts';
import type { SignInServices } from './services.ts';

type Refused = { method: 'oidc' | 'passkey' | 'link'; reason: string };

/**
 * Records that somebody was not let in: of a known person in the audit of their projects too. `find` says whose the
 * passkey, account or link is; null if nobody's. Each person has a limit of their own, and what is nobody's has one
 * together.
 */
export async function recordRefusal(
  services: SignInServices,
  { method, reason }: Refused,
  find: (sql: Sql) => Promise<string | null>,
  requestId: string,
): Promise<void> {
  const { sql, clock, recordChange } = services;
  const personId = await find(sql);
  const person = personId === null ? null : await findPerson(sql, personId);
  const { id, name } = person ?? { id: 'unknown', name: null };
  if (!(await services.mayRecordRefusal(id))) return;
  const origin = { actor: { type: 'person', id, name }, via: 'dashboard', requestId, planId: null } as const;
  const change = { action: 'session.refused', subject: id, name, before: null, after: { method, reason } } as const;
  if (person === null) await recordChange(sql, { ...origin, projectId: null }, change, clock.now());
  else await recordEverywhere(sql, recordChange, { personId: person.id, origin, change }, clock.now());
}
