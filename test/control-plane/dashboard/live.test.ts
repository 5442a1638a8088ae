import test from 'ava';
import { useBrowser } from '#test/support/browser.ts';
import { apiOf, startReplica, until } from '#test/support/control-plane.ts';
import { showView, signIn } from '#test/support/dashboard.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);
const openPage = useBrowser(test);

test.serial('a refresh leaves focus, typed text, scroll position and an open dialog alone', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await Promise.all(Array.from({ length: 30 }, (_, place) => world.post({ name: `monitor ${place}` })));
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

test.serial('a long list is read to its end, searched as a whole, and shown in pages', async t => {
  const world = await openMonitorWorld(t, databaseOf(), 1);
  for (let place = 0; place < 210; place += 30)
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        world.post({ name: `row-${String(place + index).padStart(3, '0')}`, regions: world.regions }),
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
  await page.getByText('No monitor fits.').waitFor();
});

test.serial('old data is marked as old when the connection is lost, and is current again when it is back', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'before' });
  const { page, context } = await openPage(t, world.url);
  await signIn(page, world.token);
  await page.getByRole('link', { name: 'before' }).waitFor();
  await context.setOffline(true);
  await page.getByText(/Connection lost, showing data as of \d\d:\d\d:\d\d/).waitFor();
  t.true(await page.getByRole('link', { name: 'before' }).isVisible());
  await page.getByRole('button', { name: 'Pause before' }).click();
  await page.getByText('The server cannot be reached.').waitFor();
  await world.post({ name: 'meanwhile' });
  await context.setOffline(false);
  await page.getByRole('link', { name: 'meanwhile' }).waitFor();
  await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
});

test.serial('when the token is revoked the sign-in page comes, and leads back to the same view', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'still here' })).body;
  const second = (await world.api('POST', '/v0/tokens', { name: 'short', scopes: ['*'] })).body;
  const { page } = await openPage(t, `${world.url}/#/monitors/${id}`);
  await signIn(page, second.token);
  await page.getByRole('heading', { name: 'still here' }).waitFor();
  await world.api('DELETE', `/v0/tokens/${second.id}`);
  await page.getByText('Your sign-in has ended.').waitFor();
  await page.getByLabel('API token').fill('upq_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The token is not one of ours').waitFor();
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

test.serial('a token that may only look is offered nothing else, and is told what it may not see', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'watched' });
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'looks', scopes: ['monitors:read'] })).body;
  const { page } = await openPage(t, world.url);
  await signIn(page, token);
  await page.getByRole('link', { name: 'watched' }).waitFor();
  await page.getByText('read only').waitFor();
  t.is(await page.getByRole('button', { name: /Pause|New monitor/ }).count(), 0);
  await page.evaluate('location.hash = "#/alerts"');
  await page.getByText('Your token may not see this. This endpoint needs the scope alerts:read.').waitFor();
  t.is((await apiOf(world.url, token)('GET', '/v0/alerts')).status, 403);
});

test.serial(
  'the first monitor is made in the dashboard, and what is wrong in the form is told at its field',
  async t => {
    const world = await openMonitorWorld(t, databaseOf());
    const { page, faults } = await openPage(t, world.url);
    await signIn(page, world.token);
    await page.getByRole('heading', { name: 'No monitors yet' }).waitFor();
    await page.getByRole('button', { name: 'New monitor' }).click();
    await page.getByLabel('Name', { exact: true }).fill('first');
    await page.getByLabel('Address').fill('ftp://example.com');
    await page.getByLabel('Seconds between checks').fill('3');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Must be an http or https URL.').waitFor();
    await page.getByText('Must be at least 10.').waitFor();
    await page.getByLabel('Address').fill('https://example.com/');
    await page.getByLabel('Seconds between checks').fill('60');
    await page.getByRole('button', { name: 'Create' }).dblclick();
    await page.getByRole('heading', { name: 'first', level: 1 }).waitFor();
    const made = (await world.api('GET', '/v0/monitors')).body.data;
    t.is(made.length, 1);
    t.deepEqual([...made[0].regions].sort(), [...world.regions].sort());
    await showView(page, '#/monitors');
    await page.getByText('no data', { exact: true }).waitFor();
    t.deepEqual(faults, []);
  },
);

test.serial('a tight rate limit makes the dashboard slower, not wrong', async t => {
  const replica = await startReplica(databaseOf(), { rateLimitPerMinute: 300, rateLimitBurst: 10 });
  t.teardown(() => replica.stop());
  const world = await openMonitorWorld(t, databaseOf());
  for (let place = 0; place < 20; place++) await world.post({ name: `monitor ${place}` });
  const { page } = await openPage(t, replica.url);
  await signIn(page, world.token);
  const refused: string[] = [];
  page.on('response', response => response.status() === 429 && refused.push(response.url()));
  await until(
    () => page.locator('svg.bars').count(),
    count => count === 20,
  );
  t.true(refused.length > 0);
  t.is(await page.getByText('Connection lost').count(), 0);
});

test.serial('what one operator types is not overwritten by what another saves', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id: status_page_id } = (await world.api('POST', '/v0/status-pages', { name: 'Acme' })).body;
  const { id } = (await world.api('POST', '/v0/incidents', { status_page_id, title: 'Slow', severity: 'p3' })).body;
  const { page } = await openPage(t, `${world.url}/#/incidents/${id}`);
  await signIn(page, world.token);
  await page.getByText('Title, impact and components').click();
  await page.getByLabel('Title', { exact: true }).fill('Slow in Asia');
  await page.getByText('Post-mortem').click();
  await page.getByLabel('What to tell').fill('half written');
  await world.api('PATCH', `/v0/incidents/${id}`, { title: 'Slow everywhere', impact: 'major' });
  await page.getByRole('heading', { name: 'Slow everywhere' }).waitFor();
  t.is(await page.getByLabel('Title', { exact: true }).inputValue(), 'Slow in Asia');
  t.is(await page.getByLabel('What to tell').inputValue(), 'half written');
  t.is(await page.getByLabel('Impact', { exact: true }).inputValue(), 'major');
  await page.getByLabel('Text', { exact: true }).fill('What we changed.');
  await page.getByRole('form', { name: 'Post-mortem' }).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Post-mortem attached').waitFor();
  t.is((await world.api('GET', `/v0/incidents/${id}`)).body.postmortem_body, 'What we changed.');
});

test.serial('a page that is not looked at asks nothing, and asks at once when it is', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await world.post({ name: 'quiet' });
  const { page } = await openPage(t, world.url);
  await page.clock.install();
  await signIn(page, world.token);
  await page.locator('svg.bars').waitFor();
  let asked = 0;
  page.on('request', () => {
    asked += 1;
  });
  const hide = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await hide(true);
  await page.clock.runFor(120_000);
  t.is(asked, 0);
  const request = page.waitForRequest(/\/v0\/monitors/);
  await hide(false);
  await request;
  t.true(asked > 0);
});

test.serial('what is deleted meanwhile is said to be gone, not shown as current', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { id } = (await world.post({ name: 'short-lived' })).body;
  const { page } = await openPage(t, `${world.url}/#/monitors/${id}`);
  await signIn(page, world.token);
  await page.getByRole('heading', { name: 'short-lived' }).waitFor();
  await world.api('DELETE', `/v0/monitors/${id}`);
  await page.getByText('This does not exist any more, showing data as of').waitFor();
  await page.reload();
  await page.getByText('This does not exist, or it was deleted.').waitFor();
  t.is(await page.getByRole('heading', { name: 'short-lived' }).count(), 0);
});
