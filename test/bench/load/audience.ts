import { type Api, allowImports, apiOf, createTenant, withSql } from '../../support/control-plane.ts';
import type { Site } from '../site.ts';

/** A status page with subscribers. */
export type Audience = {
  api: Api;
  pageId: string;
  /** Imports `count` addresses with consent: person0@example.com and so on. */
  people(count: number): Promise<void>;
  webhook(url: string): Promise<void>;
  /** Opens an incident with a first update and returns its id. */
  incident(): Promise<string>;
  update(incidentId: string, body: string): Promise<void>;
  remove(incidentId: string): Promise<void>;
  /** The number of an incident's deliveries by state. */
  counts(incidentId: string): Promise<Record<string, number>>;
};

const importMax = 1000;

export async function openAudience(site: Site): Promise<Audience> {
  const { token, projectId } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  await allowImports(site.databaseUrl, projectId);
  const api = apiOf(site.url, token);
  const request = async (method: 'POST', path: string, body: unknown) => {
    const reply = await api(method, path, body);
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const pageId = (await request('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme' })).id as string;
  const path = `/v0/status-pages/${pageId}/subscribers`;
  return {
    api,
    pageId,
    people: async count => {
      for (let first = 0; first < count; first += importMax) {
        const length = Math.min(importMax, count - first);
        const subscribers = Array.from({ length }, (_, index) => ({ email: `person${first + index}@example.com` }));
        await request('POST', `${path}/import`, { consent: 'a measurement', subscribers });
      }
    },
    webhook: async url => {
      await request('POST', path, { channel: 'webhook', url });
    },
    incident: async () => {
      const initial_update = { state: 'investigating', body: 'We are **investigating**.' };
      const body = { title: 'Checkout fails', severity: 'p1', status_page_id: pageId, initial_update };
      return (await request('POST', '/v0/incidents', body)).id as string;
    },
    update: async (incidentId, body) => {
      await request('POST', `/v0/incidents/${incidentId}/updates`, { state: 'identified', body });
    },
    remove: async incidentId => {
      await api('DELETE', `/v0/incidents/${incidentId}`);
    },
    counts: incidentId =>
      withSql(site.databaseUrl, async sql => {
        const rows = await sql.rows<{ state: string; count: number }>`
          select state, count(*) as count
          from deliveries
          where incident_id = ${incidentId}
          group by state`;
        return Object.fromEntries(rows.map(row => [row.state, row.count]));
      }),
  };
}
