import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { itemsOf, queryOf, type Session } from '../connection/session.ts';
import { CommandError } from '../frame/failure.ts';

type StatusPage = Schemas['StatusPage'];
type Component = Schemas['Component'];

/** The status page with this slug or ID. */
export async function findPage({ client }: Session, given: string): Promise<StatusPage> {
  const pages = await itemsOf<StatusPage>(cursor =>
    client.GET('/v0/status-pages', { params: { query: queryOf(cursor, {}) } }),
  );
  const found = pages.find(({ id, slug }) => id === given || slug === given);
  if (found !== undefined) return found;
  const hint = pages.length === 0 ? null : `There are: ${pages.map(({ slug }) => slug).join(', ')}.`;
  throw new CommandError(`there is no status page ${given}`, hint);
}

/** The IDs of components of a page, by their ID, key or name. */
export async function findComponents({ client }: Session, pageId: string, given: readonly string[]): Promise<string[]> {
  if (given.length === 0) return [];
  const all = await itemsOf<Component>(cursor =>
    client.GET('/v0/components', { params: { query: queryOf(cursor, { status_page_id: pageId }) } }),
  );
  return given.map(name => {
    const found = all.find(component => [component.id, component.key, component.name].includes(name));
    if (found !== undefined) return found.id;
    throw new CommandError(
      `the page has no component ${name}`,
      `It has: ${all.map(component => component.name).join(', ')}.`,
    );
  });
}
