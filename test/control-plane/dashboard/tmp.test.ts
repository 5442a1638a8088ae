import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { showView as show, signIn } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);
test('pictures', async t => {
  const world = await openDashboardWorld(t, databaseOf());
  const incident = (await world.api('GET', '/v0/incidents?state=identified')).body.data[0].id;
  const alert = (await world.api('GET', '/v0/alerts?state=open')).body.data[0].id;
  const addresses: Record<string, string> = {
    monitors: '#/monitors',
    monitor: `#/monitors/${world.ids['Checkout API']}`,
    edit: `#/monitors/${world.ids['Checkout API']}/edit`,
    alerts: '#/alerts',
    alert: `#/alerts/${alert}`,
    incidents: '#/incidents',
    incident: `#/incidents/${incident}`,
    'new-incident': '#/incidents/new',
    'status-pages': '#/status-pages',
  };
  const looks = [
    ['light', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' as const }],
    ['phone', { viewport: { width: 360, height: 740 }, colorScheme: 'light' as const }],
    ['wall', { viewport: { width: 2560, height: 1440 }, colorScheme: 'dark' as const }],
  ] as const;
  for (const [name, options] of looks) {
    const { page, faults } = await openPage(t, world.url, options);
    page.on('console', m => { if (m.type() === 'error') console.log(m.text()); });
    await page.getByLabel('API token').waitFor();
    await takeScreenshot(page, `th-sign-in-${name}`);
    await signIn(page, world.token);
    for (const [view, address] of Object.entries(addresses)) {
      await show(page, address);
      await page.waitForTimeout(300);
      await takeScreenshot(page, `th-${view}-${name}`);
      const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
      if (wide) console.log('WIDE', view, name);
    }
    console.log(faults);
  }
  t.pass();
});
