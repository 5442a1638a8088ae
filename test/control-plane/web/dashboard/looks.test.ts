import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { showView as show, signIn } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';
import { accessibilityFaults, fits, loadAxe, looks } from '#test/support/looks.ts';
import { seedOperations } from '#test/support/operations.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);
test('every view fits a phone, a desk and a wall, has no accessibility fault, and asks no other origin', async t => {
  // A picture of each view takes minutes on a busy machine.
  t.timeout(600_000);
  const world = await openDashboardWorld(t, databaseOf());
  const incident = (await world.api('GET', '/v0/incidents?state=identified')).body.data[0].id;
  const alert = (await world.api('GET', '/v0/alerts?state=open')).body.data[0].id;
  const operations = await seedOperations(databaseOf(), world);
  await world.api('POST', `/v0/status-pages/${world.statusPageId}/domains`, { domain: 'status.shop.example' });
  const addresses = {
    overview: '#/overview',
    monitors: '#/monitors',
    monitor: `#/monitors/${world.ids['Checkout API']}`,
    'edit-monitor': `#/monitors/${world.ids['Checkout API']}/edit`,
    alerts: '#/alerts',
    alert: `#/alerts/${alert}`,
    incidents: '#/incidents',
    incident: `#/incidents/${incident}`,
    'new-incident': '#/incidents/new',
    'status-pages': '#/status-pages',
    'new-status-page': '#/status-pages/new',
    'status-page': `#/status-pages/${world.statusPageId}`,
    'status-page-settings': `#/status-pages/${world.statusPageId}?tab=settings`,
    'status-page-domains': `#/status-pages/${world.statusPageId}?tab=domains`,
    'status-page-subscribers': `#/status-pages/${world.statusPageId}?tab=subscribers`,
    'status-page-embed': `#/status-pages/${world.statusPageId}?tab=embed`,
    regions: '#/regions',
    wall: '#/wall',
    maintenance: '#/maintenance',
    'maintenance-month': '#/maintenance?view=month',
    'maintenance-week': '#/maintenance?view=week',
    'maintenance-window': `#/maintenance/${operations.recurring}`,
    'maintenance-now': `#/maintenance/${operations.current}`,
    'edit-maintenance': `#/maintenance/${operations.recurring}/edit`,
    channels: '#/channels',
    channel: `#/channels/${operations.channel}`,
    'channel-types': '#/channels/new',
    'new-channel': '#/channels/new?type=http',
    'edit-channel': `#/channels/${operations.channel}/edit`,
    route: `#/channels/routes/${operations.route}`,
    notices: '#/alerts/notices',
    'grouped-alert': `#/alerts/${operations.alert}`,
  };
  for (const look of looks) {
    const { name, options } = look;
    const { page, faults } = await openPage(t, world.url, options);
    await loadAxe(page);
    await page.getByLabel('API token').waitFor();
    await takeScreenshot(page, `dashboard-sign-in-${name}`);
    t.deepEqual(await accessibilityFaults(page), [], `sign-in on ${name}`);
    await signIn(page, world.token);
    for (const [view, address] of Object.entries(addresses)) {
      await show(page, address);
      t.true(await fits(page), `${view} on ${name}`);
      await takeScreenshot(page, `dashboard-${view}-${name}`);
      t.deepEqual(await accessibilityFaults(page), [], `${view} on ${name}`);
    }
    await page.locator('.project-menu summary').click();
    await takeScreenshot(page, `dashboard-menu-${name}`, false);
    t.deepEqual(await accessibilityFaults(page), [], `menu on ${name}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search monitors and commands' }).fill('shop');
    await page.getByRole('option', { name: /^Shop/ }).waitFor();
    await takeScreenshot(page, `dashboard-palette-${name}`, false);
    t.deepEqual(await accessibilityFaults(page), [], `palette on ${name}`);
    await page.keyboard.press('Escape');
    await show(page, '#/alerts');
    await page.getByRole('button', { name: 'Create incident from Shop is down' }).click();
    await page.getByRole('region', { name: 'Public preview' }).waitFor();
    t.true(await fits(page), `promote on ${name}`);
    await takeScreenshot(page, `dashboard-promote-${name}`, false);
    t.deepEqual(faults, []);
  }
});
