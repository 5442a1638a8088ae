import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { sampleEntry, sampleNotice, sampleOverview, samplePlanned, sampleRegion } from '../../page/resources.ts';
import { list, lost, type Sent } from '../../page/server.ts';
import { sampleAlert, sampleIncident, sampleMonitor } from '../../samples.ts';

const none = { up: 0, degraded: 0, down: 0, undetermined: 0, pending: 0, paused: 0 };
const of = (changes: object) => ({ 'GET /v0/overview': { ...sampleOverview(), ...changes } });

test('one sentence says how everything is, and never well where something is not', async t => {
  const rows: readonly (readonly [changes: object, sentence: string])[] = [
    [{ monitors: { ...none, up: 1203 } }, 'All 1203 monitors are up'],
    [{ monitors: { ...none, up: 5, down: 1, degraded: 2 } }, '1 monitor is down'],
    [{ monitors: { ...none, up: 5, degraded: 2 } }, '2 monitors are degraded'],
    [{ monitors: { ...none, up: 5, undetermined: 1, degraded: 1 } }, '1 monitor is undetermined'],
    [{ monitors: { ...none, pending: 2 } }, 'No monitor has a result yet'],
    [{ monitors: none }, 'No monitor has a result yet'],
    [{ monitors: { ...none, up: 2, down: 1 }, in_maintenance: { ...none, down: 1 } }, 'All 2 monitors outside'],
    [{ monitors: { ...none, down: 1 }, in_maintenance: { ...none, down: 1 } }, 'Nothing to report outside maintenance'],
  ];
  const page = await openPage(t, '#/overview');
  for (const [changes, sentence] of rows) {
    page.server.change(of(changes));
    await page.comeOnline();
    t.deepEqual(page.lacks(sentence), []);
  }
});

test('what else is wrong stands below the sentence', async t => {
  const silent = { code: 'us', name: 'America', agents_online: 0, agents_total: 2, capabilities: [] };
  const empty = { code: 'ap', name: 'Asia', agents_online: 0, agents_total: 0, capabilities: [] };
  const page = await openPage(t, '#/overview', {
    answers: of({
      ...{ alerts: { open: 12, acknowledged: 1, held: 2 }, deliveries: { failed: 3, held: 1 } },
      ...{ in_maintenance: { ...none, up: 1 }, regions: [silent, empty] },
    }),
  });
  t.deepEqual(
    page.lacks(
      '1 monitor in maintenance · 2 alerts held · No agent online in us, ap · 3 deliveries failed in 24 h',
      ...['1 delivery held · 1 alert acknowledged', 'America 0 of 2 agents online', 'Asia no agents'],
      ...['All 12 open alerts', '2 alerts held during maintenance'],
    ),
    [],
  );
  page.server.change(of({ regions: [] }));
  await page.comeOnline();
  t.deepEqual(page.lacks('There are no regions yet.'), []);
});

test('what is worst stands first, and more than fits is counted', async t => {
  const monitors = Array.from({ length: 10 }, (_, index) =>
    sampleMonitor({ id: `mon_${index}`, name: `M ${index}`, status: index === 9 ? 'down' : 'degraded' }),
  );
  const maintenance = { id: 'mnt_1', occurrence_id: 'occ_1', ends_at: '2026-11-21T11:00:00.000Z' };
  const planned = sampleMonitor({ id: 'mon_p', name: 'Planned', status: 'down', maintenance } as object);
  const alerts = [sampleAlert({ id: 'a', title: 'Slow', severity: 'p3' }), sampleAlert({ id: 'b', title: 'Gone' })];
  const page = await openPage(t, '#/overview', {
    answers: { 'GET /v0/monitors': list([planned, ...monitors]), 'GET /v0/alerts': list(alerts) },
  });
  const names = page.all('[data-row] .name').map(link => link.textContent);
  t.deepEqual(names.slice(1, 3), ['Gone', 'Slow']);
  t.is(names[3], 'M 9');
  t.false(names.includes('Planned'), 'it is the last of eleven');
  t.deepEqual(page.lacks('3 more monitors'), []);
});

test('each part says when there is nothing', async t => {
  const nothing = ['alerts', 'monitors', 'incidents', 'notices', 'maintenance-occurrences', 'audit'];
  const page = await openPage(t, '#/overview', {
    answers: Object.fromEntries(nothing.map(name => [`GET /v0/${name}`, list([])])),
  });
  t.deepEqual(
    page.lacks(
      ...['Open alerts None. Nothing needs your attention.', 'Monitors at a glance', 'Last changes None yet.'],
      ...['Unresolved incidents None.', 'Maintenance in the next 7 days None planned.'],
    ),
    [],
  );
  t.is(page.all('[aria-label="Open notices"]').length, 0);
});

