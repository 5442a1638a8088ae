import test, { type ExecutionContext } from 'ava';
import { setQuota } from '#control-plane/platform/project-limits/quota-store.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs } from '#shared/duration.ts';
import { apiOf, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { faultsOf } from '#test/support/problem.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const database = useDatabase(test);

/** A page with a component and a subscriber, and a webhook that wants to hear of incidents. */
async function openWorld(t: ExecutionContext) {
  const replica = await sharedReplica(database());
  const { token, projectId } = await createTenant(database());
  const [api, visitor] = [apiOf(replica.url, token), apiOf(replica.url, '')];
  const slug = `past-${projectId.slice(-8)}`;
  const page = (await api('POST', '/v0/status-pages', { name: 'Acme', slug })).body;
  const component = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'API' })).body;
  const hook = { channel: 'webhook', url: 'https://subscriber.example/' };
  t.is((await api('POST', `/v0/status-pages/${page.id}/subscribers`, hook)).status, 201);
  const kinds = ['incident.opened', 'incident.updated', 'incident.resolved'];
  t.is((await api('POST', '/v0/webhooks', { url: 'https://hook.example/', kinds })).status, 201);
  const now = Date.now();
  const past = {
    title: 'Old outage',
    severity: 'p1',
    status_page_id: page.id,
    affected_components: [component.id],
    started_at: toTimestamp(now - 12 * dayMs),
    resolved_at: toTimestamp(now - 12 * dayMs + 3 * hourMs),
    initial_update: { state: 'resolved', body: 'It was the disk.' },
  };
  const post = (changes: Record<string, unknown> = {}) => api('POST', '/v0/incidents', { ...past, ...changes });
  const deliveries = async (id: string) => (await api('GET', `/v0/incidents/${id}/deliveries`)).body.data.length;
  const shows = (path: string, text: string) =>
    until(
      async () => String((await visitor('GET', `/status/${slug}${path}`)).body),
      body => body.includes(text),
    );
  return { api, projectId, slug, component, now, past, post, deliveries, shows, visitor };
}

test('an incident that is over is entered with its true times, and nobody hears of it without `notify`', async t => {
  const { api, now, past, post, deliveries, shows, visitor, slug, component } = await openWorld(t);
  const silent = await post({ notify: false });
  t.is(silent.status, 201, JSON.stringify(silent.body));
  t.like(silent.body, { state: 'resolved', started_at: past.started_at, resolved_at: past.resolved_at });
  t.is(silent.body.updates[0].posted_at, past.resolved_at);
  t.is((await api('GET', `/v0/components/${component.id}`)).body.shown_status, 'operational');
  const told = await post({ title: 'Told outage', resolved_at: toTimestamp(now - dayMs) });
  t.is(told.status, 201);
  // Facts are handled in order: what the first would have sent is queued by then.
  await until(
    () => deliveries(told.body.id),
    count => count === 4,
  );
  t.is(await deliveries(silent.body.id), 0);

  const atom = await shows('/feed.atom', 'Told outage');
  t.false(atom.includes('Old outage'));
  t.false((await shows('/feed.rss', 'Told outage')).includes('Old outage'));
  t.true((await shows('/history', 'Old outage')).includes('Old outage'));
  const page = await shows(`/incidents/${silent.body.id}`, 'It was the disk.');
  t.regex(page, /3 hours/);
  const summary = (await visitor('GET', `/status/${slug}/summary.json`)).body;
  t.is(summary.status.indicator, 'none');

  const update = await api('POST', `/v0/incidents/${silent.body.id}/updates`, { state: 'resolved', body: 'A report.' });
  t.is(update.body.resolved_at, past.resolved_at, 'a later update moves no end');
  await until(
    () => deliveries(silent.body.id),
    count => count > 0,
  );
  await shows('/feed.atom', 'A report.');
  const [, entry] = (await api('GET', `/v0/incidents/${silent.body.id}/audit`)).body.data;
  t.like(entry, { action: 'incident.opened' });
  const [audited] = (await api('GET', `/v0/audit?action=incident.opened&subject=${silent.body.id}`)).body.data;
  t.like(audited.after, { resolved_at: past.resolved_at, notify: false });
});

test('an incident that goes on can be opened silently, too; its next update is sent', async t => {
  const { api, post, deliveries } = await openWorld(t);
  const open = await post({ resolved_at: null, initial_update: null, notify: false });
  t.like(open.body, { state: 'investigating', resolved_at: null });
  await api('POST', `/v0/incidents/${open.body.id}/resolve`, { body: 'Over.' });
  await until(
    () => deliveries(open.body.id),
    count => count === 3,
  );
  const kinds = (await api('GET', `/v0/incidents/${open.body.id}/deliveries`)).body.data;
  t.false(JSON.stringify(kinds).includes('incident.opened'));
});

test('an incident that is over needs a past, ordered span and an update that resolves it', async t => {
  const { projectId, post, now } = await openWorld(t);
  const cases: [Record<string, unknown>, string][] = [
    [{ resolved_at: toTimestamp(now + hourMs) }, '/resolved_at in_future'],
    [{ resolved_at: toTimestamp(now - 20 * dayMs) }, '/resolved_at out_of_range'],
    [{ started_at: null }, '/started_at required'],
    [{ initial_update: null }, '/initial_update required'],
    [{ initial_update: { state: 'monitoring', body: 'x' } }, '/initial_update/state out_of_range'],
    [{ notify: 'no' }, '/notify type'],
  ];
  for (const [changes, fault] of cases) {
    const refused = await post(changes);
    t.deepEqual([refused.status, faultsOf(refused)], [422, [fault]]);
  }
  await withSql(database(), sql => setQuota(sql, projectId, 'open_incidents', 0));
  t.is((await post()).status, 201, 'it takes no place among open incidents');
  t.is((await post({ resolved_at: null, initial_update: null })).status, 409);
});
