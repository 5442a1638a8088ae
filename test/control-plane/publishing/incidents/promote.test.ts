import test from 'ava';
import { apiOf, createTenant, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);

test.serial(
  'one call promotes an alert with its page, its components and a public text that contains no secret',
  async t => {
    const { api, alert, page, component } = await openStatusWorld(t, databaseOf());
    const id = await alert();
    const preview = await api('GET', `/v0/alerts/${id}/promotion`);
    t.is(preview.status, 200);
    t.is(preview.body.status_page_id, page.id);
    const promoted = await api('POST', `/v0/alerts/${id}/promote`, {});
    t.is(promoted.status, 201);
    t.like(promoted.body, {
      severity: 'p1',
      impact: 'major',
      state: 'investigating',
      alert_id: id,
      status_page_id: page.id,
    });
    t.deepEqual(promoted.body.affected_components, [component.id]);
    t.is(promoted.body.updates.length, 1);
    t.is(promoted.body.updates[0].body, preview.body.initial_update.body);
    t.is(promoted.body.title, preview.body.title);
    t.regex(promoted.body.updates[0].body, /have been failing in 2 of 3 regions since \d{4}-/);
    t.false(JSON.stringify([promoted.body, preview.body]).includes('hunter2'));
    const acknowledged = (await api('GET', `/v0/alerts/${id}`)).body;
    t.like(acknowledged, { state: 'acknowledged', incident_id: promoted.body.id });
    t.is(acknowledged.acknowledged_by?.type, 'token', 'whoever promotes it acknowledges it');
    t.is((await api('GET', `/v0/alerts/${id}/promotion`)).body.incident_id, promoted.body.id);

    const again = await api('POST', `/v0/alerts/${id}/promote`, {});
    t.is(again.status, 409);
    t.like(again.body, { code: 'alert_already_promoted', incident_id: promoted.body.id });
    t.is((await api('DELETE', `/v0/incidents/${promoted.body.id}`)).status, 204);
    t.is((await api('POST', `/v0/alerts/${id}/promote`, {})).status, 201, 'a deleted incident frees its alert');
  },
);

test.serial(
  'an alert is promoted with the texts that were edited in its preview, and the rest as previewed',
  async t => {
    const { api, alert, component } = await openStatusWorld(t, databaseOf());
    const id = await alert();
    for (const wrong of [{ title: '' }, { body: '  ' }, { impact: 'huge' }, { body: 'x'.repeat(25_001) }])
      t.is((await api('POST', `/v0/alerts/${id}/promote`, wrong)).status, 422, JSON.stringify(wrong));
    const edited = { title: 'Orders fail', impact: 'partial', body: 'We are **on it**.' };
    const promoted = (await api('POST', `/v0/alerts/${id}/promote`, edited)).body;
    t.like(promoted, { title: 'Orders fail', impact: 'partial', severity: 'p1', affected_components: [component.id] });
    t.like(promoted.updates[0], { state: 'investigating', body: 'We are **on it**.' });
  },
);

test.serial('of several promotions at once exactly one opens an incident', async t => {
  const { api, alert } = await openStatusWorld(t, databaseOf());
  const id = await alert();
  const answers = await Promise.all(Array.from({ length: 8 }, () => api('POST', `/v0/alerts/${id}/promote`, {})));
  t.deepEqual(answers.map(answer => answer.status).sort(), [201, ...Array(7).fill(409)]);
  t.is((await api('GET', '/v0/incidents')).body.data.length, 1);
});

test.serial('the page must be named when the monitor’s components are on no page, or on more than one', async t => {
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

test.serial('a resolved alert can be promoted, and its incident stays open', async t => {
  const { api, alert, databaseUrl } = await openStatusWorld(t, databaseOf());
  const id = await alert();
  await withSql(
    databaseUrl,
    sql => sql.run`update alerts set state = 'resolved', resolved_at = now() where id = ${id}`,
  );
  const promoted = await api('POST', `/v0/alerts/${id}/promote`, { severity: 'p3' });
  t.is(promoted.status, 201);
  t.like(promoted.body, { severity: 'p3', impact: 'degraded', state: 'investigating', resolved_at: null });
  t.is((await api('GET', `/v0/alerts/${id}`)).body.state, 'resolved');
});
