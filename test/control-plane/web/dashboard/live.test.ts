import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { apiOf, startReplica, until } from '#test/support/control-plane.ts';
import { signIn, signOut } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('a refresh keeps the focus, typed text, scroll position and an open dialog', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  for (let index = 0; index < 30; index++) t.is((await world.post({ name: `monitor ${index}` })).status, 201);
  const { page, faults } = await openPage(t, `${world.url}/#/monitors`);
  await signIn(page, world.token);
  await page.getByRole('row').nth(30).waitFor();
  await page.getByRole('searchbox').fill('monitor');
  await page.getByRole('button', { name: 'Search', exact: false }).first().click();
  await page.getByRole('combobox', { name: 'Search monitors and commands' }).fill('half typed');
  await world.post({ name: 'monitor another' });
  await page.getByRole('row').nth(31).waitFor({ state: 'attached' });
  t.is(await page.getByRole('combobox', { name: 'Search monitors and commands' }).inputValue(), 'half typed');
  t.is(await page.evaluate('document.activeElement.getAttribute("role")'), 'combobox');
  t.true(await page.getByRole('dialog').isVisible());
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.true(await page.evaluate('document.activeElement.classList.contains("search-button")'));
  t.is(await page.getByRole('searchbox').inputValue(), 'monitor');

  await page.getByRole('searchbox').fill('');
  const last = page.getByRole('row').last().getByRole('link');
  const name = await last.textContent();
  await last.focus();
  const scrolled = await page.evaluate('scrollY');
  t.true(Number(scrolled) > 100);
  const { id } = (await world.post({ name: 'aaa is first' })).body;
  // Its row is outside the visible part.
  await page.getByText('32 monitors', { exact: true }).waitFor();
  t.is(await page.evaluate('document.activeElement.textContent'), name);
  await world.api('DELETE', `/v0/monitors/${id}`);
  await page.getByText('31 monitors', { exact: true }).waitFor();
  t.is(await page.evaluate('document.activeElement.textContent'), name);
  t.deepEqual(faults, []);
});

test.serial('a long list is loaded completely, searched as a whole, and only its visible rows exist', async t => {
  const world = await openMonitorWorld(t, databaseOf(), 1);
  for (let start = 0; start < 210; start += 30)
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        world.post({ name: `row-${String(start + index).padStart(3, '0')}`, regions: world.regions }),
      ),
    );
  // By name, as they change their status two minutes after they were created.
  const { page } = await openPage(t, `${world.url}/#/monitors?sort=name`);
  await signIn(page, world.token);
  await page.getByText('210 monitors').waitFor();
  t.true((await page.locator('[data-row]').count()) < 60);
  await page.getByRole('link', { name: 'row-000' }).waitFor();
  await page.keyboard.press('End');
  await page.getByRole('link', { name: 'row-209' }).waitFor();
  t.true((await page.locator('[data-row]').count()) < 60);
  await page.keyboard.press('/');
  await page.keyboard.type('row-20');
  await until(
    () => page.locator('[data-row]').count(),
    count => count === 10,
  );
  t.true(page.url().endsWith('#/monitors?sort=name&q=row-20'));
  await page.getByRole('searchbox').fill('nothing has this name');
  await page.getByText('No monitors match.').waitFor();
});

test.serial('data is marked as stale while the connection is lost, and refreshed when it returns', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'before' });
  const { page, context } = await openPage(t, `${world.url}/#/monitors`);
  await signIn(page, world.token);
  await page.getByRole('link', { name: 'before' }).waitFor();
  await context.setOffline(true);
  await page.getByText(/Connection lost\. Showing data as of \d\d:\d\d:\d\d/).waitFor();
  t.true(await page.getByRole('link', { name: 'before' }).isVisible());
  await page.getByRole('checkbox', { name: 'Select before' }).check();
  await page.getByRole('button', { name: 'Pause…' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await page.keyboard.press('Escape');
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
  await signOut(page);
  await page.getByText('You are signed out.').waitFor();
  await page.reload();
  await page.getByLabel('API token').waitFor();
  t.is(await page.getByRole('heading', { name: 'still here' }).count(), 0);
});

