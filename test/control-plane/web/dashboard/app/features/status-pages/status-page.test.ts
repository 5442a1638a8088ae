import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { samplePage, sampleSubscriber } from '../../page/resources.ts';
import { list, lost, problem, Reply, refusal, type Sent } from '../../page/server.ts';
import { sampleComponent, sampleMonitor } from '../../samples.ts';

const components = [
  sampleComponent({ position: 0 }),
  sampleComponent({ id: 'cmp_2', name: 'Search', group: 'Site', position: 1, shown_status: 'major_outage' }),
  sampleComponent({ id: 'cmp_3', name: 'API', group: 'Site', position: 2, monitor_ids: ['mon_1'] }),
];
const three = { 'GET /v0/components': list(components) };

test('a card of each page says its worst component', async t => {
  const page = await openPage(t, '#/status-pages', { answers: three });
  t.deepEqual(page.lacks('Major outage Acme status', '3 components'), []);
  page.server.change({ 'GET /v0/components': list([]) });
  await page.comeOnline();
  t.deepEqual(page.lacks('No components Acme status'), []);
});

test('components stand in their groups, and move by the arrow keys', async t => {
  const page = await openPage(t, '#/status-pages/sp_1', { answers: three });
  t.deepEqual(page.headings().slice(0, 3), ['Acme status', 'Components', 'Site']);
  t.deepEqual(page.lacks('Search Major outage', 'driven by 1 monitor', 'no monitors'), []);
  page.server.change({ 'POST /v0/components/order': new Reply(204, null) });
  page
    .all('.handle')
    .find(button => button.getAttribute('aria-label') === 'Move Payments')
    ?.focus();
  await page.key('ArrowDown');
  t.true(page.wholeText().includes('Payments: 1 of 3, in Site'));
  await page.key('ArrowDown');
  await page.advance(1000);
  const bodies = page.server.sentTo('POST /v0/components/order').map(({ body }) => body);
  t.deepEqual(bodies.at(-1), {
    status_page_id: 'sp_1',
    components: [
      { id: 'cmp_2', group: 'Site' },
      { id: 'cmp_1', group: 'Site' },
      { id: 'cmp_3', group: 'Site' },
    ],
  });
});

test('a status set by hand is stored at once, and goes back if that fails', async t => {
  const page = await openPage(t, '#/status-pages/sp_1');
  page.server.change({ 'PATCH /v0/components/{id}': sampleComponent({ status: 'partial_outage' }) });
  await page.choose('Status of Payments', 'Partial outage');
  t.deepEqual(page.server.sentTo('PATCH /v0/components/{id}')[0]?.body, { status: 'partial_outage' });
  t.true(page.wholeText().includes('Payments: Partial outage'));
  page.server.change({ 'PATCH /v0/components/{id}': lost });
  await page.choose('Status of Payments', 'Major outage');
  t.is(page.value('Status of Payments'), 'operational');
  t.is(page.problems().length, 1);
});

test('a component is edited, and deleted after it was asked', async t => {
  const page = await openPage(t, '#/status-pages/sp_1', { answers: three });
  await page.press('Edit API');
  t.is(page.dialog(), 'Edit API');
  t.is(page.value('Group'), 'Site');
  await page.type('Group', ' ');
  await page.type('And all monitors that match this selector', 'env=prod');
  page.server.change({ 'PATCH /v0/components/{id}': components[2] });
  await page.press('Save');
  t.like(page.server.sentTo('PATCH /v0/components/{id}')[0]?.body, {
    ...{ group: null, monitor_selector: 'env=prod', monitor_ids: ['mon_1'] },
  });
  await page.press('Edit API');
  await page.press('Delete component…');
  t.is(page.dialog(), 'Delete API?');
  await page.press('Cancel');
  t.is(page.dialog(), 'Edit API', 'back to where it was');
  await page.press('Delete component…');
  page.server.change({ 'DELETE /v0/components/{id}': new Reply(204, null) });
  await page.press('Delete component');
  t.is(page.dialog(), '');
});

test('of many monitors a component finds one by typing', async t => {
  const many = Array.from({ length: 60 }, (_, index) => sampleMonitor({ id: `mon_${index}`, name: `M ${index}` }));
  const page = await openPage(t, '#/status-pages/sp_1', { answers: { 'GET /v0/monitors': list(many) } });
  await page.press('New component');
  t.deepEqual(page.lacks('20 more: type to find them.'), []);
  await page.type('Search: These monitors', 'm 59');
  await page.check('M 59');
  await page.type('Search: These monitors', 'nothing');
  t.true(page.isChecked('M 59'), 'what is picked stays in sight');
});

test('a page is deleted only when its slug was typed', async t => {
  const page = await openPage(t, '#/status-pages/sp_1?tab=settings', { answers: three });
  await page.press('Delete page…');
  t.deepEqual(page.lacks('3 components and all subscribers are deleted.'), []);
  page.server.change({ 'DELETE /v0/status-pages/{id}': new Reply(204, null) });
  await page.press('Delete page');
  t.deepEqual(page.server.sentTo('DELETE /v0/status-pages/{id}'), []);
  await page.type('Type acme to confirm', 'acme ');
  await page.press('Delete page');
  t.is(page.server.sentTo('DELETE /v0/status-pages/{id}')[0]?.query.get('components'), 'delete');
  t.is(page.address(), '#/status-pages');
});

