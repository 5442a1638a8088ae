import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { sampleImpact, samplePage } from '../../page/resources.ts';
import { list, type Sent } from '../../page/server.ts';
import { sampleComponent, sampleIncident, sampleMonitor } from '../../samples.ts';

const update = (changes: object = {}) => ({
  ...{ id: 'upd_1', state: 'investigating', body: 'We **look** into it.', edited_at: null },
  ...{ posted_at: '2026-11-21T09:10:00.000Z', ...changes },
});
const affected = sampleIncident({ affected_components: ['cmp_1'], alert_id: 'alr_1' });
const of = (incident: object) => ({ 'GET /v0/incidents/{id}': incident });

test('incidents are filtered by the address, and older ones are added', async t => {
  const page = await openPage(t, '#/incidents?severity=p1', {
    answers: {
      'GET /v0/incidents': ({ query }: Sent) =>
        query.has('cursor')
          ? list([sampleIncident({ id: 'inc_0', title: 'First' })])
          : list([sampleIncident()], 'next'),
    },
  });
  await page.choose('State', 'unresolved');
  const asked = page.server.sentTo('GET /v0/incidents').at(-1)?.query;
  t.deepEqual([asked?.get('state'), asked?.get('severity')], ['investigating,identified,monitoring', 'p1']);
  await page.press('Show older');
  t.deepEqual(page.lacks('Shop is down', 'First'), []);
  page.server.change({ 'GET /v0/incidents': list([]) });
  await page.choose('Severity', 'P3');
  t.deepEqual(page.lacks('No incidents match.'), []);
});

test('components follow the page that is chosen for a new incident', async t => {
  const pages = [samplePage(), samplePage({ id: 'sp_2', name: 'Internal' })];
  const components = [sampleComponent(), sampleComponent({ id: 'cmp_2', name: 'Intranet', status_page_id: 'sp_2' })];
  const page = await openPage(t, '#/incidents/new', {
    answers: { 'GET /v0/status-pages': list(pages), 'GET /v0/components': list(components) },
  });
  t.true(page.fields().includes('Payments'));
  await page.choose('Status page', 'Internal');
  t.true(page.fields().includes('Intranet'));
  t.false(page.fields().includes('Payments'));
  await page.type('Title', 'Slow');
  page.server.change({ 'POST /v0/incidents': sampleIncident({ id: 'inc_2' }) });
  await page.press('Publish');
  const body = Object(page.server.sentTo('POST /v0/incidents')[0]?.body);
  t.is(body.status_page_id, 'sp_2');
  t.false('initial_update' in body, 'without a text nobody is notified');
});

test('an update is previewed as the page shows it', async t => {
  const page = await openPage(t, '#/incidents/new');
  await page.type('First update', 'It **hurts**: <script>alert(1)</script> [x](javascript:alert(1))');
  const [preview] = page.all('[aria-label="Preview"]');
  t.is(preview?.querySelector('strong')?.textContent, 'hurts');
  t.is(preview?.querySelectorAll('script, a').length, 0);
});

test('a template brings its text and state, below what was typed', async t => {
  const page = await openPage(t, '#/incidents/inc_1', { answers: of(affected) });
  await page.type('Message', 'Hello.');
  await page.choose('Template', 'Fix deployed');
  t.is(page.value('Message'), 'Hello.\n\nWe have deployed a fix for Payments and are monitoring the recovery.');
  t.is(page.value('State'), 'monitoring');
  t.is(page.value('Template'), '');
});

test('whoever resolves an incident is told what is still down', async t => {
  const page = await openPage(t, '#/incidents/inc_1', {
    answers: {
      ...of(affected),
      'GET /v0/components': list([sampleComponent({ monitor_ids: ['mon_2'] })]),
      'GET /v0/monitors': list([
        sampleMonitor(),
        sampleMonitor({ id: 'mon_2', name: 'Search' }),
        sampleMonitor({ id: 'mon_3' }),
      ]),
    },
  });
  t.false(page.text().includes('Still down'));
  await page.choose('State', 'Resolved');
  t.deepEqual(page.lacks('Still down: Shop, Search. Subscribers will be notified that the incident is over.'), []);
  await page.press('Resolve…');
  t.deepEqual(page.lacks('Still down: Shop, Search.'), []);
  t.is(page.value('Last update'), 'The problem with Payments is resolved. We apologize for the disruption.');
  await page.press('Cancel');
  page.server.change({ 'POST /v0/incidents/{id}/resolve': { ...affected, state: 'resolved' } });
  await page.type('Message', 'All well.');
  await page.press('Publish update');
  t.deepEqual(page.server.sentTo('POST /v0/incidents/{id}/resolve')[0]?.body, { body: 'All well.' });
  t.is(page.value('Message'), '', 'the next update starts empty');
});

