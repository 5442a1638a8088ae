import { join } from 'node:path';
import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, type Session } from '../connection/session.ts';
import { CommandError } from '../frame/failure.ts';
import { textOf } from './text-file.ts';

/** A past incident as the file has it: page and components are keys. */
type Incident = Schemas['ImportIncidentsRequest']['incidents'][number] & { status_page: string };

/** Incidents of one request: each has up to 250,000 characters. */
const atOnce = 20;

export async function readIncidents(folder: string): Promise<Incident[]> {
  return JSON.parse((await textOf(join(folder, 'incidents.json'))) ?? '[]') as Incident[];
}

/** Sends them to their pages, which leave those as they are that they have. Resolves to how many were sent. */
export async function sendIncidents(
  { client }: Session,
  manager: string,
  source: string,
  incidents: readonly Incident[],
): Promise<number> {
  if (incidents.length === 0) return 0;
  const [pages, components] = await Promise.all([
    dataOf(client.GET('/v0/status-pages', { params: { query: { limit: 200 } } })),
    listComponents(client),
  ]);
  for (const key of new Set(incidents.map(({ status_page }) => status_page))) {
    const page = pages.data.find(({ key: own, managed_by }) => own === key && managed_by === manager);
    if (page === undefined)
      throw new CommandError(`there is no status page with the key ${key}`, 'First: upquorum apply');
    const own = components.filter(({ status_page_id: id }) => id === page.id);
    const ids = new Map(own.map(({ key: componentKey, id }) => [`${key}/${componentKey}`, id]));
    const sent = incidents
      .filter(({ status_page }) => status_page === key)
      .map(({ status_page: _page, affected_components: keys = [], ...incident }) => {
        return { ...incident, affected_components: keys.flatMap(one => ids.get(one) ?? []) };
      });
    for (let at = 0; at < sent.length; at += atOnce) {
      const body = { status_page_id: page.id, source, incidents: sent.slice(at, at + atOnce) };
      await dataOf(client.POST('/v0/incidents/import', { body }));
    }
  }
  return incidents.length;
}

async function listComponents(client: Session['client']): Promise<Schemas['Component'][]> {
  const components: Schemas['Component'][] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await dataOf(client.GET('/v0/components', { params: { query } }));
    components.push(...page.data);
    cursor = page.pagination.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return components;
}
