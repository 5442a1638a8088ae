import test from 'ava';
import { openPage, session } from '../page/open-page.ts';
import { sampleOverview } from '../page/resources.ts';
import { list, lost, pending, problem, Reply } from '../page/server.ts';
import { sampleMonitor } from '../samples.ts';

const signedOut = { 'GET /dashboard/session': { signed_in: false } };
const navigation = (page: { document: Document }) =>
  [...page.document.querySelectorAll('nav[aria-label="Views"] a')].map(link => link.textContent?.trim());

test('a token signs in, and the dashboard opens where the address leads', async t => {
  const page = await openPage(t, '#/alerts', { answers: signedOut });
  t.is(page.document.title, 'Sign in · Upquorum');
  page.server.change({ 'POST /dashboard/session': session(['*']) });
  await page.type('API token', ' upq_1 ');
  await page.pressTwice('Sign in');
  t.deepEqual(
    page.server.sentTo('POST /dashboard/session').map(({ body }) => body),
    [{ token: 'upq_1' }],
  );
  t.is(page.heading(), 'Alerts');
});

test('a token that is refused is said to be, and can be corrected', async t => {
  const page = await openPage(t, '', { answers: signedOut });
  page.server.change({ 'POST /dashboard/session': problem(401, 'unauthorized', 'the token is not valid') });
  await page.type('API token', 'upq_0');
  await page.press('Sign in');
  t.deepEqual(page.problems(), ['The token is not valid.']);
  t.is(page.value('API token'), 'upq_0');
});

test('while the server is away at the start, nobody is told to be signed out', async t => {
  const page = await openPage(t, '#/alerts', { answers: { 'GET /dashboard/session': lost } });
  t.true(page.text().includes('Reconnecting… If you were signed in, you still are.'));
  page.server.change({ 'GET /dashboard/session': session(['*']) });
  await page.advance(3000);
  t.is(page.heading(), 'Alerts');
});

test('signing out ends the session and forgets what was typed', async t => {
  const page = await openPage(t, '#/settings', { drafts: { 'draft project': '{"name":"Typed"}' } });
  page.server.change({ 'DELETE /dashboard/session': new Reply(204, null) });
  for (const button of page.document.querySelectorAll<HTMLElement>('.project-menu button'))
    if (button.textContent === 'Sign out') button.click();
  await page.settle();
  t.true(page.text().includes('You are signed out.'));
  t.is(page.window.sessionStorage.length, 0);
});

test('a session that ended leads to the sign-in page, and what was typed is kept', async t => {
  const page = await openPage(t, '#/status-pages/sp_1?tab=settings');
  await page.type('Name', 'Acme and sons');
  page.server.change({ 'PATCH /v0/status-pages/{id}': problem(401, 'unauthorized', 'the session has ended') });
  await page.press('Save');
  t.true(page.text().includes('Your session has ended. Sign in again to continue where you left off.'));
  page.server.change({ 'POST /dashboard/session': session(['*']) });
  await page.type('API token', 'upq_1');
  await page.press('Sign in');
  t.is(page.value('Name'), 'Acme and sons');
});

test('the navigation has what the token may see, and the page without an address is its first', async t => {
  const rows = [
    [['*'], '#/overview', 10],
    [['incidents:read'], '#/incidents', 1],
    [['events:write'], '#/monitors', 0],
    [['channels:write', 'alerts:read'], '#/alerts', 2],
  ] as const;
  for (const [scopes, first, count] of rows) {
    const page = await openPage(t, '', { scopes });
    t.is(page.address(), first);
    t.is(navigation(page).length, count);
  }
});

test('an address without a view says so', async t => {
  const page = await openPage(t, '#/monitors/../etc');
  t.is(page.heading(), 'Not found');
  t.is(page.text(), 'Not found Page not found.');
});

test('the tab and the navigation count what is open, in maintenance or not', async t => {
  const overview = sampleOverview({
    monitors: { up: 1, degraded: 0, down: 1203, undetermined: 0, pending: 0, paused: 0 },
    in_maintenance: { up: 0, degraded: 0, down: 3, undetermined: 0, pending: 0, paused: 0 },
    alerts: { open: 2, acknowledged: 0, held: 1 },
    incidents: { unresolved: 0 },
  });
  const page = await openPage(t, '#/regions', { answers: { 'GET /v0/overview': overview } });
  t.deepEqual(navigation(page).slice(0, 4), ['Overview', 'Monitors1,200', 'Alerts2', 'Incidents']);
  t.is(page.document.title, '(2) Regions · Upquorum');
  const icon = () => page.document.querySelector('link[rel="icon"]')?.getAttribute('href')?.split('/').at(-1);
  t.is(icon(), 'icon-alert.svg');
  page.server.change({ 'GET /v0/overview': sampleOverview() });
  page.server.tell({ topic: 'alerts', ids: ['alr_1'] });
  await page.settle();
  t.is(page.document.title, 'Regions · Upquorum');
  t.is(icon(), 'icon.svg');
});

