import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { useBrowser } from '#test/support/browser.ts';
import { allowImports, until } from '#test/support/control-plane.ts';
import { pressFourTimesQuickly, showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

async function openStatusPage(t: ExecutionContext, slug: string, components: readonly string[] = []) {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.api('POST', '/v0/status-pages', { name: 'Acme', slug })).body;
  for (const name of components) await world.api('POST', '/v0/components', { status_page_id: id, name });
  const { page, faults } = await openPage(t, world.url);
  await signIn(page, world.token);
  const show = (tab: string) => showView(page, `#/status-pages/${id}?tab=${tab}`);
  return { ...world, id: id as string, page, faults, show };
}

const previewOf = (page: Page) => page.frameLocator('iframe[title^="Preview of"]');

test('settings are seen in the preview while they are typed, and saved', async t => {
  const { api, id, page, faults, show } = await openStatusPage(t, 'preview-a', ['API']);
  await show('settings');
  await previewOf(page).getByText('Acme').first().waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Globex status');
  await previewOf(page).getByText('Globex status').first().waitFor();
  await page.getByLabel('Language').selectOption('de');
  await previewOf(page).getByText('Alle Systeme', { exact: false }).first().waitFor();
  t.is((await api('GET', `/v0/status-pages/${id}`)).body.name, 'Acme', 'nothing is saved yet');
  await page.getByLabel('Slug').fill('preview-b');
  await page.getByText('Its present address /status/preview-a redirects there').waitFor();
  await page.getByLabel('Colour', { exact: true }).fill('red');
  await page.getByText('No preview yet').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Must be a colour such as').waitFor();
  await page.getByLabel('Colour', { exact: true }).fill('#7c3aed');
  await page.reload();
  await until(() => page.getByLabel('Name', { exact: true }).inputValue(), 'Globex status');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Globex status', level: 1 }).waitFor();
  const saved = (await api('GET', `/v0/status-pages/${id}`)).body;
  t.like(saved, { name: 'Globex status', slug: 'preview-b', locale: 'de', color: '#7c3aed' });
  t.deepEqual(faults, []);
});

test('the preview is closed: it has no origin, runs nothing of the page, and its links lead nowhere', async t => {
  const { api, id, page, show } = await openStatusPage(t, 'closed-a');
  await api('PATCH', `/v0/status-pages/${id}`, {
    name: '<img src=x onerror=alert(1)>',
    support_url: 'https://x.example/',
  });
  await show('components');
  const frame = previewOf(page);
  await frame.getByText('<img src=x onerror=alert(1)>').first().waitFor();
  const inside = page.frames().find(frame => frame.url().endsWith('/dashboard/preview'));
  t.is(await inside?.evaluate('self.origin'), 'null');
  await t.throwsAsync(async () => inside?.evaluate('localStorage.length'), { message: /sandboxed/ });
  await frame.locator('a.support').first().click();
  t.true(inside?.url().endsWith('/dashboard/preview'));
  await frame.locator('a.support').first().waitFor();
});

test('a preview for which the server has no time is asked for again', async t => {
  const { page, show } = await openStatusPage(t, 'again-a', ['Checkout']);
  let refused = 0;
  await page.route('**/preview', async route => {
    if (route.request().method() !== 'POST' || refused > 0) return route.continue();
    refused += 1;
    const problem = { type: 'about:blank', title: 'Unavailable', status: 503, code: 'unavailable', detail: 'too busy' };
    await route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) });
  });
  await show('components');
  await page.getByText(/^No preview: /).waitFor();
  await previewOf(page).getByText('Checkout').first().waitFor();
  t.is(refused, 1);
});

