import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('what was typed into a dialog survives a reload and the end of the session, unless it was cancelled', async t => {
  const world = await openStatusWorld(t, databaseOf());
  await world.alert();
  const short = (await world.api('POST', '/v0/tokens', { name: 'short', scopes: ['*'] })).body;
  const { page, faults } = await openPage(t, `${world.replica.url}/#/alerts`);
  await signIn(page, short.token);
  const promote = async () => {
    await page.getByRole('button', { name: /^Create incident / }).click();
    await page.getByRole('region', { name: 'Public preview' }).waitFor();
  };
  await promote();
  await page.getByLabel('Title', { exact: true }).fill('Payments are slow');
  await page.reload();
  await promote();
  t.is(await page.getByLabel('Title', { exact: true }).inputValue(), 'Payments are slow');
  await page.keyboard.press('Escape');

  await showView(page, '#/settings/tokens');
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Pipeline');
  await page.getByLabel('Expires').selectOption('30');
  await page.getByLabel('Monitors').selectOption('read');
  await world.api('DELETE', `/v0/tokens/${short.id}`);
  await page.getByText('Your session has ended.').waitFor();
  await signIn(page, world.token);
  await page.getByRole('button', { name: 'New token' }).click();
  t.is(await page.getByLabel('Name', { exact: true }).inputValue(), 'Pipeline');
  t.is(await page.getByLabel('Expires').inputValue(), '30');
  t.is(await page.getByLabel('Monitors').inputValue(), 'read');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'New token' }).click();
  t.is(await page.getByLabel('Name', { exact: true }).inputValue(), '');
  await page.keyboard.press('Escape');

  await showView(page, '#/alerts');
  await promote();
  t.is(await page.getByLabel('Title', { exact: true }).inputValue(), 'Payments are slow');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await promote();
  t.not(await page.getByLabel('Title', { exact: true }).inputValue(), 'Payments are slow');
  t.deepEqual(faults, []);
});
