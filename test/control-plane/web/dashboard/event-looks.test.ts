import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { showView as show, signIn } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';
import { sendSampleEvents } from '#test/support/event-samples.ts';
import { accessibilityFaults, fits, loadAxe, looks } from '#test/support/looks.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

/** Lists that fill many screens. */
const isLong = new Set(['events', 'audit']);

test('events and settings fit a phone, a desk and a wall, and have no accessibility fault', async t => {
  // A picture of each view takes minutes on a busy machine.
  t.timeout(600_000);
  const world = await openDashboardWorld(t, databaseOf());
  const { flowId, userId } = await sendSampleEvents(world.api);
  await world.api('POST', '/v0/tokens', { name: 'Deploys', scopes: ['releases:write'] });
  await world.api('PATCH', `/v0/monitors/${world.ids['Checkout API']}`, {
    interval_seconds: 30,
    labels: { team: 'web' },
  });
  const items = [
    { title: 'Sign-ups', type: 'trend', event: ['cart_viewed', 'order_paid'], last: '7d', granularity: 'hour' },
    { title: 'Who comes back', type: 'retention', start: 'cart_viewed', return: 'order_paid', granularity: 'day' },
    { title: 'Buying', type: 'funnel', flow_id: flowId, group_by: 'day' },
  ];
  const report = (await world.api('POST', '/v0/reports', { name: 'Every Monday', items })).body.id;
  const incident = (await world.api('GET', '/v0/incidents?state=identified')).body.data[0].id;
  const addresses = {
    events: '#/events',
    retention: `#/events/explore?show=retention&period=day&event=${encodeURIComponent('["cart_viewed"]')}`,
    report: `#/events/reports/${report}`,
    'events-user': `#/events/user?id=${encodeURIComponent(userId)}`,
    flows: '#/events/flows',
    flow: `#/events/flows/${flowId}`,
    'flow-property': `#/events/flows/${flowId}?by=property&property=plan`,
    'flow-edit': `#/events/flows/${flowId}/edit`,
    releases: '#/events/releases',
    settings: '#/settings',
    limits: '#/settings/limits',
    tokens: '#/settings/tokens',
    audit: '#/settings/audit',
    'incident-room': `#/incidents/${incident}`,
    'monitor-versions': `#/monitors/${world.ids['Checkout API']}`,
  };
  for (const { name, options } of looks) {
    const { page, faults } = await openPage(t, world.url, options);
    await loadAxe(page);
    await signIn(page, world.token);
    for (const [view, address] of Object.entries(addresses)) {
      await show(page, address);
      t.true(await fits(page), `${view} on ${name}`);
      await takeScreenshot(page, `dashboard-${view}-${name}`, !isLong.has(view));
      t.deepEqual(await accessibilityFaults(page), [], `${view} on ${name}`);
    }
    await show(page, '#/settings/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByRole('group', { name: 'Scopes' }).waitFor();
    t.true(await fits(page), `new token on ${name}`);
    await takeScreenshot(page, `dashboard-new-token-${name}`, false);
    t.deepEqual(await accessibilityFaults(page), [], `new token on ${name}`);
    t.deepEqual(faults, []);
  }
});
