import { type Api, apiOf, createTenant, withSql } from '../../support/control-plane.ts';
import type { Site } from '../site.ts';

/** A status page with subscribers, on a site. */
export type Audience = {
  api: Api;
  pageId: string;
  /** Enters so many addresses that agreed, person0@example.com and so on. */
  people(count: number): Promise<void>;
  webhook(url: string): Promise<void>;
  /** Opens an incident with a first update; its id. */
  incident(): Promise<string>;
  update(incidentId: string, body: string): Promise<void>;
  remove(incidentId: string): Promise<void>;
  /** Deliveries of an incident by state. */
  counts(incidentId: string): Promise<Record<string, number>>;
};

const importMax = 1000;

export async function openAudience(site: Site): Promise<Audience> {
  const { token } = await createTenant(site.databaseUrl);
  const api = apiOf(site.url, token);
  const must = async (method: 'POST', path: string, body: unknown) => {
    const reply = await api(method, path, body);
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const pageId = (await must('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme' })).id as string;
  const path = `/v0/status-pages/${pageId}/subscribers`;
  return {
    api,
    pageId,
    people: async count => {
      for (let first = 0; first < count; first += importMax) {
        const places = Array.from({ length: Math.min(importMax, count - first) }, (_, place) => first + place);
        const subscribers = places.map(place => ({ email: `person${place}@example.com` }));
        await must('POST', `${path}/import`, { consent: 'a measurement', subscribers });
      }
    },
    webhook: async url => {
      await must('POST', path, { channel: 'webhook', url });
    },
    incident: async () => {
      const initial_update = { state: 'investigating', body: 'We **look** into it.' };
      const body = { title: 'Checkout fails', severity: 'p1', status_page_id: pageId, initial_update };
      return (await must('POST', '/v0/incidents', body)).id as string;
    },
    update: async (incidentId, body) => {
      await must('POST', `/v0/incidents/${incidentId}/updates`, { state: 'identified', body });
    },
    remove: async incidentId => {
      await api('DELETE', `/v0/incidents/${incidentId}`);
    },
    counts: incidentId =>
      withSql(site.databaseUrl, async sql => {
        const rows = await sql.rows<{ state: string; count: number }>(
          'select state, count(*) as count from deliveries where incident_id = $1 group by state',
          [incidentId],
        );
        return Object.fromEntries(rows.map(row => [row.state, row.count]));
      }),
  };
}