test('a new slug and a wrong colour say what they mean, and the preview follows what is typed', async t => {
  const page = await openPage(t, '#/status-pages/sp_1?tab=settings');
  await page.type('Slug', 'shop');
  t.deepEqual(page.lacks('The page moves to /status/shop.', 'Includes unsaved changes.'), []);
  t.deepEqual(page.server.sentTo('POST /v0/status-pages/{id}/preview').at(-1)?.body, { slug: 'shop' });
  page.server.change({ 'POST /v0/status-pages/{id}/preview': refusal({ color: 'is no colour' }) });
  await page.type('Colour', 'red');
  t.deepEqual(page.lacks('No preview yet: correct the marked fields first.'), []);
  page.server.change({ 'POST /v0/status-pages/{id}/preview': problem(503, 'busy', 'too much to do') });
  await page.type('Colour', '#ff0000');
  t.deepEqual(page.lacks('No preview: Too much to do.'), []);
  page.server.change({ 'POST /v0/status-pages/{id}/preview': { html: '' } });
  await page.advance(6000);
  t.deepEqual(page.lacks('Includes unsaved changes.'), []);
  await page.press('Discard changes');
  t.is(page.value('Slug'), 'acme');
});

test('subscribers are filtered, named with what they get, and removed', async t => {
  const subscribers = [
    sampleSubscriber({ consent: 'by phone', component_ids: ['cmp_1'] }),
    sampleSubscriber({
      id: 'sub_2',
      channel: 'webhook',
      email: null,
      url: 'https://a.example/',
      state: 'quarantined',
      failures: 9,
      state_reason: 'gone',
    }),
    sampleSubscriber({ id: 'sub_3', email: 'bob@example.com', state: 'pending', component_ids: ['cmp_8', 'cmp_9'] }),
  ];
  const page = await openPage(t, '#/status-pages/sp_1?tab=subscribers', {
    answers: { 'GET /v0/status-pages/{id}/subscribers': list(subscribers) },
  });
  t.deepEqual(page.rows(), [
    'Active ada@example.com Payments by phone 1 d ago Remove…',
    'Stopped https://a.example/ · 9 failures in a row · gone everything – 1 d ago Remove…',
    'Not confirmed bob@example.com 2 components – 1 d ago Remove…',
  ]);
  await page.choose('State', 'Unsubscribed');
  t.deepEqual(page.lacks('None in this state.'), []);
  await page.choose('State', 'Stopped');
  await page.press('Remove https://a.example/');
  page.server.change({ 'DELETE /v0/status-pages/{id}/subscribers/{sub}': new Reply(204, null) });
  await page.press('Remove subscriber');
  t.is(page.server.sentTo('DELETE /v0/status-pages/{id}/subscribers/{sub}')[0]?.path.split('/').at(-1), 'sub_2');
});

test('addresses are imported, those that are refused named, and what is no address shown before', async t => {
  const page = await openPage(t, '#/status-pages/sp_1?tab=subscribers');
  await page.type('Or paste addresses', 'a@example.com\nnonsense\nb@example.com\nA@example.com');
  t.deepEqual(page.lacks('2 addresses found, 1 repeated, 1 line without an address: Line 2: nonsense'), []);
  await page.type('Consent', 'moved from elsewhere', 1);
  page.server.change({
    'POST /v0/status-pages/{id}/subscribers/import': ({ body }: Sent) =>
      (body as { subscribers: object[] }).subscribers.length === 2
        ? refusal({ 'subscribers/1/email': 'is blocked' })
        : { added: 1, existing: 0 },
  });
  await page.pressTwice('Import 2 addresses');
  t.deepEqual(page.lacks('Done: 1 added, 0 known already, 1 refused. Line 3: b@example.com'), []);
  t.deepEqual(page.server.sentTo('POST /v0/status-pages/{id}/subscribers/import').at(-1)?.body, {
    consent: 'moved from elsewhere',
    subscribers: [{ email: 'a@example.com', state: 'active' }],
  });
});

test('a webhook that subscribes gets a secret, which is shown once', async t => {
  const page = await openPage(t, '#/status-pages/sp_1?tab=subscribers');
  await page.choose('Channel', 'Webhook');
  await page.type('URL', 'https://a.example/hook');
  page.server.change({
    'POST /v0/status-pages/{id}/subscribers': sampleSubscriber({
      email: null,
      url: 'https://a.example/hook',
      secret: 'sec_1',
    }),
  });
  await page.press('Add subscriber');
  t.deepEqual(page.lacks('https://a.example/hook gets updates from now on.', 'sec_1', 'It is shown only now.'), []);
});

test('a logo is shown and removed, and codes to embed hold the address of the page', async t => {
  const withLogo = samplePage({ logo: 'https://status.example/status/acme/logo.png' });
  const page = await openPage(t, '#/status-pages/sp_1?tab=settings', {
    answers: { 'GET /v0/status-pages/{id}': withLogo },
  });
  await page.press('Remove logo');
  t.deepEqual(page.lacks('No logo'), []);
  page.server.change({ 'PATCH /v0/status-pages/{id}': samplePage() });
  await page.press('Save');
  t.deepEqual(page.server.sentTo('PATCH /v0/status-pages/{id}')[0]?.body, { logo: null });
  await page.go('#/status-pages/sp_1?tab=embed');
  for (const code of page.all('pre').map(each => each.textContent)) t.true(code?.includes(withLogo.url), code ?? '');
  t.is(page.all('pre').length, 6);
});
