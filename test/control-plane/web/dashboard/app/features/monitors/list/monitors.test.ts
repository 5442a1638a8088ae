import test from 'ava';
import { openPage } from '../../../page/open-page.ts';
import { list, lost, type Sent } from '../../../page/server.ts';
import { sampleMonitor } from '../../../samples.ts';

const summary = (p95_ms: number | null, uptime_30d: number | null) => ({
  ...{ p95_ms, uptime_30d },
  hourly_latency_ms: [80, null, null],
  hourly_error_rate: [0, 0.5, null],
});
const shop = sampleMonitor({ labels: { team: 'web' }, summary: summary(90.4, 0.99995) } as object);
const search = sampleMonitor({ id: 'mon_2', name: 'Search', status: 'down', summary: summary(400, 0.9) } as object);
const api = sampleMonitor({ id: 'mon_3', name: 'API', status: 'paused', enabled: false, votes: [] });
const three = { 'GET /v0/monitors': list([shop, search, api]) };
const label = 'Search monitors by name, URL, region or label';
const names = (page: { all(selector: string): HTMLElement[] }) =>
  page.all('[data-row] .name').map(link => link.textContent);

test('monitors stand with the most urgent first, each with its figures', async t => {
  const page = await openPage(t, '#/monitors', { answers: three });
  t.deepEqual(names(page), ['Search', 'Shop', 'API']);
  const rows = page.all('[data-row]').map(row => row.textContent ?? '');
  t.true(rows[0]?.includes('400 ms90.00%'));
  t.deepEqual(
    page.all('[data-row] svg.hours').map(bars => bars.getAttribute('aria-label')),
    [
      '3 hours: checks failed in 1 hour, 1 hour without checks',
      '3 hours: checks failed in 1 hour, 1 hour without checks',
    ],
  );
  t.true(rows[1]?.includes('team=web'));
  t.true(rows[1]?.includes('90 ms99.995%'));
  t.true(rows[2]?.includes('––no checks yet'));
  t.true(page.text().includes('3 monitors'));
});

test('each heading sorts, and the address keeps the order', async t => {
  const page = await openPage(t, '#/monitors', { answers: three });
  const orders = [
    ['Name', 'name', ['API', 'Search', 'Shop']],
    ['p95, 24 h', 'latency', ['Search', 'Shop', 'API']],
    ['30 days', 'uptime', ['Search', 'Shop', 'API']],
    ['Last check', 'checked', ['API', 'Shop', 'Search']],
  ] as const;
  for (const [heading, sort, order] of orders) {
    await page.press(heading);
    t.deepEqual(names(page), [...order], heading);
    t.is(page.address(), `#/monitors?sort=${sort}`);
  }
  await page.press('State');
  t.is(page.address(), '#/monitors');
});

test('search and status narrow the list together, from the address or by hand', async t => {
  const page = await openPage(t, '#/monitors?q=s&status=down', { answers: three });
  t.deepEqual(names(page), ['Search']);
  t.is(page.value(label), 's');
  await page.press('1 down');
  t.deepEqual(names(page), ['Search', 'Shop', 'API']);
  await page.type(label, 'team=web shop');
  t.deepEqual(names(page), ['Shop']);
  t.is(page.address(), '#/monitors?q=team%3Dweb+shop');
  await page.type(label, 'nothing like it');
  t.true(page.text().includes('No monitors match.'));
  t.is(page.server.sent.filter(({ query }) => query.has('q')).length, 0, 'the whole list is here');
});

test('a kind narrows the list where monitors are of several', async t => {
  const ping = sampleMonitor({ id: 'mon_ping', name: 'Router', kind: 'ping', url: 'ping://router.example' });
  const page = await openPage(t, '#/monitors?kind=ping', {
    answers: { 'GET /v0/monitors': list([shop, search, api, ping]) },
  });
  t.deepEqual(names(page), ['Router']);
  await page.choose('Filter by kind', 'HTTP');
  t.deepEqual(names(page), ['Search', 'Shop', 'API']);
  await page.press('Save filter');
  t.true(page.buttons().includes('HTTP'));
  const plain = await openPage(t, '#/monitors', { answers: three });
  t.deepEqual(plain.all('[aria-label="Filter by kind"]'), []);
});
test('a filter is saved in this browser, used again and forgotten', async t => {
  const page = await openPage(t, '#/monitors', { answers: three });
  await page.type(label, 'search');
  await page.press('1 down');
  await page.press('Save filter');
  t.false(page.buttons().includes('Save filter'));
  const saved = Object.fromEntries(Object.entries(page.window.localStorage));
  const again = await openPage(t, '#/monitors', { answers: three, stored: saved });
  await again.press('search, Down');
  t.deepEqual(names(again), ['Search']);
  t.is(again.address(), '#/monitors?q=search&status=down');
  await again.press('search, Down');
  t.is(names(again).length, 3);
  await again.press('Delete the saved filter search, Down');
  t.false(again.buttons().includes('search, Down'));
});

