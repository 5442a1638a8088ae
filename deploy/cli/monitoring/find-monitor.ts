import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, itemsOf, queryOf, type Session } from '../connection/session.ts';
import { CommandError } from '../frame/failure.ts';

type Monitor = Schemas['Monitor'];

/** The monitor with this ID, key or exact name. Throws a CommandError for none, and for two of one name. */
export async function findMonitor({ client }: Session, given: string): Promise<Monitor> {
  if (/^mon_[a-z0-9]{26}$/i.test(given))
    return dataOf(client.GET('/v0/monitors/{id}', { params: { path: { id: given } } }));
  const named = await itemsOf(cursor =>
    client.GET('/v0/monitors', { params: { query: queryOf(cursor, { q: given }) } }),
  );
  const exact = named.filter(({ name, key }) => name === given || key === given);
  const [first, second] = exact;
  if (first === undefined) throw new CommandError(`there is no monitor ${given}`, hintOf(named));
  if (second === undefined) return first;
  const ids = exact.map(({ id, name, url }) => `  ${id}  ${name}  ${url}`).join('\n');
  throw new CommandError(`${exact.length} monitors are named ${given}:\n${ids}`, 'Name one by its ID.');
}

function hintOf(near: readonly Monitor[]): string {
  if (near.length === 0) return 'See `upquorum monitors list`.';
  return `There are: ${near
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ')}.`;
}
