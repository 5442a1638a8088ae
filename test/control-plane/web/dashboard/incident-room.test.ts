import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { openDashboardWorld } from '#test/support/dashboard-world.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('an incident has templates, a warning while a monitor is down, and a drafted post-mortem', async t => {
  const world = await openDashboardWorld(t, databaseOf());
  const [incident] = (await world.api('GET', '/v0/incidents?state=identified')).body.data;
  const components = (await world.api('GET', '/v0/components')).body.data;
  const shop = components.find(({ name }: { name: string }) => name === 'Shop');
  await world.api('PATCH', `/v0/incidents/${incident.id}`, { affected_components: [shop.id] });
  const { page, faults } = await openPage(t, `${world.url}/#/incidents/${incident.id}`);
  await signIn(page, world.token);
  await page.getByText('Affects Shop.').waitFor();
  await page.getByText('Cannot tell: ').waitFor();
  await page.getByText('None within an hour before the start.').waitFor();

  await page.getByLabel('Message').fill('Thank you for your patience.');
  await page.getByLabel('Template').selectOption('Fix deployed');
  t.is(
    await page.getByLabel('Message').inputValue(),
    'Thank you for your patience.\n\nWe have deployed a fix for Shop and are monitoring the recovery.',
  );
  t.is(await page.getByLabel('State').inputValue(), 'monitoring');
  await page.reload();
  await page.getByText('We have deployed a fix for Shop').first().waitFor();
  await page.getByRole('button', { name: 'Publish update' }).click();
  await page.getByRole('listitem').getByText('We have deployed a fix for Shop').waitFor();
  t.is(await page.getByText('Still down:').count(), 0);
  await page.getByLabel('State').selectOption('resolved');
  const warning = page.getByRole('status').filter({ hasText: 'Still down:' });
  await warning.getByRole('link', { name: 'Checkout API' }).waitFor();
  await page.getByLabel('State').selectOption('monitoring');
  await warning.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Resolve…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resolve the incident' });
  await dialog.getByText('Still down:').waitFor();
  t.regex(await dialog.getByLabel('Last update').inputValue(), /^The problem with Shop is resolved/);
  await dialog.getByRole('button', { name: 'Resolve', exact: true }).dblclick();
  await dialog.waitFor({ state: 'detached' });
  const resolved = (await world.api('GET', `/v0/incidents/${incident.id}`)).body;
  t.is(resolved.state, 'resolved');
  t.is(resolved.updates.filter(({ state }: { state: string }) => state === 'resolved').length, 1);
  await page.getByRole('button', { name: 'Resolve…' }).waitFor({ state: 'detached' });

  await page.getByText('Post-mortem', { exact: true }).click();
  await page.getByRole('button', { name: 'Draft from the timeline' }).click();
  const text = page.getByLabel('Text', { exact: true });
  const drafted = await until(
    () => text.inputValue(),
    value => value.includes('## Timeline'),
  );
  t.regex(drafted, /It affected Shop\.[\s\S]*Identified: Our \*\*provider\*\*[\s\S]*## Root cause/);
  t.is((await world.api('GET', `/v0/incidents/${incident.id}`)).body.postmortem_body, null);
  await page.getByText('Who did what').click();
  await page.locator('main').getByText('Incident resolved').waitFor();
  await showView(page, `#/monitors/${world.ids.Shop}`);
  await page.getByRole('heading', { name: 'Versions and changes' }).waitFor();
  await page.getByText('version 1').waitFor();
  await page.getByRole('link', { name: 'Acme' }).waitFor();
  t.deepEqual(faults, []);
});
