import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { apiOf, createRegions, createTenant, startReplica } from '#test/support/control-plane.ts';
import { signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { badResults, connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);
const regions = ['eu', 'us', 'ap'];

test('an operator acknowledges an outage, publishes it after a preview and resolves it, without a reload', async t => {
  const secrets = await createRegions(databaseOf(), regions);
  const { token } = await createTenant(databaseOf());
  const replica = await startReplica(databaseOf());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const agents = await Promise.all(regions.map(region => connectFakeAgent(replica.url, secrets[region]?.secret ?? '')));
  t.teardown(() => Promise.all(agents.map(agent => agent[Symbol.asyncDispose]())));
  const body = { name: 'Shop', url: 'https://shop.example/', interval_seconds: 60, regions };
  const { id } = (await api('POST', '/v0/monitors', body)).body;
  const statusPage = (await api('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme' })).body;
  const posted = { status_page_id: statusPage.id, name: 'Checkout', monitor_ids: [id] };
  t.is((await api('POST', '/v0/components', posted)).status, 201);
  const report = (down: boolean) =>
    Promise.all(
      agents.map(agent => {
        const at = Date.now();
        return agent.report(down ? badResults(id, at - 1100) : [goodResult(id, at)]);
      }),
    );
  await report(false);

  const { page, faults } = await openPage(t, `${replica.url}/#/monitors`);
  await signIn(page, token);
  const row = page.getByRole('row').filter({ hasText: 'Shop' });
  await row.getByText('Up', { exact: true }).waitFor();
  await page.evaluate('document.body.dataset.loaded = "once"');
  await report(true);
  await row.getByText('Down', { exact: true }).waitFor();
  await page.getByRole('link', { name: /^Alerts/ }).click();
  await page.getByRole('button', { name: 'Acknowledge Shop is down' }).click();
  await page.getByText('Acknowledged', { exact: true }).waitFor();
  t.is((await api('GET', '/v0/alerts')).body.data[0].state, 'acknowledged');

  await page.getByRole('button', { name: 'Create incident from Shop is down' }).click();
  const preview = page.getByRole('region', { name: 'Public preview' });
  await preview.getByText('Checkout').waitFor();
  const promised = [await preview.getByLabel('Title').inputValue(), await preview.getByLabel(/^First/).inputValue()];
  await preview.getByLabel('Title').fill('Orders fail');
  await page.getByRole('button', { name: 'Publish', exact: true }).dblclick();
  await page.getByRole('form', { name: 'Post an update' }).waitFor();
  const incidents = (await api('GET', '/v0/incidents')).body.data;
  t.is(incidents.length, 1);
  t.is(promised[0], 'Shop is down');
  t.is(incidents[0].title, 'Orders fail');
  t.is(incidents[0].updates[0].body, promised[1]);

  await page.getByLabel('Message').fill('We **know** why.');
  await page.getByLabel('State').selectOption('identified');
  await page.getByRole('button', { name: 'Publish update' }).click();
  await page.getByRole('listitem').getByText('We know why.').waitFor();
  await page.getByLabel('Message').fill('It works again.');
  await page.getByLabel('State').selectOption('resolved');
  await page.getByRole('button', { name: 'Publish update' }).click();
  await page.getByRole('listitem').getByText('It works again.').waitFor();
  await page.locator('.badge', { hasText: 'Resolved' }).first().waitFor();
  const [incident] = (await api('GET', '/v0/incidents')).body.data;
  t.is(incident.state, 'resolved');
  t.deepEqual(
    incident.updates.map((update: { state: string }) => update.state),
    ['investigating', 'identified', 'resolved'],
  );
  await report(false);
  await page.getByRole('link', { name: 'Monitors', exact: true }).click();
  await row.getByText('Up', { exact: true }).waitFor();
  t.is(await page.evaluate('document.body.dataset.loaded'), 'once');
  t.deepEqual(faults, []);
});
