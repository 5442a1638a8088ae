import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { sendSampleEvents } from '#test/support/event-samples.ts';
import { openEventWorld } from '#test/support/events.ts';
import { accessibilityFaults, loadAxe } from '#test/support/looks.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('events are followed as they arrive, with what was refused, to the timeline of their user', async t => {
  const world = await openEventWorld(t, databaseOf());
  const { page, faults } = await openPage(t, `${world.replica.url}/#/events`);
  await signIn(page, world.token);
  await page.getByText('No events in the last hour.').waitFor();
  await sendSampleEvents(world.api);
  const tail = page.getByRole('table', { name: 'Events, the last to arrive first' });
  await tail.getByText('newsletter_opened').waitFor();
  await page.getByText('a text was empty').waitFor();
  await page.getByLabel('Type').selectOption('error');
  await tail.getByText('PaymentDeclined').first().waitFor();
  t.is(await tail.getByText('cart_viewed').count(), 0);
  await page.getByRole('button', { name: 'Pause' }).click();
  await world.send({ name: 'Unseen', type: 'error', external_user_id: 'ada@customer.example' });
  const rate = page.waitForResponse(response => response.url().endsWith('/v0/events/rate'));
  await rate;
  t.is(await tail.getByText('Unseen').count(), 0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await tail.getByText('Unseen').waitFor();
  await tail.getByRole('link', { name: 'ada@customer.example' }).first().click();
  await page.getByRole('heading', { name: '3 sessions, 7 events, 3 errors' }).waitFor();
  await page.getByRole('heading', { name: 'Session phone-1' }).waitFor();
  await page.getByRole('heading', { name: 'Without a session' }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /^2\.4\.0$/ })
    .waitFor();
  await page.getByLabel('User ID').fill('nobody');
  await page.getByRole('button', { name: 'Show timeline' }).click();
  await page.getByText('No events of this user are stored.').waitFor();
  t.deepEqual(faults, []);
});

test.serial(
  'an operator builds a flow, reads its funnel by release, day and property, changes it and deletes it',
  async t => {
    const world = await openEventWorld(t, databaseOf());
    await sendSampleEvents(world.api);
    const { page, faults } = await openPage(t, `${world.replica.url}/#/events/flows`);
    await signIn(page, world.token);
    await page.getByRole('link', { name: 'New flow' }).click();
    await page.getByRole('button', { name: 'Create flow' }).click();
    await page.getByText('Must not be empty.', { exact: true }).waitFor();
    t.is(await page.getByText('Event must not be empty.').count(), 2);
    await page.getByLabel('Name', { exact: true }).fill('From cart to order');
    await page.getByLabel('Event').nth(0).fill('cart_viewed');
    await page.getByLabel('Event').nth(1).fill('order_paid');
    await page.getByRole('button', { name: 'Add a condition on a property' }).nth(1).click();
    await page.getByLabel('Property 1 of step 2').fill('total');
    await page.getByLabel('Operator 1 of step 2').selectOption('gte');
    await page.getByLabel('Value 1 of step 2').fill('100');
    await page.getByLabel('Conversion window').fill('1');
    await page.getByLabel('Time unit').selectOption('hours');
    await page.reload();
    t.is(await page.getByLabel('Value 1 of step 2').inputValue(), '100', 'a draft survives a reload');
    await page.getByRole('button', { name: 'Create flow' }).dblclick();
    await page.getByRole('heading', { name: 'From cart to order', level: 1 }).waitFor();
    const flows = (await world.api('GET', '/v0/flows')).body.data;
    t.is(flows.length, 2);
    const made = flows.find(({ name }: { name: string }) => name === 'From cart to order');
    t.like(made, { window_seconds: 3600, version: 1 });
    t.deepEqual(made.steps[1].where, [{ prop: 'total', op: 'gte', value: 100 }]);
    await page.getByText('121', { exact: true }).waitFor();
    await page.getByRole('rowheader', { name: /^2\.4\.0/ }).waitFor();
    await page.getByLabel('Group by').selectOption('day');
    await page.getByRole('rowheader', { name: new Date().toISOString().slice(0, 10) }).waitFor();
    await page.getByLabel('Group by').selectOption('property');
    await page.getByLabel('Property of cart_viewed').fill('plan');
    await page.getByLabel('Property of cart_viewed').press('Enter');
    await page.getByRole('rowheader', { name: 'pro', exact: true }).waitFor();
    await page.getByRole('row', { name: /^Without the property/ }).waitFor();

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Add step' }).click();
    await page.getByLabel('Event').nth(2).fill('review_written');
    await page.getByRole('button', { name: 'Move step 3 up' }).click();
    await page.getByText('This makes a new version').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('version 2').waitFor();
    const changed = (await world.api('GET', `/v0/flows/${made.id}`)).body;
    t.deepEqual(
      changed.steps.map(({ event }: { event: string }) => event),
      ['cart_viewed', 'review_written', 'order_paid'],
    );
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete flow' }).click();
    await page.getByRole('heading', { name: 'Flows', level: 1 }).waitFor();
    t.is((await world.api('GET', `/v0/flows/${made.id}`)).status, 404);
    t.deepEqual(faults, []);
  },
);

test.serial(
  'releases show the hour before and after, and a token that may only read sees no way to change',
  async t => {
    const world = await openEventWorld(t, databaseOf());
    const { flowId } = await sendSampleEvents(world.api);
    const scopes = ['events:read', 'flows:read', 'releases:read', 'project:read'];
    const reader = (await world.api('POST', '/v0/tokens', { name: 'reads', scopes })).body.token;
    const { page, faults } = await openPage(t, `${world.replica.url}/#/events/releases`);
    await signIn(page, reader);
    const row = page.getByRole('listitem').filter({ hasText: '2.4.0' });
    await row.getByText('Hour after').waitFor();
    await row
      .getByText(/users, \d+ with errors/)
      .first()
      .waitFor();
    await showView(page, `#/events/flows/${flowId}`);
    t.is(await page.getByRole('button', { name: 'Delete…' }).count(), 0);
    await showView(page, '#/events/flows/new');
    await page.getByText('You do not have permission to change flows.').waitFor();
    await showView(page, '#/settings');
    t.is(await page.getByRole('button', { name: 'Save' }).count(), 0);
    t.is(await page.getByRole('link', { name: 'Audit log' }).count(), 0);
    const seen = await until(
      () => page.getByRole('navigation', { name: 'Views' }).innerText(),
      text => text.includes('Settings'),
    );
    t.false(seen.includes('Monitors'));
    t.deepEqual(faults, []);
  },
);

test('examples on a phone without events or releases scroll by keyboard, and have no accessibility fault', async t => {
  const world = await openEventWorld(t, databaseOf());
  for (const width of [360, 320]) {
    const { page } = await openPage(t, world.replica.url, { viewport: { width, height: 740 } });
    await loadAxe(page);
    await signIn(page, world.token);
    for (const address of ['#/events', '#/events/releases']) {
      await showView(page, address);
      await page.locator('pre', { hasText: 'curl' }).waitFor();
      t.deepEqual(await accessibilityFaults(page), [], `${address} at ${width}`);
    }
  }
});
