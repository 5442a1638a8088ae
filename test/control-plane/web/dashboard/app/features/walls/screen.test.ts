import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { lost, pending, Reply } from '../../page/server.ts';

const since = '2026-11-21T09:50:00.000Z';
const monitor = (name: string, changes: object = {}) => ({
  ...{ name, status: 'up', verdict: 'up', since, acknowledged: false, code: null, regions: [], ...changes },
});
const shown = (changes: object = {}) => ({
  'GET /wall/data': {
    ...{ name: 'Lobby', project: 'Acme', version: 'v1', as_of: '2026-11-21T10:00:00.000Z', incidents: [] },
    ...{ counts: { up: 1 }, monitors: [monitor('Shop')], ...changes },
  },
});
const open = (t: Parameters<typeof openPage>[0], answers: object) =>
  openPage(t, '#s3cret', { path: '/wall', answers: { ...answers } });

test('a screen shows a tile for each monitor, with what is wrong with it', async t => {
  const page = await open(
    t,
    shown({
      counts: { down: 1, undetermined: 1, maintenance: 1, up: 1, paused: 4 },
      monitors: [
        monitor('Payments', { status: 'down', code: '503', regions: ['eu', 'us', 'ap'], acknowledged: true }),
        monitor('Search', { status: 'undetermined', regions: ['eu'] }),
        monitor('Upgrade', { status: 'maintenance' }),
        monitor('Shop'),
      ],
    }),
  );
  t.is(page.heading(), '1 down · 1 undetermined · 1 in maintenance · 1 up · 4 paused');
  t.deepEqual(page.items('Monitors, the worst first'), [
    'Payments Down for 10 min · acknowledged 503 · 3 regions',
    'Search Undetermined for 10 min eu',
    'Upgrade In maintenance',
    'Shop Up',
  ]);
  t.true(page.wholeText().includes('Acme · Lobby'));
});

test('its secret is sent in a header alone', async t => {
  const page = await open(t, shown());
  const [asked] = page.server.sentTo('GET /wall/data');
  t.is(asked?.query.size, 0);
  t.deepEqual(
    page.server.sent.map(({ path }) => path),
    ['/wall/data'],
    'nothing else is read, no session either',
  );
});

test('incidents stand below the tiles, and a project without monitors is not called well', async t => {
  const incidents = [{ title: 'Payments fail', impact: 'major', started_at: since }];
  const page = await open(t, shown({ incidents, counts: { paused: 2 }, monitors: [] }));
  t.is(page.heading(), 'No monitors');
  t.true(page.wholeText().includes('Payments fail · Impact: Major outage · for 10 min'));
});

test('more monitors than fit are counted in the last tile', async t => {
  const monitors = Array.from({ length: 200 }, (_, index) => monitor(`M ${index}`));
  const page = await open(t, shown({ counts: { up: 200 }, monitors }));
  const tiles = page.items('Monitors, the worst first');
  t.true(tiles.length < 200);
  t.is(tiles.at(-1), `${200 - (tiles.length - 1)} more`);
});

test('what is old is never shown as if it were current, and goes on when the server is back', async t => {
  const page = await open(t, shown());
  page.server.change({ 'GET /wall/data': lost });
  await page.advance(25_000);
  t.regex(page.problems()[0] ?? '', /^No connection for 2\d s: this was the state at \d\d:00:0\d$/);
  page.server.change(shown());
  await page.advance(31_000);
  t.deepEqual(page.problems(), []);
});

test('a link that does not work says so; a server that is away does not', async t => {
  const page = await open(t, { 'GET /wall/data': new Reply(401, {}) });
  t.deepEqual(page.lacks('This link does not work', 'Create a new link in the dashboard.'), []);
  page.server.change(shown());
  await page.advance(31_000);
  t.is(page.heading(), '1 up', 'the link was mended');
  t.is((await open(t, { 'GET /wall/data': pending })).heading(), 'Connecting…');
  t.is((await open(t, { 'GET /wall/data': lost })).heading(), 'Connecting…');
});

test('a wall is dark unless its link says otherwise', async t => {
  t.is((await open(t, shown())).document.documentElement.dataset.theme, 'dark');
  const light = await openPage(t, '?theme=light#s3cret', { path: '/wall', answers: shown() });
  t.is(light.document.documentElement.dataset.theme, 'light');
});
