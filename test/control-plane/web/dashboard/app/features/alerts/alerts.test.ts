import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { samplePromotion } from '../../page/resources.ts';
import { list, problem, type Sent } from '../../page/server.ts';
import { sampleExplanation } from '../../page/world.ts';
import { sampleAlert, sampleGroup } from '../../samples.ts';

const two = [
  sampleAlert({ group_id: 'agp_1' }),
  sampleAlert({ id: 'alr_2', title: 'Search is down', group_id: 'agp_1' }),
];
const resolved = sampleAlert({
  id: 'alr_9',
  title: 'Old outage',
  state: 'resolved',
  resolved_at: '2026-11-21T09:58:00.000Z',
});
/** The list by the states that are asked for. */
const alerts = (unresolved: readonly object[], over: readonly object[] = [], cursor: string | null = null) => ({
  'GET /v0/alerts': ({ query }: Sent) =>
    query.get('state') === 'resolved'
      ? list(query.has('cursor') ? [resolved] : over, query.has('cursor') ? null : cursor)
      : list(unresolved),
});

test('alerts with one cause stand together and are acknowledged together', async t => {
  const page = await openPage(t, '#/alerts', {
    answers: { ...alerts(two), 'GET /v0/alert-groups/{id}': sampleGroup() },
  });
  t.deepEqual(
    page.lacks('2 open alerts', 'Same address 203.0.113.7: the connection was refused', '2 alerts, 2 open'),
    [],
  );
  page.server.change({ 'POST /v0/alert-groups/{id}/acknowledge': sampleGroup({ state: 'acknowledged' }) });
  await page.pressTwice('Acknowledge these 2');
  t.is(page.server.sentTo('POST /v0/alert-groups/{id}/acknowledge').length, 1);
  t.true(page.wholeText().includes('Same address 203.0.113.7: the connection was refused: acknowledged'));
});

test('all open alerts are acknowledged at once, but not those that are held', async t => {
  const held = sampleAlert({ id: 'alr_3', held: true, held_since: '2026-11-21T09:50:10.000Z' });
  const open = [sampleAlert(), sampleAlert({ id: 'alr_2' }), held];
  const page = await openPage(t, '#/alerts', { answers: alerts(open) });
  t.deepEqual(page.lacks('2 open alerts, 1 held during maintenance', 'In maintenance: nobody was notified'), []);
  page.server.change({ 'POST /v0/alerts/{id}/acknowledge': sampleAlert({ state: 'acknowledged' }) });
  await page.press('Acknowledge all 2');
  t.deepEqual(
    page.server.sentTo('POST /v0/alerts/{id}/acknowledge').map(({ path }) => path),
    ['/v0/alerts/alr_1/acknowledge', '/v0/alerts/alr_2/acknowledge'],
  );
});

test('chosen alerts are acknowledged, and the selection is cleared', async t => {
  const open = [sampleAlert(), sampleAlert({ id: 'alr_2', title: 'Search is down' })];
  const page = await openPage(t, '#/alerts', { answers: alerts(open) });
  await page.check('Select Search is down');
  t.deepEqual(page.lacks('1 alert selected'), []);
  page.server.change({ 'POST /v0/alerts/{id}/acknowledge': problem(409, 'resolved', 'it is resolved already') });
  await page.press('Acknowledge them');
  t.true(page.problems()[0]?.startsWith('It is resolved already.'));
  page.server.change({ 'POST /v0/alerts/{id}/acknowledge': sampleAlert({ id: 'alr_2', state: 'acknowledged' }) });
  await page.press('Acknowledge them');
  t.false(page.text().includes('selected'));
  await page.check('Select Shop is down');
  await page.press('Clear selection');
  t.false(page.text().includes('selected'));
});

test('filters stand in the address and narrow both lists', async t => {
  const page = await openPage(t, '#/alerts?severity=p1', { answers: alerts([sampleAlert()]) });
  await page.choose('Kind', 'Certificate');
  t.is(page.address(), '#/alerts?severity=p1&kind=certificate');
  const asked = page.server.sentTo('GET /v0/alerts').slice(-2);
  t.deepEqual(
    asked.map(({ query }) => [query.get('severity'), query.get('kind')]),
    [
      ['p1', 'certificate'],
      ['p1', 'certificate'],
    ],
  );
  await page.choose('Severity', 'all');
  t.is(page.address(), '#/alerts?kind=certificate');
});

test('older alerts are added below, and a page that cannot be read says so', async t => {
  const page = await openPage(t, '#/alerts', {
    answers: alerts([], [sampleAlert({ ...resolved, id: 'alr_8' })], 'next'),
  });
  t.deepEqual(page.lacks('No open alerts', 'Resolved', 'Started 10 min ago, lasted 8 min'), []);
  await page.press('Show older');
  t.is(page.all('[data-row]').length, 2);
  t.false(page.buttons().includes('Show older'));
});