test('the palette finds views, commands and monitors, and the keys choose', async t => {
  const page = await openPage(t, '#/overview', { answers: { 'GET /v0/monitors': list([]) } });
  await page.key('k', { ctrlKey: true });
  t.is(page.dialog(), 'Search and commands');
  t.is(page.focused(), 'Search monitors and commands');
  const options = () => page.all('[role="option"]').map(option => option.textContent);
  await page.type('Search monitors and commands', 'stat pag');
  t.deepEqual(options(), ['Status pagesview']);
  page.server.change({ 'GET /v0/monitors': list([sampleMonitor({ id: 'mon_7', name: 'Checkout', status: 'down' })]) });
  await page.type('Search monitors and commands', 'check');
  t.deepEqual(options(), ['Checkoutmonitor · down']);
  t.is(page.server.sentTo('GET /v0/monitors').at(-1)?.query.get('q'), 'check');
  await page.key('Enter');
  t.is(page.address(), '#/monitors/mon_7');
  t.is(page.dialog(), '');
});

test('the palette moves with the arrow keys, within its list, and offers only what the token may do', async t => {
  const answers = { 'GET /v0/monitors': list([]) };
  const page = await openPage(t, '#/overview', { scopes: ['monitors:read'], answers });
  await page.key('k', { metaKey: true });
  const names = page.all('[role="option"]').map(option => option.querySelector('span')?.textContent);
  t.deepEqual(names, ['Overview', 'Monitors', 'Regions', 'Use the dark theme', 'Show local times', 'Sign out']);
  const chosen = () => page.all('[aria-selected="true"] span')[0]?.textContent;
  await page.key('ArrowUp');
  t.is(chosen(), 'Overview');
  for (let times = 0; times < 9; times++) await page.key('ArrowDown');
  t.is(chosen(), 'Sign out');
  await page.key('ArrowUp');
  await page.key('ArrowUp');
  await page.key('Enter');
  t.is(page.document.documentElement.dataset.theme, 'dark');
  t.is(page.window.localStorage.getItem('upquorum theme'), 'dark');
  await page.key('k', { ctrlKey: true });
  await page.type('Search monitors and commands', 'nothing like it');
  t.true(page.text().includes('Nothing matches.'));
});

test('keys move between rows and into the search, but not while somebody types', async t => {
  const monitors = ['a', 'b', 'c'].map(name => sampleMonitor({ id: `mon_${name}`, name }));
  const page = await openPage(t, '#/monitors', { answers: { 'GET /v0/monitors': list(monitors) } });
  await page.key('j');
  t.is(page.focused(), 'a');
  await page.key('j');
  await page.key('j');
  await page.key('j');
  t.is(page.focused(), 'c');
  await page.key('k');
  t.is(page.focused(), 'b');
  await page.key('x');
  t.true(page.isChecked('Select b'));
  await page.key('/');
  t.is(page.focused(), 'Search monitors by name, URL, region or label');
  await page.key('j');
  await page.key('?');
  t.is(page.dialog(), '');
  page.window.document.activeElement?.blur();
  await page.key('?');
  t.is(page.dialog(), 'Keyboard shortcuts');
  await page.press('Close');
  t.is(page.dialog(), '');
});

test('times are shown as this browser chose, and an unknown choice is the usual one', async t => {
  const page = await openPage(t, '#/alerts/alr_1', { stored: { 'upquorum zone': 'moon', 'upquorum theme': 'light' } });
  t.true(page.text().includes('2026-11-21 09:50:00 UTC'));
  t.is(page.document.documentElement.dataset.theme, 'light');
});

test('a request that the server puts off is repeated, and the page says how long it waits', async t => {
  const tooMany = new Reply(429, { detail: 'Too many requests' }, { 'retry-after': '10' });
  const page = await openPage(t, '#/regions', { answers: { 'GET /v0/regions': tooMany } });
  await page.advance(1000);
  t.regex(page.wholeText(), /Too many requests: continuing in \d+ s\./);
  page.server.change({ 'GET /v0/regions': list([]) });
  await page.advance(25_000);
  t.true(page.text().includes('No regions yet'));
  t.notRegex(page.wholeText(), /continuing in/);
});

test('an old answer for another view is not shown', async t => {
  const page = await openPage(t, '#/monitors/mon_1', { answers: { 'GET /v0/monitors/{id}': pending } });
  page.server.change({ 'GET /v0/monitors/{id}': sampleMonitor({ id: 'mon_2', name: 'Second' }) });
  await page.go('#/monitors/mon_2');
  t.is(page.heading(), 'Second');
  t.is(page.focused(), 'Second');
});
