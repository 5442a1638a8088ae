import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('the API reference shows every endpoint and its example, and nothing comes from elsewhere', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { page, faults } = await openPage(t, `${replica.url}/docs#/Monitors/createMonitor`);
  await page
    .locator('#operations-Monitors-createMonitor')
    .getByText('"https://shop.example.com/checkout"')
    .first()
    .waitFor();
  await page.evaluate('scrollTo(0, 0)');
  await takeScreenshot(page, 'api-reference', false);
  // The viewer draws what is in sight.
  const seen = new Set<string>();
  await until(async () => {
    for (const id of await page.locator('.opblock').evaluateAll(blocks => blocks.map(block => block.id))) seen.add(id);
    await page.mouse.wheel(0, 300);
    return seen.size;
  }, replica.endpoints.length);
  t.deepEqual(faults, []);
});
