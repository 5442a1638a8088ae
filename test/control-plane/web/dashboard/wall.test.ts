import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('a link made in the dashboard opens a screen without sign-in, until it is revoked', async t => {
  const world = await openDashboardWorld(t, databaseOf());
  const { page, faults } = await openPage(t, world.url);
  await signIn(page, world.token);
  await showView(page, '#/wall');
  await page.getByRole('button', { name: 'New link' }).click();
  await page.getByLabel('Name').fill('Operations room');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('group', { name: 'Link' }).innerText();
  await page.getByRole('button', { name: 'Done' }).click();
  const address = new URL(link);
  for (const [name, width, height, query] of [
    ['wall-dark', 2560, 1440, ''],
    ['desk-light', 1440, 900, '?theme=light'],
    ['phone-dark', 360, 740, ''],
  ] as const) {
    const screen = await openPage(t, `${world.url}/wall${query}${address.hash}`, { viewport: { width, height } });
    await screen.page.locator('.tile.bad').first().waitFor();
    t.regex(await screen.page.locator('.tile').first().innerText(), /^(Shop|Checkout API)/);
    const scrolls = 'document.documentElement.scrollHeight > innerHeight';
    const isWide = 'document.documentElement.scrollWidth > innerWidth';
    t.false(await screen.page.evaluate(scrolls), name);
    t.false(await screen.page.evaluate(isWide), name);
    await takeScreenshot(screen.page, `dashboard-screen-${name}`, false);
    await screen.page.evaluate(axe);
    const found = await screen.page.evaluate(
      `axe.run().then(({ violations }) =>
        violations.filter(({ impact }) => ['serious', 'critical'].includes(impact)).map(({ id }) => id))`,
    );
    t.deepEqual(found, [], name);
    t.deepEqual(screen.faults, []);
    if (name !== 'phone-dark') await screen.page.close();
    else {
      await screen.page.context().setOffline(true);
      await until(() => screen.page.locator('.screen-stale').count(), 1);
      await takeScreenshot(screen.page, 'dashboard-screen-stale', false);
      await screen.page.context().setOffline(false);
      await until(() => screen.page.locator('.screen-stale').count(), 0);
      await page.getByRole('button', { name: 'Revoke Operations room' }).click();
      await page.getByRole('button', { name: 'Revoke link' }).click();
      await screen.page.getByText('This link does not work').waitFor();
      t.is(await screen.page.locator('.tile').count(), 0);
    }
  }
  t.deepEqual(faults, []);
});
