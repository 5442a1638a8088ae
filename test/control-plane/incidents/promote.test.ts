import test from 'ava';
import { draftPromotion } from '#control-plane/incidents/promotion.ts';
import { apiOf, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

test.serial(
  'an alert is promoted with one call: page, components and words are found, and nothing secret goes out',
  async t => {
    const { api, alert, page, component } = await openStatusWorld(t, databaseOf());
    const id = await alert();
    const preview = await api('GET', `/v0/alerts/${id}/promotion`);
    t.is(preview.status, 200);
    t.is(preview.body.status_page_id, page.id);
    const made = await api('POST', `/v0/alerts/${id}/promote`, {});
    t.is(made.status, 201);
    t.like(made.body, {
      severity: 'p1',
      impact: 'major',
      state: 'investigating',
      alert_id: id,
      status_page_id: page.id,
    });
    t.deepEqual(made.body.affected_components, [component.id]);
    t.is(made.body.updates.length, 1);
    t.is(made.body.updates[0].body, preview.body.initial_update.body);
    t.is(made.body.title, preview.body.title);
    t.regex(made.body.updates[0].body, /from 2 of 3 regions since \d{4}-/);
    t.false(JSON.stringify([made.body, preview.body]).includes('hunter2'));
    const acknowledged = (await api('GET', `/v0/alerts/${id}`)).body;
    t.like(acknowledged, { state: 'acknowledged', incident_id: made.body.id });
    t.is((await api('GET', `/v0/alerts/${id}/promotion`)).body.incident_id, made.body.id);

    const again = await api('POST', `/v0/alerts/${id}/promote`, {});
    t.is(again.status, 409);
    t.like(again.body, { code: 'alert_already_promoted', incident_id: made.body.id });
    t.is((await api('DELETE', `/v0/incidents/${made.body.id}`)).status, 204);
    t.is((await api('POST', `/v0/alerts/${id}/promote`, {})).status, 201, 'a deleted incident frees its alert');
  },
);

test.serial('of many promotions at once exactly one opens an incident', async t => {
  const { api, alert } = await openStatusWorld(t, databaseOf());
  const id = await alert();
  const answers = await Promise.all(Array.from({ length: 8 }, () => api('POST', `/v0/alerts/${id}/promote`, {})));
  t.deepEqual(answers.map(answer => answer.status).sort(), [201, ...Array(7).fill(409)]);
  t.is((await api('GET', '/v0/incidents')).body.data.length, 1);
});

test.serial('the page must be named when not exactly one holds a component of the monitor', async t => {
  const { api, alert, component, monitor, replica } = await openStatusWorld(t, databaseOf());
  const id = await alert();
  await api('PATCH', `/v0/monitors/${monitor.id}`, { component_ids: [] });
  t.deepEqual((await api('GET', `/v0/components/${component.id}`)).body.monitor_ids, []);
  const refused = await api('POST', `/v0/alerts/${id}/promote`, {});
  t.is(refused.status, 422);
  t.like(refused.body.errors[0], { pointer: '/status_page_id', code: 'required' });
  t.is((await api('GET', `/v0/alerts/${id}/promotion`)).body.status_page_id, null);
  const unknown = await api('POST', `/v0/alerts/${id}/promote`, { status_page_id: 'sp_none' });
  t.like(unknown.body.errors[0], { pointer: '/status_page_id', code: 'unknown_reference' });
  const other = apiOf(replica.url, (await createTenant(databaseOf())).token);
  t.is((await other('POST', `/v0/alerts/${id}/promote`, {})).status, 404);
});

test.serial('the end of the alert does not resolve the incident, and a resolved alert can still be told', async t => {
  const { api, alert, databaseUrl } = await openStatusWorld(t, databaseOf());
  const id = await alert();
  await withSql(databaseUrl, sql =>
    sql.run("update alerts set state = 'resolved', resolved_at = now() where id = $1", [id]),
  );
  const made = await api('POST', `/v0/alerts/${id}/promote`, { severity: 'p3' });
  t.is(made.status, 201);
  t.like(made.body, { severity: 'p3', impact: 'degraded', state: 'investigating', resolved_at: null });
  t.is((await api('GET', `/v0/alerts/${id}`)).body.state, 'resolved');
});

test('the public words name the kind of failure and no more', t => {
  const base = { severity: 'p2' as const, regions_failing: ['a'], regions: ['a'], started_at: 0, resolved_at: null };
  const reason = { summary: 's', region: 'a', expected: 'x=1', actual: 'token', status_code: null, error_code: null };
  const bodyOf = (changes: Partial<typeof reason> & { error_code?: string | null; status_code?: number | null }) =>
    draftPromotion({ ...base, reason: { ...reason, ...changes } as never }, 'API', 'p2').initialUpdate.body;
  t.true(bodyOf({ error_code: 'connect_refused' as never }).includes('the connection was refused'));
  t.true(bodyOf({ status_code: 503 as never }).includes('HTTP status 503'));
  t.true(bodyOf({ status_code: 200 as never }).includes('HTTP status 200, but not as expected'));
  t.true(bodyOf({}).includes('does not answer as expected'));
  for (const changes of [{}, { status_code: 200 as never }]) t.notRegex(bodyOf(changes), /token|x=1/);
  t.true(
    draftPromotion({ ...base, reason }, '[x](http://evil)', 'p2').initialUpdate.body.includes('\\[x\\]\\(http\\:'),
  );
});
