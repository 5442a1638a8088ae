import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'ava';
import type { Page } from 'playwright-core';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { showView as show, signIn } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const looks = [
  { name: 'desk-light', options: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' } },
  { name: 'phone-dark', options: { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } },
  { name: 'wall-dark', options: { viewport: { width: 2560, height: 1440 }, colorScheme: 'dark' } },
] as const;

test('every view fits a phone, a desk and a wall, has no accessibility fault, and asks no other origin', async t => {
  const world = await openDashboardWorld(t, databaseOf());
  const incident = (await world.api('GET', '/v0/incidents?state=identified')).body.data[0].id;
  const alert = (await world.api('GET', '/v0/alerts?state=open')).body.data[0].id;
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
  };
  for (const look of looks) {
    const { name, options } = look;
    const { page, faults } = await openPage(t, world.url, options);
    await page.evaluate(axe);
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

/** What axe finds of serious or critical impact. */
function accessibilityFaults(page: Page): Promise<string[]> {
  return page.evaluate(`(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(node => node.html).slice(0, 3).join(' | '));
  })()`);
}

/** Whether the page needs no horizontal scrolling. */
function fits(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
}