test('a token sees the parts that it may read, and nothing is asked for the others', async t => {
  const answers = of({ alerts: null, incidents: null, deliveries: null });
  const page = await openPage(t, '#/overview', { answers, scopes: ['monitors:read'] });
  t.deepEqual(page.headings(), ['Overview', 'Monitors with problems']);
  t.deepEqual([...new Set(page.server.sent.map(({ path }) => path))].sort(), [
    '/dashboard/session',
    '/v0/monitors',
    '/v0/overview',
  ]);
});

test('a part that cannot be read says so alone, and tries again', async t => {
  const page = await openPage(t, '#/overview', { answers: { 'GET /v0/audit': lost } });
  t.is(page.problems().length, 1);
  t.deepEqual(page.lacks('The monitor is up'), []);
  page.server.change({ 'GET /v0/audit': list([sampleEntry({ action: 'monitor.deleted', name: 'Old' })]) });
  await page.press('Try again');
  t.deepEqual(page.problems(), []);
  t.deepEqual(page.lacks('Monitor deleted: Old'), []);
  t.false(
    page.links().some(([name]) => name === 'Old'),
    'what is gone has no page',
  );
});

test('maintenance of the week names what lasts and what comes', async t => {
  const lasting = samplePlanned({
    id: 'a',
    title: 'Now',
    state: 'in_progress',
    starts_at: '2026-11-21T09:00:00.000Z',
    ends_at: '2026-11-21T11:00:00.000Z',
  });
  const others = ['b', 'c', 'd', 'e', 'f'].map(id => samplePlanned({ id, title: id }));
  const page = await openPage(t, '#/overview', {
    answers: {
      'GET /v0/maintenance-occurrences': list([
        ...others,
        lasting,
        samplePlanned({ id: 'x', state: 'cancelled', title: 'Not at all' }),
      ]),
    },
  });
  t.deepEqual(page.lacks('In progress Now ends in 59 min', 'All maintenance of the week'), []);
  t.false(page.text().includes('Not at all'));
});

test('three open notices are shown, and a link leads to the others', async t => {
  const notices = ['a', 'b', 'c', 'd'].map(id => sampleNotice({ id, title: `Notice ${id}` }));
  const page = await openPage(t, '#/overview', { answers: { 'GET /v0/notices': list(notices) } });
  t.is(page.all('[aria-label="Open notices"] li').length, 3);
  t.true(page.links().some(([name, href]) => name === 'All open notices' && href === '#/alerts/notices?state=open'));
});

test('notices are filtered by the address, and one of a channel leads there', async t => {
  const channel = sampleNotice({
    ...{ kind: 'channel.failing', subject: { type: 'channel', id: 'chn_1', name: 'On call' }, title: 'On call fails' },
    ...{ state: 'closed', closed_at: '2026-11-21T09:57:00.000Z', late_results: true },
  });
  const page = await openPage(t, '#/alerts/notices?state=open&kind=nonsense', {
    answers: { 'GET /v0/notices': list([channel], 'next') },
  });
  t.deepEqual(Object.fromEntries(page.server.sentTo('GET /v0/notices')[0]?.query ?? []), {
    limit: '100',
    state: 'open',
  });
  t.deepEqual(
    page.lacks(
      'Closed Failing channel',
      'lasted 2 min',
      'Checks of this time arrived later.',
      'Showing the newest 100.',
    ),
    [],
  );
  t.true(page.links().some(([name, href]) => name === 'On call fails' && href === '#/channels/chn_1'));
  page.server.change({ 'GET /v0/notices': list([]) });
  await page.choose('Kind', 'silent agent');
  t.is(page.address(), '#/alerts/notices?state=open&kind=agent.silent');
  t.deepEqual(page.lacks('No notices match.'), []);
});

test('an incident that opens shows up at once', async t => {
  const page = await openPage(t, '#/overview', { answers: { 'GET /v0/incidents': list([]) } });
  page.server.change({
    'GET /v0/incidents': list([sampleIncident({ title: 'Payments fail' })]),
    'GET /v0/regions': list([sampleRegion()]),
  });
  page.server.tell({ topic: 'incidents', ids: null });
  await page.settle();
  t.deepEqual(page.lacks('Payments fail'), []);
});

test('where no monitor has a problem, uptime and latency are seen at a glance', async t => {
  const summary = { p95_ms: 90.4, uptime_30d: 0.9995, hourly_latency_ms: [90, 95], hourly_error_rate: [0, 0.2] };
  const shop = sampleMonitor({ summary });
  const page = await openPage(t, '#/overview', {
    answers: { 'GET /v0/monitors': (sent: Sent) => list(sent.query.has('include') ? [shop] : []) },
  });
  t.deepEqual(page.lacks('Monitors at a glance', 'Average uptime, 30 days 99.950%', 'Median p95, 24 h 90 ms'), []);
  t.deepEqual(page.lacks('Shop 2 hours: checks failed in 1 hour 90 ms 99.950%'), []);
  page.server.change({ 'GET /v0/monitors': list([sampleMonitor({ status: 'down' })]) });
  await page.comeOnline();
  t.deepEqual(page.lacks('Monitors with problems'), []);
  t.is(page.text().includes('Monitors at a glance'), false);
});
