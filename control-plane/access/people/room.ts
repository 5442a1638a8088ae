import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findPerson, lockPerson } from './store.ts';

const maxima = { passkeys: 10, identities: 5 };

/** Throws `limit_reached` for somebody who has as many ways in as a person may. */
export async function requireRoom(sql: Sql, personId: string, resource: keyof typeof maxima): Promise<void> {
  const person = await findPerson(sql, personId);
  const used = resource === 'passkeys' ? (person?.passkeys ?? 0) : (person?.identities.length ?? 0);
  const maximum = maxima[resource];
  if (used >= maximum) throw new Problem('limit_reached', { extra: { resource, maximum, used } });
}

/** The same where one is stored: others of the person wait for the transaction's end. */
export async function takeRoom(sql: Sql, personId: string, resource: keyof typeof maxima): Promise<void> {
  await lockPerson(sql, personId);
  await requireRoom(sql, personId, resource);
}
