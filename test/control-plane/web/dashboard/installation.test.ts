import test from 'ava';
import { takeScreenshot, useBrowser } from '#test/support/browser.ts';
import { createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { tabTo } from '#test/support/keyboard.ts';
import { accessibilityFaults, fits, loadAxe } from '#test/support/looks.ts';
import { personOf, useSession } from '#test/support/people.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('an operator in no project has Me, people, projects and the audit, and makes a project', async t => {
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const { url } = replica;
  const { projectId } = await createTenant(databaseOf());
  const ada = await personOf(t, databaseOf(), url, { name: 'Ada', operator: true });
  const bob = await personOf(t, databaseOf(), url, { name: 'Bob', email: 'bob@example.com', project: projectId });
  const { page, faults, context } = await openPage(t, `${url}/healthz`, { viewport: { width: 360, height: 740 } });
  const refused: string[] = [];
  page.on('response', response => response.status() >= 400 && refused.push(response.url()));
  const look = async (view: string): Promise<void> => {
    await takeScreenshot(page, view);
    t.true(await fits(page), view);
    t.deepEqual(await accessibilityFaults(page), [], view);
  };
  await useSession(context, url, ada);
  await page.goto(url);
  await page.getByRole('heading', { name: 'You are in no project' }).waitFor();
  await loadAxe(page);
  await look('in-no-project');
  await page.getByRole('link', { name: 'Ada' }).click();
  await page.getByRole('heading', { name: 'Me', exact: true }).waitFor();
  await page.getByLabel('Time zone').selectOption('Asia/Dubai');
  await page.locator('main').getByLabel('Theme').selectOption('dark');
  await page
    .locator('main')
    .getByText(/\+04:00/)
    .first()
    .waitFor();
  await look('me-in-no-project');
  await page.getByRole('link', { name: 'Upquorum' }).click();
  await page.getByRole('link', { name: 'its people' }).click();
  const people = page.getByRole('list', { name: 'People' });
  await people.getByText('bob@example.com').waitFor();
  await look('installation-people');
  await page.getByLabel('Name or address').fill('bob@');
  await people.getByText('Ada').waitFor({ state: 'detached' });
  await people.getByRole('link', { name: 'Bob' }).click();
  await page.getByText('(admin)').waitFor();
  await page.getByRole('button', { name: 'Make a sign-in link…' }).click();
  await page.getByRole('button', { name: 'Make link' }).click();
  await page.getByText(/\/join#upi_/).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Deactivate…' }).click();
  await page.getByRole('button', { name: 'Deactivate', exact: true }).click();
  await page.getByRole('button', { name: 'Activate', exact: true }).waitFor();
  t.is((await bob.call(null, 'GET', '/v0/me')).status, 401);
  await look('installation-person');
  await page.getByRole('link', { name: 'Sign-in' }).click();
  await page.getByRole('list', { name: 'Checks' }).getByText('admins').waitFor();
  await look('installation-sign-in');
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.locator('.audit li').first().waitFor();
  await look('installation-audit');
  await tabTo(t, page, 'Projects', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Join / }).waitFor();
  await look('installation-projects');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.evaluate("document.documentElement.dataset.theme = 'light'");
  for (const view of ['', '/projects', '/sign-in', '/audit', `/people/${bob.id}`]) {
    await page.evaluate(`location.hash = '#/installation${view}'`);
    await page.locator('.view li, .view dl').first().waitFor();
    await look(`installation-${view.split('/')[1] ?? 'list'}-desk`);
  }
  // The switcher of projects makes one, too.
  await tabTo(t, page, /Ada/);
  await page.keyboard.press('Enter');
  await tabTo(t, page, 'New project');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).waitFor();
  await page.keyboard.type('Shop');
  await look('new-project-desk');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link').first().waitFor();
  t.true(page.url().includes('/p/proj_'));
  // Another browser, and somebody who runs nothing.
  const again = await openPage(t, `${url}/healthz`);
  await useSession(again.context, url, ada);
  await again.page.goto(`${url}/#/me`);
  await again.page
    .locator('main')
    .getByText(/\+04:00/)
    .first()
    .waitFor();
  t.is(await again.page.evaluate('document.documentElement.dataset.theme'), 'dark');
  const eve = await personOf(t, databaseOf(), url, { name: 'Eve', project: projectId, role: 'viewer' });
  await useSession(again.context, url, eve);
  await again.page.goto(`${url}/?#/installation`);
  await again.page.getByText('Only people who run the installation see this.').waitFor();
  t.deepEqual([...refused, ...again.faults, ...faults], []);
});
