import test from 'ava';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

type Fields = Record<string, unknown>;

const at = (hour: number, minute = 0) =>
  `2026-03-04T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00.000Z`;

test('past incidents are imported once, seen on the page and in the API, and nobody is notified', async t => {
  const { api, url, projectId } = await openMonitorWorld(t, databaseOf());
  const slug = `past-${projectId.slice(-8)}`;
  const page = (await api('POST', '/v0/status-pages', { name: 'Past', slug })).body;
  const component = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'API' })).body;
  const incident = (id: number, changes: Fields = {}) => ({
    external_id: `x${id}`,
    title: `Outage ${id}`,
    severity: 'p2',
    impact: 'partial',
    affected_components: [component.id],
    started_at: at(9),
    updates: [
      { state: 'investigating', body: `Looking **${id}**`, posted_at: at(9, 5) },
      { state: 'resolved', body: 'Over.', posted_at: at(10) },
    ],
    ...changes,
  });
  const send = (incidents: Fields[], changes: Fields = {}) =>
    api('POST', '/v0/incidents/import', { status_page_id: page.id, source: 'Statuspage', incidents, ...changes });

  const fifty = Array.from({ length: 50 }, (_, id) => incident(id, id === 0 ? { postmortem_body: 'A **bug**.' } : {}));
  const sent = await send(fifty);
  t.like(sent, { status: 200, body: { created: 50, unchanged: 0 } }, JSON.stringify(sent.body));
  const again = await send([...fifty.slice(0, 2).map(one => ({ ...one, title: 'Other' })), incident(50)]);
  t.like(again.body, { created: 1, unchanged: 2 });
  t.is(again.body.items[0].id, sent.body.items[0].id);
  const shown = (await api('GET', `/v0/incidents/${sent.body.items[0].id}`)).body;
  t.like(shown, {
    title: 'Outage 0',
    state: 'resolved',
    imported_from: 'Statuspage',
    started_at: at(9),
    resolved_at: at(10),
    postmortem_body: 'A **bug**.',
    affected_components: [component.id],
  });
  t.deepEqual(
    shown.updates.map(({ posted_at }: Fields) => posted_at),
    [at(9, 5), at(10)],
  );
  await api('DELETE', `/v0/incidents/${shown.id}`);
  t.like((await send([incident(0)])).body, { created: 0, unchanged: 1 }, 'what was deleted does not come back');
  const entries = (await api('GET', '/v0/audit?limit=100&action=incident.imported')).body.data;
  t.is(entries.length, 51);
  t.like(entries[0], { via: 'import', after: { imported_from: 'Statuspage' } });

  const { id } = sent.body.items[1];
  const read = async () => (await fetch(`${url}/status/${slug}/incidents/${id}`)).text();
  const text = await until(read, shown => shown.includes('Outage 1'));
  t.regex(text, /Looking <strong>1<\/strong>/);
  t.false((await (await fetch(`${url}/status/${slug}/feed.rss`)).text()).includes('Outage'));
  t.deepEqual((await api('GET', '/v0/deliveries')).body.data, []);
});

test('what is not over, not past or not in order is refused, each at its place', async t => {
  const { api } = await openMonitorWorld(t, databaseOf());
  const page = (await api('POST', '/v0/status-pages', { name: 'Past' })).body;
  const good = {
    external_id: 'x',
    title: 'Outage',
    severity: 'p2',
    impact: 'partial',
    started_at: at(9),
    updates: [{ state: 'resolved', body: 'Over.', posted_at: at(10) }],
  };
  const faults = async (changes: Fields, more: Fields[] = []) => {
    const body = { status_page_id: page.id, source: 'Statuspage', incidents: [{ ...good, ...changes }, ...more] };
    const reply = await api('POST', '/v0/incidents/import', body);
    return (reply.body.errors ?? []).map(({ pointer, code }: Fields) => `${pointer} ${code}`);
  };
  const update = (state: string, posted: string) => ({ state, body: 'x', posted_at: posted });
  t.deepEqual(await faults({ updates: [update('monitoring', at(10))] }), ['/incidents/0/updates/0/state out_of_range']);
  t.deepEqual(await faults({ updates: [update('investigating', at(10)), update('resolved', at(10))] }), [
    '/incidents/0/updates/1/posted_at out_of_range',
  ]);
  t.deepEqual(await faults({ updates: [update('resolved', '2099-01-01T00:00:00Z')] }), [
    '/incidents/0/updates/0/posted_at in_future',
  ]);
  t.deepEqual(await faults({ started_at: at(11) }), ['/incidents/0/started_at out_of_range']);
  t.deepEqual(await faults({ affected_components: ['comp_1'] }), [
    '/incidents/0/affected_components/0 unknown_reference',
  ]);
  t.deepEqual(await faults({}, [good]), ['/incidents/1/external_id not_allowed']);
  t.deepEqual(await faults({ updates: [] }), ['/incidents/0/updates too_short']);
  const body = { status_page_id: 'sp_1', source: 'Statuspage', incidents: [good] };
  t.like((await api('POST', '/v0/incidents/import', body)).body.errors[0], { pointer: '/status_page_id' });
  t.deepEqual((await api('GET', '/v0/incidents')).body.data, []);
});
