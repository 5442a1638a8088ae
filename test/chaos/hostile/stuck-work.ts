import pg from 'pg';
import { silent, startTarget } from '../../support/target.ts';
import type { Attack } from './attack.ts';
import { repeat, talliedApi } from './calls.ts';

const webhooks = 20;
const lines = 4;

/**
 * H6: the publication of its page is stuck (a lock stands in for a rendering without end), its webhooks never answer,
 * and it keeps causing facts, deliveries and roll-ups.
 */
export const stickWork: Attack = async (grounds, tally, signal, begun) => {
  const api = talliedApi(grounds, tally);
  await using receiver = await startTarget(silent());
  const page = { status_page_id: grounds.pageId };
  const component = await api('POST', '/v0/components', { ...page, name: 'Component', monitor_ids: [] });
  for (let index = 0; index < webhooks; index++) await api('POST', '/v0/webhooks', { url: `${receiver.url}${index}` });
  await api('POST', '/v0/flows', { name: 'Flow', steps: [{ event: 'a' }, { event: 'b' }] });
  const incident = await api('POST', '/v0/incidents', { title: 'Endless', severity: 'p1', ...page });
  const client = new pg.Client({ connectionString: grounds.databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select 1 from page_publications where status_page_id = $1 for update', [grounds.pageId]);
    tally('publication locked');
    begun();
    const events = Array.from({ length: 500 }, (_, index) => ({
      name: index % 2 === 0 ? 'a' : 'b',
      external_user_id: `user-${index % 50}`,
    }));
    const works: ((count: number) => Promise<unknown>)[] = [
      count =>
        api('PATCH', `/v0/components/${component.body.id}`, {
          status: count % 2 === 0 ? 'major_outage' : 'operational',
        }),
      () => api('POST', `/v0/incidents/${incident.body.id}/updates`, { state: 'identified', body: 'Still.' }),
      () => api('POST', '/v0/events', events),
      count => api('POST', '/v0/releases', { version: `1.${count}` }),
    ];
    await repeat(lines, signal, (count, line) => works[line]?.(count) ?? Promise.resolve());
    tally('webhooks that wait', receiver.requests.length);
  } finally {
    await client.end();
  }
};
