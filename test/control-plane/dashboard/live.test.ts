import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { apiOf, startReplica, until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('a refresh keeps the focus, typed text, scroll position and an open dialog', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await Promise.all(Array.from({ length: 30 }, (_, index) => world.post({ name: `monitor ${index}` })));
  const { page, faults } = await openPage(t, world.url);
  await signIn(page, world.token);
  await page.getByRole('button', { name: 'New monitor' }).click();
  await page.getByLabel('Name', { exact: true }).fill('half typed');
  const pause = page.locator('li.monitor').last().getByRole('button');
  await world.post({ name: 'another' });
  await page.locator('li.monitor').nth(30).waitFor();
  t.is(await page.getByLabel('Name', { exact: true }).inputValue(), 'half typed');
  t.is(await page.evaluate('document.activeElement.name'), 'name');
  t.true(await page.getByRole('dialog').isVisible());
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.is(await page.evaluate('document.activeElement.textContent'), 'New monitor');

  const label = await pause.getAttribute('aria-label');
  await pause.focus();
  const scrolled = await page.evaluate('scrollY');
  t.true(Number(scrolled) > 100);
  const { id } = (await world.post({ name: 'aaa is first' })).body;
  await page.getByRole('link', { name: 'aaa is first' }).waitFor();
  t.is(await page.evaluate("document.activeElement.getAttribute('aria-label')"), label);
  await world.api('DELETE', `/v0/monitors/${id}`);
  await page.getByRole('link', { name: 'aaa is first' }).waitFor({ state: 'detached' });
  t.is(await page.evaluate("document.activeElement.getAttribute('aria-label')"), label);
  t.deepEqual(faults, []);
});

test.serial('a long list is loaded completely, searched as a whole, and shown in pages', async t => {
  const world = await openMonitorWorld(t, databaseOf(), 1);
  for (let start = 0; start < 210; start += 30)
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        world.post({ name: `row-${String(start + index).padStart(3, '0')}`, regions: world.regions }),
      ),
    );
  const { page } = await openPage(t, world.url);
  await signIn(page, world.token);
  await page.getByText('1–50 of 210 monitors').waitFor();
  t.is(await page.locator('li.monitor').count(), 50);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('51–100 of 210 monitors').waitFor();
  t.is(await page.locator('li.monitor a').first().textContent(), 'row-050');
  await page.getByRole('searchbox').fill('row-20');
  await until(
    () => page.locator('li.monitor').count(),
    count => count === 10,
  );
  await page.getByRole('searchbox').fill('nothing has this name');
  await page.getByText('No monitors match.').waitFor();
});

test.serial('data is marked as stale while the connection is lost, and refreshed when it returns', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'before' });
  const { page, context } = await openPage(t, world.url);
  await signIn(page, world.token);
  await page.getByRole('link', { name: 'before' }).waitFor();
  await context.setOffline(true);
  await page.getByText(/Connection lost\. Showing data as of \d\d:\d\d:\d\d/).waitFor();
  t.true(await page.getByRole('link', { name: 'before' }).isVisible());
  await page.getByRole('button', { name: 'Pause before' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await world.post({ name: 'meanwhile' });
  await context.setOffline(false);
  await page.getByRole('link', { name: 'meanwhile' }).waitFor();
  await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
});

test.serial('after the token is revoked, signing in again leads back to the same view', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'still here' })).body;
  const second = (await world.api('POST', '/v0/tokens', { name: 'short', scopes: ['*'] })).body;
  const { page } = await openPage(t, `${world.url}/#/monitors/${id}`);
  await signIn(page, second.token);
  await page.getByRole('heading', { name: 'still here' }).waitFor();
  await world.api('DELETE', `/v0/tokens/${second.id}`);
  await page.getByText('Your session has ended.').waitFor();
  await page.getByLabel('API token').fill('upq_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This server does not know the token').waitFor();
  await signIn(page, world.token);
  await page.getByRole('heading', { name: 'still here' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'still here' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await page.reload();
  await page.getByLabel('API token').waitFor();
  t.is(await page.getByRole('heading', { name: 'still here' }).count(), 0);
});

test.serial('a read-only token is offered no changes, and sees which scope it lacks', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'watched' });
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'looks', scopes: ['monitors:read'] })).body;
  const { page } = await openPage(t, world.url);
  await signIn(page, token);
  await page.getByRole('link', { name: 'watched' }).waitFor();
  await page.getByText('read-only').waitFor();
  t.is(await page.getByRole('button', { name: /Pause|New monitor/ }).count(), 0);
  await page.evaluate('location.hash = "#/alerts"');
  await page.getByText('This token does not have access. This endpoint needs the scope alerts:read.').waitFor();
  t.is((await apiOf(world.url, token)('GET', '/v0/alerts')).status, 403);
});