test('updates stand newest first, and one is corrected', async t => {
  const updates = [
    update(),
    update({ id: 'upd_2', state: 'identified', body: 'Found.', edited_at: '2026-11-21T09:30:00.000Z' }),
  ];
  const incident = sampleIncident({ updates: updates as never });
  const page = await openPage(t, '#/incidents/inc_1', { answers: of(incident) });
  t.deepEqual(
    page.all('.updates li').map(item => item.querySelector('.markdown')?.textContent),
    ['Found.', 'We look into it.'],
  );
  t.deepEqual(page.lacks('Identified 50 min ago edited 30 min ago'), []);
  await page.press('Edit', 1);
  t.is(page.value('Corrected text'), 'We **look** into it.');
  await page.type('Corrected text', 'We looked.');
  page.server.change({ 'PATCH /v0/incidents/{id}/updates/{update_id}': incident });
  await page.pressTwice('Save');
  const sent = page.server.sentTo('PATCH /v0/incidents/{id}/updates/{update_id}');
  t.deepEqual(
    sent.map(({ path, body }) => [path, body]),
    [['/v0/incidents/inc_1/updates/upd_1', { body: 'We looked.' }]],
  );
  t.is(page.dialog(), '');
});

test('title, impact and components are changed without a notification', async t => {
  const page = await openPage(t, '#/incidents/inc_1', { answers: of(affected) });
  t.deepEqual(page.lacks('Affects Payments.', 'Source alert'), []);
  t.true(page.isChecked('Payments'));
  await page.check('Payments');
  await page.choose('Impact', 'Degraded performance');
  page.server.change({ 'PATCH /v0/incidents/{id}': sampleIncident({ impact: 'degraded' }) });
  await page.press('Save');
  t.deepEqual(page.server.sentTo('PATCH /v0/incidents/{id}')[0]?.body, {
    ...{ title: 'Shop is down', severity: 'p1', impact: 'degraded', affected_components: [] },
  });
});

test('a post-mortem is drafted from the timeline, with the users that were affected, and saved', async t => {
  const users = { ...sampleImpact().users, status: 'measured', reason: null, affected: 120, low: 90, high: 150 };
  const impact = sampleImpact({ users: { ...users, significant: true, active: 1000, with_errors: 200 } as never });
  const page = await openPage(t, '#/incidents/inc_1', {
    answers: { ...of({ ...affected, updates: [update()] }), 'GET /v0/incidents/{id}/impact': impact },
  });
  const sentence = 'About 120 more users than usual had errors, between 90 and 150.';
  t.deepEqual(page.lacks(sentence, '200 of 1,000 active users had an error'), []);
  await page.press('Draft from the timeline');
  for (const text of [sentence, '## Root cause', 'It affected Payments.', '**2026-11-21 09:10 UTC** Investigating'])
    t.true(page.value('Text').includes(text), text);
  page.server.change({ 'PATCH /v0/incidents/{id}': affected });
  await page.type('Text', 'Our own words.');
  await page.type('Or link to an external post-mortem', 'https://blog.example/x');
  await page.press('Save', 1);
  t.deepEqual(page.server.sentTo('PATCH /v0/incidents/{id}')[0]?.body, {
    ...{ postmortem_url: 'https://blog.example/x', postmortem_body: 'Our own words.' },
  });
});

test('the impact says what it cannot tell, and names no cause', async t => {
  const candidate = {
    ...{ id: 'rel_1', version: '1.2.0', name: null, released_at: '2026-11-21T08:50:00.000Z', verdict: 'suspect' },
    ...{
      reason: null,
      ratio: 4,
      low: 2,
      high: 9,
      before: null,
      after: null,
      new_errors: [{ name: 'TypeError', users: 7 }],
    },
  };
  const missing = { status: 'measured', reason: null, expected: 100, low: 10, high: 30 };
  const impact = sampleImpact({ missing, releases: { status: 'measured', candidates: [candidate] } } as never);
  const page = await openPage(t, '#/incidents/inc_1', { answers: { 'GET /v0/incidents/{id}/impact': impact } });
  t.deepEqual(
    page.lacks(
      ...['Cannot tell: this project sent no events at that time.', 'Between 10 and 30 fewer users than usual'],
      ...['Suspect 1.2.0', 'The share of users with errors rose after it (× 4.0, between × 2.0 and × 9.0).'],
      'New errors: TypeError',
    ),
    [],
  );
});

test('a resolved incident offers no end, and names components that cannot be read by what is known', async t => {
  const over = { ...affected, state: 'resolved', resolved_at: '2026-11-21T09:40:00.000Z', alert_id: null };
  const page = await openPage(t, '#/incidents/inc_1', { answers: of(over), scopes: ['incidents:write'] });
  t.false(page.buttons().includes('Resolve…'));
  t.deepEqual(page.lacks('Resolved 2026-11-21 09:40:00 UTC', 'Affects cmp_1.'), []);
  t.false(page.headings().includes('Impact on users'), 'the token may not read events');
});
