import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('an operator creates a page and a component and sets the component’s status', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const monitor = (await world.post({ name: 'Shop check' })).body;
  const { page, faults } = await openPage(t, `${world.url}/#/status-pages`);
  await signIn(page, world.token);
  await page.getByRole('link', { name: 'New status page' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('Acme');
  await page.getByLabel('Slug').fill('Not a slug');
  await page.getByRole('button', { name: 'Create page' }).click();
  await page.getByText('Must be lower-case letters').waitFor();
  await page.getByLabel('Slug').fill('acme-editor');
  await page.getByRole('button', { name: 'Create page' }).click();
  await page.getByRole('heading', { name: 'Acme', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'New component' }).click();
  const form = page.getByRole('form', { name: 'New component' });
  await form.getByLabel('Name').fill('Shop');
  await form.getByLabel('Shop check').check();
  await form.getByRole('button', { name: 'Create component' }).click();
  await page.getByLabel('Status of Shop').selectOption('under_maintenance');
  await page.getByText('Under maintenance', { exact: true }).first().waitFor();
  const [component] = await until(
    async () => (await world.api('GET', '/v0/components')).body.data,
    list => list[0]?.status === 'under_maintenance',
  );
  t.like(component, { name: 'Shop', monitor_ids: [monitor.id], status: 'under_maintenance' });
  t.deepEqual(faults, []);
});

test.serial(
  'an operator publishes an incident, corrects it, adds a post-mortem, and sends a delivery again',
  async t => {
    const world = await openMonitorWorld(t, databaseOf());
    const statusPage = (await world.api('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme-incident' })).body;
    const component = { status_page_id: statusPage.id, name: 'Payments' };
    const componentId = (await world.api('POST', '/v0/components', component)).body.id;
    const subscriber = { channel: 'email', email: 'ada@customer.example', consent: 'by contract' };
    t.is((await world.api('POST', `/v0/status-pages/${statusPage.id}/subscribers`, subscriber)).status, 201);
    const { page, faults } = await openPage(t, `${world.url}/#/incidents`);
    await signIn(page, world.token);
    await page.getByRole('link', { name: 'New incident' }).click();
    await page.getByLabel('First update').fill('Cards are refusd.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Must not be empty.').waitFor();
    await page.getByLabel('Title').fill('Cards fail');
    await page.getByLabel('Severity').selectOption('p1');
    await page.getByLabel('Impact').selectOption('major');
    await page.getByLabel('Payments').check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { name: 'Cards fail', level: 1 }).waitFor();
    await page.getByText('Affects Payments.').waitFor();
    const incident = async () => (await world.api('GET', '/v0/incidents')).body.data[0];
    t.like(await incident(), {
      severity: 'p1',
      impact: 'major',
      affected_components: [componentId],
      state: 'investigating',
    });

    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Corrected text').fill('Cards are refused.');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Cards are refused.').waitFor();
    await page.getByText(/^edited/).waitFor();
    await page.getByText('Title, impact and components').click();
    await page.getByLabel('Impact', { exact: true }).selectOption('partial');
    await page.getByLabel('Payments').uncheck();
    await page.getByRole('form', { name: 'Title, impact and components' }).getByRole('button').click();
    await page.getByText('No components affected.').waitFor();
    await page.getByText('Post-mortem', { exact: true }).click();
    await page.getByLabel('Or link to an external post-mortem').fill('javascript:alert(1)');
    await page.getByRole('form', { name: 'Post-mortem' }).getByRole('button').click();
    await page.getByRole('form', { name: 'Post-mortem' }).locator('.fault').waitFor();
    await page.getByLabel('Or link to an external post-mortem').fill('https://acme.example/cards');
    await page.getByRole('form', { name: 'Post-mortem' }).getByRole('button').click();
    await page.getByRole('link', { name: 'https://acme.example/cards' }).waitFor();
    const [update] = (await incident()).updates;
    t.like(await incident(), {
      impact: 'partial',
      affected_components: [],
      postmortem_url: 'https://acme.example/cards',
    });
    t.is(update.body, 'Cards are refused.');

    const row = page.getByRole('row').filter({ hasText: 'ada@customer.example' });
    await row.getByText('Held').waitFor();
    const replayed = page.waitForResponse(response => /\/replay$/.test(response.url()));
    await row.getByRole('button', { name: 'Send again' }).click();
    t.is((await replayed).status(), 200);
    await showView(page, '#/incidents');
    await page.getByLabel('State').selectOption('resolved');
    await page.getByText('No incidents match.').waitFor();
    t.deepEqual(faults, []);
  },
);

test.serial('settings are tested before they are saved, and nothing is stored', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { page, faults } = await openPage(t, `${world.url}/#/monitors/new`);
  await signIn(page, world.token);
  await page.getByRole('button', { name: 'Test now' }).click();
  await page.getByText('Must not be empty.').or(page.getByText('url')).first().waitFor();
  await page.getByLabel('URL', { exact: true }).fill('https://shop.example/');
  await page.getByRole('button', { name: 'Test now' }).click();
  await page.getByText('no agent is online there').first().waitFor();
  t.is(await page.getByText('no agent is online there').count(), world.regions.length);
  t.deepEqual((await world.api('GET', '/v0/monitors')).body.data, []);
  t.deepEqual(faults, []);
});
