import test from 'ava';
import { openPage } from '../../../page/open-page.ts';
import { sampleRegion } from '../../../page/resources.ts';
import { list, problem, refusal } from '../../../page/server.ts';
import { sampleBacktest, sampleMonitor } from '../../../samples.ts';

const bodyOf = (page: { server: { sentTo(operation: string): readonly { body: unknown }[] } }, operation: string) =>
  page.server.sentTo(operation).at(-1)?.body;

test('assertions of each type are built, changed and removed', async t => {
  const page = await openPage(t, '#/monitors/new');
  for (const type of ['Status code', 'Body', 'Header', 'JSON value', 'p95 latency']) await page.press(`+ ${type}`);
  await page.choose('Operator of assertion 1', 'is one of');
  await page.type('Value of assertion 1', '200, 204');
  await page.type('Value of assertion 2', 'ready');
  await page.check('ignore case');
  await page.type('Header name of assertion 3', 'content-type');
  await page.choose('Operator of assertion 3', 'exists');
  t.false(page.fields().includes('Value of assertion 3'), 'nothing to compare with');
  await page.type('Value of assertion 4', '"ok"');
  await page.press('Remove assertion 5');
  page.server.change({ 'POST /v0/monitors': sampleMonitor() });
  await page.press('Create');
  t.like(bodyOf(page, 'POST /v0/monitors'), {
    assertions: [
      { type: 'status', operator: 'in', value: [200, 204] },
      { type: 'body_contains', operator: 'contains', value: 'ready', case_insensitive: true },
      { type: 'header', name: 'content-type', operator: 'exists' },
      { type: 'json_path', path: '$.status', operator: 'eq', value: 'ok' },
    ],
  });
});

test('what is wrong with an assertion stands beside it', async t => {
  const page = await openPage(t, '#/monitors/new');
  await page.press('+ Status code');
  await page.press('+ Header');
  page.server.change({ 'POST /v0/monitors': refusal({ 'assertions/1/name': 'is empty' }) });
  await page.press('Create');
  const rows = page.all('.assertion').map(row => row.textContent ?? '');
  t.false(rows[0]?.includes('is empty'));
  t.true(rows[1]?.includes('name is empty'));
});

test('two braces offer the names of secrets, and a press completes one', async t => {
  const secrets = ['SHOP_TOKEN', 'SHOP_KEY', 'OTHER'].map(name => ({ id: `sec_${name}`, name }));
  const page = await openPage(t, '#/monitors/new', { answers: { 'GET /v0/secrets': list(secrets) } });
  const offered = () => page.all('[aria-label="Secrets"] button').map(button => button.textContent);
  await page.press('Add header');
  await page.type('Value of header 1', 'Bearer x');
  t.deepEqual(page.server.sentTo('GET /v0/secrets'), []);
  await page.type('Value of header 1', 'Bearer {{sec');
  t.deepEqual(offered(), ['SHOP_TOKEN', 'SHOP_KEY', 'OTHER']);
  await page.type('Value of header 1', 'Bearer {{secret.sho');
  t.deepEqual(offered(), ['SHOP_TOKEN', 'SHOP_KEY']);
  await page.press('SHOP_KEY');
  t.is(page.value('Value of header 1'), 'Bearer {{secret.SHOP_KEY}}');
  t.deepEqual(offered(), []);
  await page.type('Name of header 1', 'Authorization');
  page.server.change({ 'POST /v0/monitors': sampleMonitor() });
  await page.press('Create');
  t.like(bodyOf(page, 'POST /v0/monitors'), { headers: { Authorization: 'Bearer {{secret.SHOP_KEY}}' } });
});

test('headers and a body are typed row by row', async t => {
  const page = await openPage(t, '#/monitors/new');
  await page.press('Add header');
  await page.press('Add header');
  await page.type('Name of header 1', 'X-Key');
  await page.type('Value of header 1', 'secret');
  await page.type('Name of header 2', 'X-Other');
  await page.press('Remove header 2');
  await page.type('Body', '{}');
  await page.check('Follow redirects');
  page.server.change({ 'POST /v0/monitors': sampleMonitor() });
  await page.press('Create');
  t.like(bodyOf(page, 'POST /v0/monitors'), { headers: { 'X-Key': 'secret' }, body: '{}', follow_redirects: false });
});

test('rules of alerts are shown once they are on, and thresholds of certificates halve', async t => {
  const page = await openPage(t, '#/monitors/mon_1/edit');
  t.false(page.fields().includes('Within (seconds)'));
  await page.check('Keep one alert open while it flaps');
  await page.type('Outages that count as flapping', '5');
  await page.check('Alert when it is degraded');
  await page.choose('Severity of these alerts', 'P2 – feature degraded');
  await page.press('Add a threshold');
  await page.press('Add a threshold');
  t.is(page.value('Days left'), '14');
  t.is(page.value('And at days left'), '7');
  await page.press('Remove the threshold of 14 days');
  page.server.change({ 'PATCH /v0/monitors/{id}': sampleMonitor() });
  await page.press('Save');
  t.deepEqual(bodyOf(page, 'PATCH /v0/monitors/{id}'), {
    alert_rules: {
      ...{ confirm_seconds: 0, recover_seconds: 0, flap: { changes: 5, window_seconds: 1800 } },
      degraded: { after_seconds: 300, severity: 'p2' },
      certificate: { enabled: true, thresholds: [{ days_left: 7, severity: 'p3' }], in_verdict: false },
    },
  });
});