test('components are ordered and grouped by keyboard and by dragging', async t => {
  const { api, id, page, faults, show } = await openStatusPage(t, 'order-a', ['API', 'Shop', 'Search']);
  const order = async () =>
    (await api('GET', `/v0/components?status_page_id=${id}`)).body.data
      .toSorted((left: { position: number }, right: { position: number }) => left.position - right.position)
      .map(({ name, group }: { name: string; group: string | null }) => (group === null ? name : `${group}/${name}`));
  await show('components');
  await page.getByRole('button', { name: 'Move Search' }).focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await until(order, ['Search', 'API', 'Shop']);
  t.is(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Move Search');
  await page.getByRole('button', { name: 'Edit Shop' }).click();
  await page.getByLabel('Group').fill('Sales');
  await page.getByRole('button', { name: 'Save' }).click();
  await until(order, ['Search', 'API', 'Sales/Shop']);
  await page.getByRole('heading', { name: 'Sales', level: 3 }).waitFor();
  await page.getByRole('button', { name: 'Move Search' }).dragTo(page.locator('li.component', { hasText: 'Shop' }), {
    targetPosition: { x: 60, y: 4 },
  });
  await until(order, ['API', 'Sales/Search', 'Sales/Shop']);
  t.deepEqual(faults, []);
});

test('a component moves as often as its key is pressed, faster than the page is painted as well', async t => {
  const { api, id, page, faults, show } = await openStatusPage(t, 'keys-a', ['API', 'Shop', 'Search', 'Mail', 'Chat']);
  await show('components');
  await page.getByRole('button', { name: 'Move Chat' }).focus();
  await pressFourTimesQuickly(page, 'ArrowUp');
  t.is(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Move Chat');
  const first = async () =>
    (await api('GET', `/v0/components?status_page_id=${id}`)).body.data.find(
      ({ position }: { position: number }) => position === 0,
    ).name;
  await until(first, 'Chat');
  t.is(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Move Chat');
  t.deepEqual(faults, []);
});

test('subscribers are added, imported with a report, and removed', async t => {
  const { api, id, page, faults, show, projectId } = await openStatusPage(t, 'subscribers-a');
  await allowImports(databaseOf(), projectId);
  await show('subscribers');
  const add = page.getByRole('form', { name: 'Add a subscriber' });
  await add.getByLabel('Email address').fill('ada@customer.example');
  await add.getByLabel('Consent').fill('by contract');
  await add.getByRole('button', { name: 'Add subscriber' }).click();
  await page.getByText('ada@customer.example gets updates from now on.').waitFor();
  const form = page.getByRole('form', { name: 'Import addresses' });
  const text =
    'name,email\nAda,ada@customer.example\nGrace,grace@customer.example\n"Lovelace, B.",not an address\n' +
    'Long,a%b@customer.example\n,a..b@customer.example\n';
  await form.getByLabel('CSV file').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await form.getByText('4 addresses found, 1 line without an address').waitFor();
  await form.getByLabel('Consent').fill('on our old page');
  await form.getByRole('button', { name: 'Import 4 addresses' }).click();
  await form.getByText('Done: 2 added, 1 known already, 1 refused.').waitFor();
  await form.getByText('Line 6: a..b@customer.example').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  t.is((await download).suggestedFilename(), 'subscribers-subscribers-a.csv');
  await page.getByRole('button', { name: 'Remove grace@customer.example' }).click();
  await page.getByRole('button', { name: 'Remove subscriber' }).click();
  await until(async () => (await api('GET', `/v0/status-pages/${id}/subscribers`)).body.data.length, 2);
  t.deepEqual(faults, []);
});

test('a page is deleted, with its components, after its slug was typed', async t => {
  const { api, id, page, faults, show } = await openStatusPage(t, 'delete-a', ['API']);
  await show('settings');
  await page.getByRole('button', { name: 'Delete page…' }).click();
  const button = page.getByRole('dialog').getByRole('button', { name: 'Delete page' });
  t.true(await button.isDisabled());
  await page.getByLabel('to confirm').fill('delete-a');
  await button.click();
  await page.getByText('No status pages yet').waitFor();
  t.is((await api('GET', `/v0/status-pages/${id}`)).status, 404);
  t.deepEqual(faults, []);
});

test('a token that only reads sees the page without any control that would be refused', async t => {
  const { api, id, page, faults } = await openStatusPage(t, 'read-a', ['API', 'Shop']);
  const scopes = [
    'status-pages:read',
    'components:read',
    'subscribers:read',
    'monitors:read',
    'agents:read',
    'walls:read',
  ];
  const { token } = (await api('POST', '/v0/tokens', { name: 'r', scopes })).body;
  await page.context().clearCookies();
  await page.reload();
  await signIn(page, token);
  for (const address of [
    `#/status-pages/${id}`,
    `#/status-pages/${id}?tab=settings`,
    '#/status-pages',
    '#/regions',
    '#/wall',
  ]) {
    await showView(page, address);
    const buttons = await page.locator('main button').allInnerTexts();
    t.deepEqual(
      buttons.filter(text => !['Desk', 'Phone', 'Copy'].includes(text)),
      [],
      address,
    );
  }
  await showView(page, `#/status-pages/${id}?tab=subscribers`);
  t.deepEqual(await page.locator('main button').allInnerTexts(), ['Export CSV']);
  t.deepEqual(faults, []);
});
