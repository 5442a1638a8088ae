import test from 'ava';
import { kindExamples } from '#control-plane/platform/openapi/kind-examples.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { documentedApi } from '#test/support/documented-api.ts';
import { answer } from '#test/support/target.ts';
import { openWorld } from '#test/support/world.ts';

const databaseOf = useDatabase(test);

test('what the API answers is what its document says, from a new monitor to an incident and a funnel', async t => {
  const world = await openWorld(t, databaseOf(), ['eu']);
  const { api, faults, seen } = await documentedApi(world.replica.url, world.token);
  const id = async (path: string, body: unknown) => (await api('POST', path, body)).body.id as string;

  await api('GET', '/v0/project');
  await api('PATCH', '/v0/project', { allowed_origins: ['https://shop.example.com'] });
  const token = await id('/v0/tokens', { name: 'CI', scopes: ['monitors:read'] });
  await api('GET', '/v0/tokens');
  await api('DELETE', `/v0/tokens/${token}`);

  const page = await id('/v0/status-pages', { name: 'Shop', slug: 'documented-shop' });
  const component = await id('/v0/components', { status_page_id: page, name: 'Web', monitor_selector: 'env=prod' });
  const monitor = await world.monitor({
    labels: { env: 'prod' },
    assertions: [{ type: 'status', operator: 'eq', value: 200 }],
  });
  await api('POST', '/v0/monitors?dry_run=true', {
    name: 'b',
    url: world.target.url,
    interval_seconds: 30,
    regions: ['eu'],
  });
  await api('PATCH', `/v0/monitors/${monitor}?dry_run=true`, { interval_seconds: 20 });
  await id('/v0/secrets', { name: 'SHOP_PASSWORD', value: 'correct-horse' });
  for (const body of Object.values(kindExamples)) {
    const ofRegions = 'regions' in body ? { ...body, regions: ['eu'], quorum: 1, enabled: false } : body;
    t.is((await api('POST', '/v0/monitors', ofRegions)).status, 201, body.name);
    await api('POST', '/v0/monitors?dry_run=true', { ...ofRegions, name: 'tried' });
  }
  await api('PATCH', `/v0/monitors/${monitor}`, { alert_policy: { severity: 'p1' } });
  for (const path of ['', `/${monitor}`, `/${monitor}/checks`, `/${monitor}/uptime`, `/${monitor}/versions`])
    await api('GET', `/v0/monitors${path}`);
  await api('GET', '/v0/monitors?selector=env%3Dprod&status=up,degraded');
  await api('GET', '/v0/labels');
  await api('POST', '/v0/monitors/bulk', { ids: [monitor], action: 'check_now' });
  await api('POST', `/v0/monitors/${monitor}/check-now`, {});
  await api('GET', '/v0/regions');
  await api('GET', '/v0/agents');

  world.target.behaviour = answer(503);
  const alerts = await until(
    () => world.alerts(),
    found => found.length === 1,
  );
  const alert = alerts[0]?.id ?? '';
  await api('GET', '/v0/alerts?state=open,acknowledged');
  await api('GET', `/v0/alerts/${alert}`);
  await api('POST', `/v0/alerts/${alert}/acknowledge`);
  await api('GET', `/v0/alerts/${alert}/promotion`);
  const incident = await id(`/v0/alerts/${alert}/promote`, { severity: 'p2', status_page_id: page });
  await api('POST', `/v0/alerts/${alert}/promote`, { status_page_id: page });
  await api('PATCH', `/v0/incidents/${incident}`, { title: 'Shop is slow', affected_components: [component] });
  const posted = await api('POST', `/v0/incidents/${incident}/updates`, {
    state: 'identified',
    body: 'A disk is full.',
  });
  await api('PATCH', `/v0/incidents/${incident}/updates/${posted.body.id}`, { body: 'A disk was full.' });
  for (const path of ['', `/${incident}`, `/${incident}/audit`, `/${incident}/deliveries`])
    await api('GET', `/v0/incidents${path}`);
  await api('POST', `/v0/incidents/${incident}/resolve`, { body: 'All is well.' });
  for (const path of ['status-pages', 'components', 'deliveries', 'audit']) await api('GET', `/v0/${path}`);
  await api('GET', `/v0/status-pages/${page}`);
  await api('POST', `/v0/status-pages/${page}/subscribers`, { email: 'ada@example.com' });
  await api('GET', `/v0/status-pages/${page}/subscribers`);

  const webhook = await id('/v0/webhooks', { url: 'https://hooks.example.com/a' });
  await api('POST', `/v0/webhooks/${webhook}/rotate-secret`, {});
  await api('GET', '/v0/webhooks');
  await api('DELETE', `/v0/webhooks/${webhook}`);
  await api('GET', '/v0/slack');
  await api('POST', '/v0/events', { type: 'track', name: 'signed_up', external_user_id: 'ada' });
  await api('GET', '/v0/users/ada/timeline');
  const release = await id('/v0/releases', { version: '1.0.0' });
  for (const path of ['events', 'events/rate', `releases/${release}/comparison`]) await api('GET', `/v0/${path}`);
  await api('GET', '/v0/releases');
  const flow = await id('/v0/flows', { name: 'Sign-up', steps: [{ event: 'pricing_viewed' }, { event: 'signed_up' }] });
  await api('GET', `/v0/flows/${flow}/report?group_by=day`);
  await api('GET', `/v0/flows/${flow}/report?group_by=property&property=plan`);
  await api('GET', '/v0/flows');
  await api('GET', '/v0/retention?start=pricing_viewed');
  for (const size of ['day', 'hour']) await api('GET', `/v0/trends?event=pricing_viewed&granularity=${size}`);
  await id('/v0/reports', { name: 'Weekly', items: [{ title: 'Sign-up', type: 'funnel', flow_id: flow }] });
  await api('GET', '/v0/reports');

  await api('GET', '/v0/monitors/mon_nobody');
  await api('GET', '/v0/monitors?limit=0');
  await api('POST', '/v0/monitors', { name: 1, colour: 'red' });

  t.deepEqual(faults, []);
  t.true(seen.size >= 40, `${seen.size} kinds of answers`);
});
