import test from 'ava';
import type { Page } from 'playwright-core';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { showView as show, signIn } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

const looks = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'phone', options: { viewport: { width: 360, height: 740 }, colorScheme: 'light' } },
  // The other two render the same parts: a few views suffice.
  { name: 'dark', options: { colorScheme: 'dark' }, only: ['monitors', 'monitor', 'incident'] },
  {
    name: 'wall',
    options: { viewport: { width: 2560, height: 1440 }, colorScheme: 'dark' },
    only: ['monitors', 'monitor', 'alerts'],
  },
] as const;

test('every view fits a phone and a wall screen, in light and dark, and loads nothing from another origin', async t => {
  const world = await openDashboardWorld(t, databaseOf());
  const incident = (await world.api('GET', '/v0/incidents?state=identified')).body.data[0].id;
  const alert = (await world.api('GET', '/v0/alerts?state=open')).body.data[0].id;
  const addresses = {
    monitors: '#/monitors',
    monitor: `#/monitors/${world.ids['Checkout API']}`,
    alerts: '#/alerts',
    alert: `#/alerts/${alert}`,
    incidents: '#/incidents',
    incident: `#/incidents/${incident}`,
    'new-incident': '#/incidents/new',
    'status-pages': '#/status-pages',
  };
  for (const look of looks) {
    const { name, options } = look;
    const { page, faults } = await openPage(t, world.url, options);
    await page.getByLabel('API token').waitFor();
    if (name === 'light' || name === 'phone') await takeScreenshot(page, `dashboard-sign-in-${name}`);
    await signIn(page, world.token);
    for (const [view, address] of Object.entries(addresses)) {
      if ('only' in look && !look.only.some(only => only === view)) continue;
      await show(page, address);
      t.true(await fits(page), `${view} on ${name}`);
      // A page of fifty results is long and shows nothing new at its end.
      await takeScreenshot(page, `dashboard-${view}-${name}`, view !== 'monitor');
    }
    await show(page, '#/monitors');
    await page.getByRole('button', { name: 'New monitor' }).click();
    await page.getByText('eu-west, 1 agent online').waitFor();
    t.true(await fits(page), `new monitor on ${name}`);
    await takeScreenshot(page, `dashboard-new-monitor-${name}`, false);
    await page.keyboard.press('Escape');
    await show(page, '#/alerts');
    await page.getByRole('button', { name: 'Promote Shop is down' }).click();
    await page.getByRole('region', { name: 'Public preview' }).waitFor();
    t.true(await fits(page), `promote on ${name}`);
    await takeScreenshot(page, `dashboard-promote-${name}`, false);
    t.deepEqual(faults, []);
  }
});

/** Whether the page needs no horizontal scrolling. */
function fits(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
}