test('a test says what came of it in each region, and saves nothing', async t => {
  const regions = ['eu', 'us'].map(code => sampleRegion({ code, name: code }));
  const page = await openPage(t, '#/monitors/new', { answers: { 'GET /v0/regions': list(regions) } });
  await page.type('URL', 'https://shop.example/');
  const result = { status: 'ok', status_code: 200, latency_ms: 84.2, error: null, assertions: [] };
  const response = { status_code: 200, headers: {}, body_excerpt: '<h1>Hello</h1>' };
  const data = [
    { region: 'eu', agent_id: 'agt_1', result, problem: null, response },
    { region: 'us', agent_id: null, result: null, problem: 'no_agent', response: null },
  ];
  page.server.change({ 'POST /v0/monitors/test': { data } });
  await page.pressTwice('Test now');
  t.deepEqual(page.lacks('OK eu status 200 in 84 ms', 'No result us no agent is online there', '<h1>Hello</h1>'), []);
  const [sent, ...others] = page.server.sentTo('POST /v0/monitors/test');
  t.deepEqual(others, []);
  t.is(sent?.key, null);
  t.like(sent?.body, { url: 'https://shop.example/', regions: ['eu', 'us'] });
  t.false('name' in Object(sent?.body));
  await page.type('URL', 'https://shop.example/other');
  t.false(page.text().includes('status 200 in 84 ms'), 'it was about another address');
});

test('a test of a monitor with many regions asks eight of one’s choice', async t => {
  const regions = Array.from({ length: 12 }, (_, index) => sampleRegion({ code: `r${index}`, name: `r${index}` }));
  const page = await openPage(t, '#/monitors/new', { answers: { 'GET /v0/regions': list(regions) } });
  page.server.change({ 'POST /v0/monitors/test': problem(422, 'validation_failed', 'the URL is missing') });
  await page.press('Test now');
  t.is((bodyOf(page, 'POST /v0/monitors/test') as { regions: string[] }).regions.length, 8);
  t.deepEqual(
    page.problems(),
    ['The URL is missing. Request ID req_77'].map(text => text.replace(/ Request.*/, '')),
  );
});

test('a back-test tells which alerts would differ, of the chosen time', async t => {
  const page = await openPage(t, '#/monitors/mon_1/edit');
  const alert = {
    ...{ kind: 'down' as const, started_at: '2026-11-19T10:00:00.000Z', opened_at: '2026-11-19T10:00:30.000Z' },
    resolved_at: '2026-11-19T10:05:00.000Z',
  };
  const { before } = sampleBacktest();
  page.server.change({
    'POST /v0/monitors/{id}/backtest': sampleBacktest({
      after: { ...before, alerts: [] },
      diff: { new: [], gone: [alert], moved: [] },
      not_replayable: [{ pointer: '/assertions/1', reason: 'answer_not_kept' }] as never,
    }),
  });
  await page.type('Open after being down for (seconds)', '600');
  await page.choose('Of the last', '24 hours');
  await page.press('Try on stored results');
  t.like(bodyOf(page, 'POST /v0/monitors/{id}/backtest'), { partial: true });
  t.deepEqual(
    page.lacks(
      ...['would have had 0 alerts instead of 1.', 'Assertion 2: the answers it needs are not stored.'],
      ...['gone 2026-11-19 10:00:30 UTC down for 5 min', 'As it was: 1 alert', 'After: 0 alerts'],
    ),
    [],
  );
});

test('a dry run says what saving would do', async t => {
  const rows = [
    [[], false, false, 'The settings are valid. Nothing would change.'],
    [['url'], true, true, 'Would change: url. All regions would check at once. The votes would be dropped until'],
    [['name', 'labels'], false, false, 'Would change: name, labels. The checks would go on as they are.'],
  ] as const;
  const page = await openPage(t, '#/monitors/mon_1/edit');
  for (const [changed, bumps, drops_votes, said] of rows) {
    page.server.change({
      'PATCH /v0/monitors/{id}': { monitor: sampleMonitor(), changed, bumps, drops_votes, backtest: null },
    });
    await page.press('Dry run');
    t.deepEqual(page.lacks(said), []);
  }
  t.is(page.server.sentTo('PATCH /v0/monitors/{id}').at(-1)?.query.get('dry_run'), 'true');
  t.is(page.address(), '#/monitors/mon_1/edit');
  await page.type('Name', 'Another');
  t.false(page.text().includes('Would change'), 'it was about other settings');
});

test('a duplicate starts with the settings of its original, but on no status page', async t => {
  const original = sampleMonitor({ component_ids: ['cmp_1'], labels: { env: 'prod' }, quorum: 2 });
  const page = await openPage(t, '#/monitors/new?from=mon_1', { answers: { 'GET /v0/monitors/{id}': original } });
  t.is(page.heading(), 'New monitor');
  t.is(page.value('Name'), 'Shop (copy)');
  t.is(page.value('Labels'), 'env=prod');
  t.false(page.isChecked('Payments'));
  page.server.change({ 'POST /v0/monitors': sampleMonitor({ id: 'mon_2' }) });
  await page.press('Create');
  t.like(bodyOf(page, 'POST /v0/monitors'), { name: 'Shop (copy)', component_ids: [], quorum: 2 });
});
