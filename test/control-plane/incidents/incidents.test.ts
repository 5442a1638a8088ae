import test, { type ExecutionContext } from 'ava';
import { apiOf, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

async function open(t: ExecutionContext) {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { token, projectId } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const slug = `page-${projectId.slice(-8)}`;
  const page = (await api('POST', '/v0/status-pages', { name: 'Acme', slug })).body;
  const component = (await api('POST', '/v0/components', { status_page_id: page.id, name: 'API' })).body;
  return { replica, api, page, component, slug, projectId };
}

test('an incident goes through its life: opened, updated, resolved once, reopened, with strictly rising times', async t => {
  const { api, page, component, replica, slug } = await open(t);
  const posted = {
    title: 'API errors',
    severity: 'p2',
    status_page_id: page.id,
    affected_components: [component.id],
    initial_update: { state: 'investigating', body: 'We look.' },
  };
  const made = await api('POST', '/v0/incidents', posted);
  t.is(made.status, 201);
  t.is(made.headers.location, `/v0/incidents/${made.body.id}`);
  t.like(made.body, { state: 'investigating', impact: 'partial', resolved_at: null, postmortem_url: null });
  t.is(made.body.url, `http://localhost:8080/status/${slug}/incidents/${made.body.id}`);
  const path = `/v0/incidents/${made.body.id}`;
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
  t.is(patched.body.postmortem_url, `${made.body.url}#postmortem`);
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
    () => apiOf(replica.url, '')('GET', `/status/${slug}/incidents/${made.body.id}`),
    answer => answer.status === 200,
  );
  t.true(String(incidentPage.body).includes('API errors'));
  t.is((await api('DELETE', path)).status, 204);
  t.is((await api('GET', path)).status, 404);
  await until(
    () => apiOf(replica.url, '')('GET', `/status/${slug}/incidents/${made.body.id}`),
    answer => answer.status === 404,
  );
});

test('an incident takes so many updates and no more', async t => {
  const { api, page } = await open(t);
  const made = await api('POST', '/v0/incidents', { title: 'x', severity: 'p3', status_page_id: page.id });
  const body = 'x'.repeat(25_000);
  for (let place = 0; place < 10; place++)
    t.is((await api('POST', `/v0/incidents/${made.body.id}/updates`, { state: 'identified', body })).status, 201);
  const refused = await api('POST', `/v0/incidents/${made.body.id}/updates`, { state: 'identified', body });
  t.is(refused.status, 422);
  t.like(refused.body.errors[0], { pointer: '/body', code: 'too_long' });
});
