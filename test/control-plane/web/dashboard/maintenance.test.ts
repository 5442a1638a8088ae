import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial(
  'an operator plans a recurring window with a preview, changes it, and leaves an occurrence out',
  async t => {
    const world = await openMonitorWorld(t, databaseOf());
    await world.post({ name: 'Database', labels: { tier: 'db' } });
    const { page, faults } = await openPage(t, `${world.url}/#/maintenance`);
    await signIn(page, world.token);
    await page.getByRole('link', { name: 'Plan maintenance' }).click();
    await page.getByLabel('Title').fill('Nightly upgrade');
    const preview = page.getByRole('complementary', { name: 'Preview' });
    await preview.getByText('Choose what the window covers').waitFor();
    await page.getByRole('button', { name: 'Add tier=db' }).click();
    await page.getByText('Matches 1 monitor now: Database').waitFor();
    await preview.getByText('1 monitor', { exact: true }).waitFor();
    const date = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('Start', { exact: true }).fill(`${date}T02:30`);
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('Repeats').selectOption('weekly');
    await page.getByLabel('Duration (minutes)').fill('0');
    await preview.getByText(/schedule duration seconds/).waitFor();
    await page.getByLabel('Duration (minutes)').fill('90');
    await preview.getByText(/^Every week on \w+day, for 1 h 30 min$/).waitFor();
    t.is(await preview.getByRole('listitem').count(), 6);
    await page.reload();
    await page.getByLabel('Title').waitFor();
    t.is(await page.getByLabel('Title').inputValue(), 'Nightly upgrade', 'the draft survives a reload');
    await page.getByRole('button', { name: 'Plan maintenance' }).dblclick();
    await page.getByRole('heading', { name: 'Nightly upgrade', level: 1 }).waitFor();
    const windows = (await world.api('GET', '/v0/maintenances')).body.data;
    t.is(windows.length, 1, 'a double click plans one');
    t.like(windows[0].schedule, { start: `${date}T02:30:00`, timezone: 'Europe/Berlin', duration_seconds: 5400 });

    await page
      .getByRole('button', { name: /^Cancel \w{3} / })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel maintenance' }).click();
    await page.getByText('Over', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Title').fill('Weekly upgrade');
    await page.getByLabel('Date to leave out').fill('2027-12-27');
    await page.getByRole('button', { name: 'Leave out' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Left out: 2027-12-27').waitFor();
    const [changed] = (await world.api('GET', '/v0/maintenances')).body.data;
    t.like(changed, { title: 'Weekly upgrade', settle_seconds: 60 });

    await showView(page, '#/maintenance?view=month');
    for (
      let month = 0;
      month < 2 && (await page.getByRole('link', { name: /Weekly upgrade/ }).count()) === 0;
      month++
    ) {
      await page.getByRole('button', { name: 'Next month' }).click();
      await page.locator('.calendar .bone').first().waitFor({ state: 'detached' });
    }
    await page
      .getByRole('link', { name: /Weekly upgrade/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No maintenance planned').waitFor();
    t.deepEqual(faults, []);
  },
);

test.serial('an operator extends a window in progress, posts an update and ends it early', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const statusPage = (await world.api('POST', '/v0/status-pages', { name: 'Acme', slug: 'acme-window' })).body;
  const component = { status_page_id: statusPage.id, name: 'Payments' };
  const componentId = (await world.api('POST', '/v0/components', component)).body.id;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const body = {
    title: 'Upgrade',
    scope: { component_ids: [componentId] },
    starts_at: at(-600_000),
    ends_at: at(3_600_000),
    announced: true,
  };
  const { id } = (await world.api('POST', '/v0/maintenances', body)).body;
  const { page, faults } = await openPage(t, `${world.url}/#/maintenance`);
  await signIn(page, world.token);
  const { current } = (await world.api('GET', `/v0/maintenances/${id}`)).body;
  await page.getByRole('link', { name: 'Upgrade' }).click();
  await page.getByRole('button', { name: 'Extend…' }).click();
  await page.getByRole('button', { name: '+ 1 h' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Extend', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const extended = (await world.api('GET', `/v0/maintenances/${id}`)).body.current;
  // The field has no seconds.
  t.true(Math.abs(Date.parse(extended.ends_at) - Date.parse(current.ends_at) - 3_600_000) < 60_000);

  await page.getByLabel('Message').fill('We **test** now.');
  await page.locator('.markdown-preview strong').getByText('test').waitFor();
  await page.getByLabel('State').selectOption('verifying');
  await page.getByRole('button', { name: 'Publish update' }).click();
  const posted = page.getByRole('listitem').filter({ hasText: 'We test now.' });
  await posted.getByText('Verifying').waitFor();
  await posted.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Corrected text').fill('We test the result.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('We test the result.').waitFor();

  await page.getByRole('button', { name: 'End now…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End now' }).click();
  await page.locator('.card .badge').getByText('Completed').first().waitFor();
  await until(
    async () => (await world.api('GET', `/v0/maintenances/${id}`)).body.state,
    state => state === 'completed',
  );
  await page.getByRole('button', { name: 'Extend…' }).waitFor({ state: 'detached' });
  t.deepEqual(faults, []);
});

test.serial('a token that may only read is offered nothing to change', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const monitor = (await world.post({ name: 'Database' })).body;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const times = { starts_at: at(-600_000), ends_at: at(3_600_000) };
  const scope = { monitor_ids: [monitor.id] };
  const { id } = (await world.api('POST', '/v0/maintenances', { title: 'Upgrade', scope, ...times })).body;
  const channel = { type: 'teams', name: 'Chat', config: { url: 'https://example.com/x' } };
  const channelId = (await world.api('POST', '/v0/channels', channel)).body.id;
  const scopes = ['maintenances:read', 'channels:read', 'routes:read', 'monitors:read', 'alerts:read'];
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'reader', scopes })).body;
  const { page, faults } = await openPage(t, `${world.url}/#/maintenance`);
  await signIn(page, token);
  for (const address of [
    '#/maintenance',
    `#/maintenance/${id}`,
    '#/channels',
    `#/channels/${channelId}`,
    '#/alerts/notices',
  ]) {
    await showView(page, address);
    const buttons = page.getByRole('main').getByRole('button', {
      name: /^(New|Edit|Delete|Extend|End|Cancel|Send|Connect|Duplicate|Acknowledge)/,
    });
    t.is(await buttons.count(), 0, address);
    t.is(
      await page
        .getByRole('main')
        .getByRole('link', { name: /^(New|Edit|Duplicate)/ })
        .count(),
      0,
      address,
    );
  }
  await showView(page, '#/maintenance/new');
  await page.getByText('You do not have permission to plan maintenance.').waitFor();
  t.deepEqual(faults, []);
});