test('of thousands of monitors few rows exist, and all of them can be selected', async t => {
  const many = Array.from({ length: 2500 }, (_, index) => sampleMonitor({ id: `mon_${index}`, name: `M ${index}` }));
  const answer = ({ query }: Sent) => {
    const start = Number(query.get('cursor') ?? 0);
    const limit = Number(query.get('limit'));
    return list(many.slice(start, start + limit), start + limit < many.length ? String(start + limit) : null);
  };
  const page = await openPage(t, '#/monitors', { answers: { 'GET /v0/monitors': answer } });
  t.true(names(page).length <= 60);
  t.true(page.text().includes('2,500 monitors'));
  await page.check('Select all monitors in this list');
  t.true(page.text().includes('2,500 monitors selected'));
  await page.press('Clear selection');
  t.false(page.text().includes('selected'));
});

test('an action on several says first what it changes, and which of them failed', async t => {
  const page = await openPage(t, '#/monitors', { answers: three });
  const item = (id: string, name: string, outcome: string) => ({ id, name, outcome });
  page.server.change({
    'POST /v0/monitors/bulk': ({ body }: Sent) => ({
      items: (body as { dry_run: boolean }).dry_run
        ? [item('mon_1', 'Shop', 'changed'), item('mon_2', 'Search', 'changed'), item('mon_3', 'API', 'unchanged')]
        : [item('mon_1', 'Shop', 'changed'), item('mon_2', 'Search', 'failed')],
    }),
  });
  for (const name of ['Shop', 'Search', 'API']) await page.check(`Select ${name}`);
  await page.press('Pause…');
  t.is(page.dialog(), 'Pause 2 monitors?');
  t.true(page.text().includes('Shop Search'));
  t.true(page.text().includes('1 selected monitor would not change.'));
  await page.press('Pause');
  t.deepEqual(page.problems(), ['1 monitor failed: Search']);
  const ids = ['mon_1', 'mon_2', 'mon_3'];
  t.deepEqual(
    page.server.sentTo('POST /v0/monitors/bulk').map(({ body, key }) => [body, key !== null]),
    [
      [{ action: 'pause', ids, dry_run: true }, false],
      [{ action: 'pause', ids, dry_run: false }, true],
    ],
  );
  await page.press('Cancel');
  t.is(page.dialog(), '');
});

test('a bulk action that cannot be tried offers nothing to confirm', async t => {
  const page = await openPage(t, '#/monitors', { answers: { ...three, 'POST /v0/monitors/bulk': lost } });
  await page.check('Select Shop');
  await page.press('Delete…');
  t.is(page.dialog(), 'Delete 1 monitor?');
  t.true(page.text().includes('Their history stays readable for 30 days.'));
  t.deepEqual(page.buttons(), ['Cancel']);
});

test('what changes while the list is open is shown and announced, reading only what changed', async t => {
  const page = await openPage(t, '#/monitors', { answers: three });
  const down = { ...shop, status: 'down' as const };
  page.server.change({
    'GET /v0/monitors': ({ query }: Sent) => list(query.get('selector') === null ? [shop, search, api] : [down]),
  });
  page.server.tell({ topic: 'monitors', ids: ['mon_1'] });
  await page.settle();
  t.is(page.server.sentTo('GET /v0/monitors').at(-1)?.query.get('selector'), '@id in (mon_1)');
  t.true(page.wholeText().includes('Shop is down'));
  t.true(page.buttons().includes('2 down'));
});

test('a row says at most three labels, and that it is in maintenance', async t => {
  const labels = { a: '1', b: '2', c: '3', d: '4', e: '5' };
  const maintenance = { id: 'mnt_1', occurrence_id: 'occ_1', ends_at: '2026-11-21T11:00:00.000Z' };
  const monitor = sampleMonitor({ status: 'down', labels, maintenance } as object);
  const page = await openPage(t, '#/monitors', { answers: { 'GET /v0/monitors': list([monitor]) } });
  const [row] = page.all('[data-row]').map(each => each.textContent);
  t.true(row?.includes('a=1b=2c=3+2'));
  t.true(row?.includes('DownIn maintenance'));
  await page.press('Compact');
  t.is(page.document.documentElement.dataset.density, 'compact');
});
