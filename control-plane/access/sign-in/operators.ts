import type { Sql } from '../../platform/db/sql.ts';
import { updateListed } from '../people/operator-store.ts';
import { auditPerson } from '../people/person.ts';
import { findPerson } from '../people/store.ts';
import type { SignInServices } from './services.ts';

/**
 * Lets who runs the installation follow OPERATORS, at each sign-in, whichever way it is: the list names addresses, and
 * a verified one is a person's whoever vouched for it.
 */
export async function followOperators(
  sql: Sql,
  { id, requestId }: { id: string; requestId: string },
  { clock, recordChange, settings }: Pick<SignInServices, 'clock' | 'recordChange' | 'settings'>,
): Promise<void> {
  const nowMs = clock.now();
  const before = await findPerson(sql, id);
  if (before === null || !(await updateListed(sql, id, settings.operators, nowMs))) return;
  const after = await findPerson(sql, id);
  if (after === null || after.operator === before.operator) return;
  const { name } = after;
  const origin = { actor: { type: 'person', id, name }, via: 'dashboard', requestId, planId: null } as const;
  const sides = { before: auditPerson(before), after: { ...auditPerson(after), reason: 'operators' } };
  await recordChange(
    sql,
    { ...origin, projectId: null },
    { action: 'person.updated', subject: id, name, ...sides },
    nowMs,
  );
}
