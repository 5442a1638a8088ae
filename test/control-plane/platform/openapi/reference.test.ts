import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('the API reference shows every endpoint and its example, and nothing comes from elsewhere', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { page, faults } = await openPage(t, `${replica.url}/docs`);
  await page.getByText('Create a monitor').first().waitFor();
  await takeScreenshot(page, 'api-reference', false);
  t.is(await page.locator('.opblock').count(), replica.endpoints.length);
  await page.locator('#operations-Monitors-createMonitor .opblock-summary-control').click();
  await page
    .locator('#operations-Monitors-createMonitor')
    .getByText('"https://shop.example.com/checkout"')
    .first()
    .waitFor();
  t.deepEqual(faults, []);
});