test('an alert that opens while the list is shown is announced', async t => {
  const page = await openPage(t, '#/alerts', { answers: alerts([sampleAlert()]) });
  page.server.change(alerts([sampleAlert(), sampleAlert({ id: 'alr_2', title: 'Search is down' })]));
  page.server.tell({ topic: 'alerts', ids: ['alr_2'] });
  await page.settle();
  t.true(page.wholeText().includes('New alert: Search is down'));
});

test('an alert is published as it is previewed, by another severity if that is chosen', async t => {
  const page = await openPage(t, '#/alerts', { answers: alerts([sampleAlert()]) });
  await page.press('Create incident from Shop is down');
  t.is(page.dialog(), 'Publish as incident');
  t.deepEqual(page.lacks('Affected components: Payments.', 'Only this will be published'), []);
  await page.choose('Severity', 'P3 – minor issue');
  t.is(page.server.sentTo('GET /v0/alerts/{id}/promotion').at(-1)?.query.get('severity'), 'p3');
  page.server.change({
    'POST /v0/alerts/{id}/promote': problem(409, 'alert_already_promoted', 'it is published', { incident_id: 'inc_7' }),
  });
  await page.press('Publish');
  t.is(page.address(), '#/incidents/inc_7', 'another operator was first');
});

test('without a status page nothing can be published', async t => {
  const none = samplePromotion({ status_page_id: null, status_pages: [], components: [] });
  const page = await openPage(t, '#/alerts/alr_1', {
    answers: { 'GET /v0/alerts/{id}/promotion': none, 'GET /v0/status-pages': list([]) },
  });
  await page.press('Create incident from Shop is down');
  t.deepEqual(page.lacks('There are no status pages yet. Create one first.', 'Affected components: none.'), []);
  await page.press('Publish');
  t.deepEqual(page.server.sentTo('POST /v0/alerts/{id}/promote'), []);
});

test('an alert says its state, and what became of it', async t => {
  const by = { type: 'token', id: 'tok_2', name: 'Ada' };
  const rows: readonly (readonly [changes: object, texts: readonly string[]])[] = [
    [
      { state: 'acknowledged', acknowledged_by: by, acknowledged_at: '2026-11-21T09:55:00.000Z' },
      ['Acknowledged by Ada'],
    ],
    [{ superseded_by: 'alr_2', kind: 'degraded' }, ['Replaced by the alert that it is down', 'Warning or failing']],
    [{ held: true, held_since: '2026-11-21T09:50:10.000Z' }, ['Held', 'In maintenance: nobody was notified.']],
    [{ flapping_since: '2026-11-21T09:52:00.000Z' }, ['Flapping 2026-11-21 09:52:00 UTC, 8 min ago']],
    [{ state: 'resolved', resolved_at: '2026-11-21T09:58:00.000Z' }, ['Resolved 2026-11-21 09:58:00 UTC']],
    [{ reason: { ...sampleAlert().reason, expected: 'a', actual: null } }, ['Expected a Actual nothing']],
    [{ incident_id: 'inc_1' }, ['Incident']],
  ];
  const page = await openPage(t, '#/alerts/alr_1');
  for (const [changes, texts] of rows) {
    page.server.change({ 'GET /v0/alerts/{id}': { ...sampleAlert(), ...changes } });
    await page.comeOnline();
    t.deepEqual(page.lacks(...texts), []);
  }
});

test('an alert names those before it and those with it', async t => {
  const page = await openPage(t, '#/alerts/alr_1', {
    answers: {
      'GET /v0/alerts/{id}': two[0],
      'GET /v0/alert-groups/{id}': sampleGroup({ alert_ids: ['alr_1', 'alr_2', 'alr_3'] }),
      'GET /v0/alerts': ({ query }: Sent) => list(query.has('group_id') ? two : [two[0], resolved]),
    },
  });
  t.deepEqual(page.lacks('Related failures', 'Search is down', 'and more: 3 in all'), []);
  t.true(page.links().some(([, href]) => href === '#/alerts/alr_9'));
});

test('an explanation that is gone leaves the alert readable', async t => {
  const page = await openPage(t, '#/alerts/alr_1', {
    answers: { 'GET /v0/alerts/{id}/explanation': problem(404, 'not_found', 'no longer kept') },
  });
  t.false(page.headings().includes('Why it opened'));
  t.deepEqual(page.problems(), []);
  page.server.change({ 'GET /v0/alerts/{id}/explanation': { ...sampleExplanation, votes: [], missing: [] } });
  await page.go('#/alerts');
  await page.go('#/alerts/alr_1');
  t.deepEqual(page.lacks('Why it opened', 'The quorum was reached'), []);
  t.false(page.text().includes('No longer known'));
});
