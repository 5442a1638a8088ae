import test from 'ava';
import type { Resource } from '#control-plane/platform/project-limits/quota.ts';
import { setQuota } from '#control-plane/platform/project-limits/quota-store.ts';
import { apiOf, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);

async function open() {
  const replica = await sharedReplica(databaseOf());
  const { token, projectId } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const slug = `page-${projectId.slice(-8)}`;
  const page = (await api('POST', '/v0/status-pages', { name: 'Acme', slug })).body;
  const component = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'API' })).body;
  return { replica, api, page, component, slug, projectId, databaseUrl: databaseOf() };
}

test('an incident is opened, updated, resolved once and reopened, at strictly increasing times', async t => {
  const { api, page, component, replica, slug } = await open();
  const posted = {
    title: 'API errors',
    severity: 'p2',
    status_page_id: page.id,
    affected_components: [component.id],
    initial_update: { state: 'investigating', body: 'We are looking into it.' },
  };
  const opened = await api('POST', '/v0/incidents', posted);
  t.is(opened.status, 201);
  t.is(opened.headers.location, `/v0/incidents/${opened.body.id}`);
  t.like(opened.body, { state: 'investigating', impact: 'partial', resolved_at: null, postmortem_url: null });
  t.is(opened.body.url, `http://localhost:8080/status/${slug}/incidents/${opened.body.id}`);
  const path = `/v0/incidents/${opened.body.id}`;
  t.is((await api('GET', `/v0/components/${component.id}`)).body.shown_status, 'partial_outage');
  t.is((await api('DELETE', `/v0/components/${component.id}`)).body.code, 'component_in_use');

  const updated = await api('POST', `${path}/updates`, { state: 'monitoring', body: 'Fixed.' });
  t.is(updated.status, 201);
  t.is(updated.body.state, 'monitoring');
  const resolved = await api('POST', `${path}/resolve`, { body: 'Done.' });
  t.is(resolved.status, 200);
  t.is(resolved.body.state, 'resolved');
  t.is(resolved.body.resolved_at, resolved.body.updates[2].posted_at);
  t.is((await api('POST', `${path}/resolve`, { body: 'Again.' })).body.code, 'already_resolved');
  const reopened = await api('POST', `${path}/updates`, { state: 'identified', body: 'Back.' });
  t.is(reopened.body.resolved_at, null);
  const times = reopened.body.updates.map((update: { posted_at: string }) => update.posted_at);
  t.deepEqual(times, [...new Set(times)].sort());

  const patched = await api('PATCH', path, { postmortem_body: '# Why' });
  t.is(patched.body.postmortem_url, `${opened.body.url}#postmortem`);
  const linked = await api('PATCH', path, { postmortem_url: 'https://example.com/why' });
  t.is(linked.body.postmortem_url, 'https://example.com/why');
  const edited = await api('PATCH', `${path}/updates/${updated.body.updates[1].id}`, { body: 'Fixed it.' });
  t.is(edited.body.updates[1].body, 'Fixed it.');
  t.truthy(edited.body.updates[1].edited_at);
  const audit = (await api('GET', `${path}/audit`)).body.data.map((entry: { action: string }) => entry.action);
  t.is(audit.length, 7);

  await until(
    () => apiOf(replica.url, '')('GET', `/status/${slug}`),
    answer => answer.status === 200 && String(answer.body).includes('API errors'),
  );
  const incidentPage = await until(
    () => apiOf(replica.url, '')('GET', `/status/${slug}/incidents/${opened.body.id}`),
    answer => answer.status === 200,
  );
  t.true(String(incidentPage.body).includes('API errors'));
  t.is((await api('DELETE', path)).status, 204);
  t.is((await api('GET', path)).status, 404);
  await until(
    () => apiOf(replica.url, '')('GET', `/status/${slug}/incidents/${opened.body.id}`),
    answer => answer.status === 404,
  );
});

test('an incident is full at 250000 characters', async t => {
  const { api, page } = await open();
  const opened = await api('POST', '/v0/incidents', { title: 'x', severity: 'p3', status_page_id: page.id });
  const body = 'x'.repeat(25_000);
  for (let count = 0; count < 10; count++)
    t.is((await api('POST', `/v0/incidents/${opened.body.id}/updates`, { state: 'identified', body })).status, 201);
  const refused = await api('POST', `/v0/incidents/${opened.body.id}/updates`, { state: 'identified', body });
  t.is(refused.status, 422);
  t.like(refused.body.errors[0], { pointer: '/body', code: 'too_long' });
});