test.serial('a read-only token is offered no changes, and sees which scope it lacks', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'watched' });
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'looks', scopes: ['monitors:read'] })).body;
  const { page } = await openPage(t, `${world.url}/#/monitors`);
  await signIn(page, token);
  await page.getByRole('link', { name: 'watched' }).waitFor();
  await page.getByText('read-only').waitFor();
  t.is(await page.getByRole('link', { name: 'New monitor' }).count(), 0);
  t.is(await page.getByRole('checkbox').count(), 0);
  t.is(await page.getByRole('link', { name: 'Alerts' }).count(), 0);
  await page.evaluate('location.hash = "#/alerts"');
  await page.getByText('This page needs the scope alerts:read, which your role').waitFor();
  t.is((await apiOf(world.url, token)('GET', '/v0/alerts')).status, 403);
});

test.serial('the first monitor is created in the dashboard, and each wrong field shows its error', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { page, faults } = await openPage(t, `${world.url}/#/monitors`);
  await signIn(page, world.token);
  await page.getByRole('heading', { name: 'No monitors yet' }).waitFor();
  await page.getByRole('link', { name: 'New monitor' }).click();
  await page.getByLabel('Name', { exact: true }).fill('first');
  await page.getByLabel('URL', { exact: true }).fill('ftp://example.com');
  await page.getByLabel('Check interval (seconds)').fill('3');
  await page.getByRole('button', { name: 'Create' }).click();
  await page
    .getByText('Must be a URL of a kind: http(s)://, tcp://, tls://, dns://, ping://, grpc(s):// or ws(s)://.')
    .waitFor();
  await page.getByText('Must be at least 10.').waitFor();
  await page.getByLabel('URL', { exact: true }).fill('https://example.com/');
  await page.getByLabel('Check interval (seconds)').fill('60');
  await page.getByRole('button', { name: 'Create' }).dblclick();
  await page.getByRole('heading', { name: 'first', level: 1 }).waitFor();
  const made = (await world.api('GET', '/v0/monitors')).body.data;
  t.is(made.length, 1);
  t.deepEqual([...made[0].regions].sort(), [...world.regions].sort());
  await page.getByText('no data', { exact: true }).first().waitFor();
  t.deepEqual(faults, []);
});

test.serial('a tight rate limit makes the dashboard slower, not wrong, and says that it waits', async t => {
  const replica = await startReplica(databaseOf(), { rateLimitPerMinute: 60, rateLimitBurst: 3 });
  t.teardown(() => replica.stop());
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'monitor' })).body;
  const { page } = await openPage(t, `${replica.url}/#/monitors/${id}`);
  await signIn(page, world.token);
  await page.getByText(/Too many requests: continuing in \d+ s/).waitFor();
  await page.getByRole('heading', { name: 'monitor', level: 1 }).waitFor();
  await page.locator('svg.bars').waitFor();
  t.is(await until(() => page.getByText('Connection lost').count(), 0), 0);
});

test.serial('what was typed survives a reload and the end of the session', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id: status_page_id } = (await world.api('POST', '/v0/status-pages', { name: 'Acme' })).body;
  const { id } = (await world.api('POST', '/v0/incidents', { status_page_id, title: 'Slow', severity: 'p3' })).body;
  const second = (await world.api('POST', '/v0/tokens', { name: 'short', scopes: ['*'] })).body;
  const { page } = await openPage(t, `${world.url}/#/incidents/${id}`);
  await signIn(page, second.token);
  await page.getByLabel('Message').fill('half **written**');
  await page.reload();
  await until(
    () => page.getByLabel('Message').inputValue(),
    value => value === 'half **written**',
  );
  t.is(await page.locator('.markdown-preview strong').first().textContent(), 'written');
  await world.api('DELETE', `/v0/tokens/${second.id}`);
  await page.getByText('Your session has ended.').waitFor();
  await signIn(page, world.token);
  await until(
    () => page.getByLabel('Message').inputValue(),
    value => value === 'half **written**',
  );
  await page.getByRole('button', { name: 'Publish update' }).click();
  await page.getByRole('listitem').getByText('half written').waitFor();
  t.is(await page.getByLabel('Message').inputValue(), '');
});

test.serial('text that an operator types is not overwritten by another operator’s change', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id: status_page_id } = (await world.api('POST', '/v0/status-pages', { name: 'Globex' })).body;
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
  const { page } = await openPage(t, `${world.url}/#/monitors`);
  await page.clock.install();
  await signIn(page, world.token);
  await page.getByRole('link', { name: 'quiet' }).waitFor();
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  const hide = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await hide(true);
  // Of what was under way, the answer may have asked for more.
  await page.clock.runFor(60_000);
  requests = 0;
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