test.serial('the first monitor is created in the dashboard, and each wrong field shows its error', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { page, faults } = await openPage(t, world.url);
  await signIn(page, world.token);
  await page.getByRole('heading', { name: 'No monitors yet' }).waitFor();
  await page.getByRole('button', { name: 'New monitor' }).click();
  await page.getByLabel('Name', { exact: true }).fill('first');
  await page.getByLabel('URL').fill('ftp://example.com');
  await page.getByLabel('Check interval (seconds)').fill('3');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Must be an http or https URL.').waitFor();
  await page.getByText('Must be at least 10.').waitFor();
  await page.getByLabel('URL').fill('https://example.com/');
  await page.getByLabel('Check interval (seconds)').fill('60');
  await page.getByRole('button', { name: 'Create' }).dblclick();
  await page.getByRole('heading', { name: 'first', level: 1 }).waitFor();
  const made = (await world.api('GET', '/v0/monitors')).body.data;
  t.is(made.length, 1);
  t.deepEqual([...made[0].regions].sort(), [...world.regions].sort());
  await showView(page, '#/monitors');
  await page.getByText('no data', { exact: true }).waitFor();
  t.deepEqual(faults, []);
});

test.serial('a tight rate limit makes the dashboard slower, not wrong', async t => {
  const replica = await startReplica(databaseOf(), { rateLimitPerMinute: 150, rateLimitBurst: 5 });
  t.teardown(() => replica.stop());
  const world = await openMonitorWorld(t, databaseOf());
  for (let index = 0; index < 20; index++) await world.post({ name: `monitor ${index}` });
  const { page } = await openPage(t, replica.url);
  await signIn(page, world.token);
  const limited: string[] = [];
  page.on('response', response => response.status() === 429 && limited.push(response.url()));
  await until(
    () => page.locator('svg.bars').count(),
    count => count === 20,
    40_000,
  );
  t.true(limited.length > 0);
  t.is(await page.getByText('Connection lost').count(), 0);
});

test.serial('text that an operator types is not overwritten by another operator’s change', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id: status_page_id } = (await world.api('POST', '/v0/status-pages', { name: 'Acme' })).body;
  const { id } = (await world.api('POST', '/v0/incidents', { status_page_id, title: 'Slow', severity: 'p3' })).body;
  const { page } = await openPage(t, `${world.url}/#/incidents/${id}`);
  await signIn(page, world.token);
  await page.getByText('Title, impact and components').click();
  await page.getByLabel('Title', { exact: true }).fill('Slow in Asia');
  await page.getByText('Post-mortem', { exact: true }).click();
  await page.getByLabel('Message').fill('half written');
  await world.api('PATCH', `/v0/incidents/${id}`, { title: 'Slow everywhere', impact: 'major' });
  await page.getByRole('heading', { name: 'Slow everywhere' }).waitFor();
  t.is(await page.getByLabel('Title', { exact: true }).inputValue(), 'Slow in Asia');
  t.is(await page.getByLabel('Message').inputValue(), 'half written');
  t.is(await page.getByLabel('Impact', { exact: true }).inputValue(), 'major');
  await page.getByLabel('Text', { exact: true }).fill('What we changed.');
  await page.getByRole('form', { name: 'Post-mortem' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Post-mortem attached').waitFor();
  t.is((await world.api('GET', `/v0/incidents/${id}`)).body.postmortem_body, 'What we changed.');
});

test.serial('a hidden page sends no requests, and refreshes immediately when it is shown', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'quiet' });
  const { page } = await openPage(t, world.url);
  await page.clock.install();
  await signIn(page, world.token);
  await page.locator('svg.bars').waitFor();
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  const hide = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await hide(true);
  await page.clock.runFor(120_000);
  t.is(requests, 0);
  const request = page.waitForRequest(/\/v0\/monitors/);
  await hide(false);
  await request;
  t.true(requests > 0);
});

test.serial('a deleted monitor is reported as gone, not shown as current', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'short-lived' })).body;
  const { page } = await openPage(t, `${world.url}/#/monitors/${id}`);
  await signIn(page, world.token);
  await page.getByRole('heading', { name: 'short-lived' }).waitFor();
  await world.api('DELETE', `/v0/monitors/${id}`);
  await page.getByText('This no longer exists. Showing data as of').waitFor();
  await page.reload();
  await page.getByText('This does not exist or was deleted.').waitFor();
  t.is(await page.getByRole('heading', { name: 'short-lived' }).count(), 0);
});