test('an edited update archives its previous text, and an update of another incident is not found', async t => {
  const { api, page, databaseUrl } = await open();
  const post = (title: string) =>
    api('POST', '/v0/incidents', {
      title,
      severity: 'p3',
      status_page_id: page.id,
      initial_update: { state: 'investigating', body: 'first' },
    });
  const [incident, other] = [(await post('x')).body, (await post('y')).body];
  const [update] = incident.updates;
  const edit = (incidentId: string, body: string) =>
    api('PATCH', `/v0/incidents/${incidentId}/updates/${update.id}`, { body });
  t.is((await edit(incident.id, 'second')).body.updates[0].body, 'second');
  t.is((await edit(incident.id, 'third')).body.updates[0].body, 'third');
  t.is((await edit(other.id, 'fourth')).status, 404);
  const archived = await withSql(
    databaseUrl,
    sql => sql.rows<{ body: string }>`
      select body
      from incident_update_texts
      where update_id = ${update.id}
      order by replaced_at`,
  );
  t.deepEqual(
    archived.map(row => row.body),
    ['first', 'second'],
  );
  const { body } = await api('GET', `/v0/incidents/${incident.id}`);
  t.deepEqual([body.updates[0].body, body.updates.length], ['third', 1]);
});

test('a PATCH that changes nothing leaves no trace', async t => {
  const { api, page, component } = await open();
  const initial_update = { state: 'investigating', body: 'first' };
  const fields = {
    title: 'x',
    severity: 'p3',
    affected_components: [component.id],
    started_at: '2026-01-02T03:04:05.000Z',
  };
  const before = (await api('POST', '/v0/incidents', { ...fields, status_page_id: page.id, initial_update })).body;
  const path = `/v0/incidents/${before.id}`;
  for (const patch of [{}, fields, { ...fields, impact: before.impact, postmortem_url: null, postmortem_body: null }])
    t.deepEqual((await api('PATCH', path, patch)).body, before);
  const edited = await api('PATCH', `${path}/updates/${before.updates[0].id}`, { body: 'first' });
  t.deepEqual(edited.body, before);
  t.is((await api('GET', `${path}/audit`)).body.data.length, 1);
  const changed = (await api('PATCH', path, { ...fields, title: 'y' })).body;
  t.is(changed.title, 'y');
  t.true(changed.updated_at > before.updated_at);

  const part = (await api('GET', `/v0/components/${component.id}`)).body;
  const { name, group, position, monitor_ids } = part;
  for (const patch of [{}, { name, group, position, monitor_ids }])
    t.deepEqual((await api('PATCH', `/v0/components/${part.id}`, patch)).body, part);
});

test('an incident may affect as many components as a page has', async t => {
  const { api, page } = await open();
  const affected_components = Array.from({ length: 301 }, (_, index) => `comp_${index}`);
  const post = (count: number) =>
    api('POST', '/v0/incidents', {
      title: 'x',
      severity: 'p1',
      status_page_id: page.id,
      affected_components: affected_components.slice(0, count),
    });
  t.is((await post(300)).body.errors[0].code, 'unknown_reference');
  t.like((await post(301)).body.errors, [{ pointer: '/affected_components', code: 'too_long' }]);
  t.like(
    (
      await api('POST', '/v0/incidents', {
        title: 'x',
        severity: 'p1',
        started_at: '1969-12-31T00:00:00Z',
        status_page_id: page.id,
      })
    ).body.errors,
    [{ pointer: '/started_at', code: 'out_of_range' }],
  );
});

test('a project has a maximum of incidents, of open ones also when one is opened again', async t => {
  const { api, page, projectId, databaseUrl } = await open();
  const update = { state: 'resolved', body: 'x' };
  const post = () =>
    api('POST', '/v0/incidents', { title: 'x', severity: 'p3', status_page_id: page.id, initial_update: update });
  const limit = (resource: Resource, maximum: number) =>
    withSql(databaseUrl, sql => setQuota(sql, projectId, resource, maximum));
  await limit('open_incidents', 1);
  const [first, second] = [(await post()).body, (await post()).body];
  const reopen = (id: string) => api('POST', `/v0/incidents/${id}/updates`, { state: 'identified', body: 'x' });
  t.is((await reopen(first.id)).status, 201);
  t.like((await reopen(second.id)).body, { code: 'limit_reached', resource: 'open_incidents' });
  await limit('open_incidents', 10);
  await limit('incidents', 2);
  t.like((await post()).body, { code: 'limit_reached', resource: 'incidents' });
});
