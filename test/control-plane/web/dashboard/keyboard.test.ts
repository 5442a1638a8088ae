import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { until } from '#test/support/control-plane.ts';
import { showView, signIn, signOut } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { focused, tabTo } from '#test/support/keyboard.ts';
import { openStatusWorld } from '#test/support/status-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test('every step works with the keyboard alone, and the focus is always visible', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const alertId = await world.alert();
  const { page, faults } = await openPage(t, world.replica.url);
  await page.getByLabel('API token').waitFor();
  await page.keyboard.type(world.token);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Views' }).waitFor();

  await tabTo(t, page, 'Skip to content');
  await page.keyboard.press('Enter');
  t.is(await page.evaluate('document.activeElement.id'), 'main');
  await tabTo(t, page, /^Alerts/, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
  t.is(await page.evaluate('document.activeElement.tagName'), 'H1');
  await tabTo(t, page, /^Acknowledge /);
  await page.keyboard.press('Enter');
  await page.getByText('Acknowledged', { exact: true }).waitFor();
  await tabTo(t, page, /^Create incident /);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Public preview' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.regex(await focused(page), /^Create incident /);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Public preview' }).waitFor();
  await tabTo(t, page, 'Publish');
  await page.keyboard.press('Space');
  await page.getByRole('form', { name: 'Post an update' }).waitFor();
  await tabTo(t, page, 'Message');
  await page.keyboard.type('We know why.');
  await tabTo(t, page, 'Publish update');
  await page.keyboard.press('Enter');
  await page.getByRole('listitem').getByText('We know why.').waitFor();
  const [incident] = (await world.api('GET', '/v0/incidents')).body.data;
  t.is(incident.alert_id, alertId);
  t.is(incident.updates.length, 2);
  t.deepEqual(faults, []);
});

test('a monitor, maintenance, a route and a status page are made with the keyboard alone', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const { page, faults } = await openPage(t, `${world.replica.url}/#/monitors`);
  await page.getByLabel('API token').waitFor();
  await page.keyboard.type(world.token);
  await page.keyboard.press('Enter');
  const open = async (view: string | RegExp, act: string, heading: string): Promise<void> => {
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await tabTo(t, page, view, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await tabTo(t, page, act);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  };
  const type = async (field: string | RegExp, text: string): Promise<void> => {
    await tabTo(t, page, field);
    await page.keyboard.type(text);
  };
  const submit = async (button: string): Promise<void> => {
    await tabTo(t, page, button);
    await page.keyboard.press('Enter');
  };

  await tabTo(t, page, 'New monitor');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New monitor', level: 1 }).waitFor();
  await type('Name', 'Search');
  await type('URL', 'https://search.example/');
  await submit('Create');
  await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();

  await open(/^Maintenance/, 'New window', 'New maintenance window');
  await type('Title', 'New switches');
  await tabTo(t, page, 'Search');
  await page.keyboard.press('Space');
  await submit('Plan maintenance');
  await page.getByRole('heading', { name: 'New switches', level: 1 }).waitFor();

  const channel = { name: 'Operators', type: 'teams', config: { url: 'https://example.com/teams/hook' } };
  t.is((await world.api('POST', '/v0/channels', channel)).status, 201);
  await open(/^Channels/, 'New route', 'New route');
  await type('Name', 'Everything');
  await tabTo(t, page, /^Operators/);
  await page.keyboard.press('Space');
  await submit('Create route');
  await page.getByRole('link', { name: 'Everything' }).waitFor();

  await open(/^Status pages/, 'New status page', 'New status page');
  await type('Name', 'Globex');
  await submit('Create page');
  await page.getByRole('heading', { name: 'Globex', level: 1 }).waitFor();

  const names = async (path: string): Promise<string[]> =>
    (await world.api('GET', path)).body.data.map(({ name, title }: { name?: string; title?: string }) => name ?? title);
  t.true((await names('/v0/monitors')).includes('Search'));
  t.deepEqual(await names('/v0/maintenances'), ['New switches']);
  t.deepEqual(await names('/v0/routes'), ['Everything']);
  t.true((await names('/v0/status-pages')).includes('Globex'));
  t.deepEqual(faults, []);
});

test('the heading of a view takes the focus, and shows it to those who use keys', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const monitor = (await world.api('GET', '/v0/monitors')).body.data[0].name;
  const { page, faults } = await openPage(t, `${world.replica.url}/#/overview`);
  await signIn(page, world.token);
  const outlineOf = async (name: string): Promise<string> => {
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await until(() => focused(page), name);
    return page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
  };
  // As Safari does, which gives no focus to a link that is clicked.
  await page.evaluate(`addEventListener('mousedown', event => event.preventDefault(), true)`);
  await page.getByRole('link', { name: /^Monitors/ }).click();
  t.is(await outlineOf('Monitors'), 'none');
  // The link itself goes with its view.
  await page.getByRole('link', { name: monitor, exact: true }).click();
  t.is(await outlineOf(monitor), 'none');
  await page.getByRole('link', { name: /^Alerts/ }).press('Enter');
  t.is(await outlineOf('Alerts'), 'solid');
  await page.getByRole('link', { name: /^Incidents/ }).click();
  t.is(await outlineOf('Incidents'), 'none');
  t.deepEqual(faults, []);
});

test('what takes the focus has it when it is first seen: a key typed at once is not lost', async t => {
  const world = await openStatusWorld(t, databaseOf());
  const { page, faults } = await openPage(t, world.replica.url);
  await signIn(page, world.token);
  /** What has the focus when such an element is added, before it can be painted. */
  const focusedWith = (selector: string): Promise<string> =>
    page.evaluate(`new Promise(seen => {
      const observer = new MutationObserver(() => {
        if (document.querySelector(${JSON.stringify(selector)}) === null) return;
        observer.disconnect();
        seen(document.activeElement.matches(${JSON.stringify(selector)}) ? 'it' : document.activeElement.tagName);
      });
      observer.observe(document.body, { childList: true, subtree: true });
    })`);
  const heading = focusedWith('h1[tabindex]:not(.gone)');
  await page.evaluate(`document.querySelector('h1').classList.add('gone')`);
  await page.getByRole('link', { name: /^Alerts/ }).press('Enter');
  t.is(await heading, 'it', 'the heading of a view');
  const search = focusedWith('[role=combobox]');
  await page.keyboard.press('Control+k');
  t.is(await search, 'it', 'the field of the commands');
  await page.keyboard.press('Escape');
  const channel = { name: 'Operators', type: 'teams', config: { url: 'https://example.com/teams/hook' } };
  const { body: created } = await world.api('POST', '/v0/channels', channel);
  await showView(page, `#/channels/${created.id}/edit`);
  const secret = focusedWith('.sealed input');
  await page.getByRole('button', { name: /^Replace / }).press('Enter');
  t.is(await secret, 'it', 'the field of a secret that is replaced');
  const field = focusedWith('input[type=password]');
  await signOut(page);
  t.is(await field, 'it', 'the field that signs in');
  t.deepEqual(faults, []);
});
