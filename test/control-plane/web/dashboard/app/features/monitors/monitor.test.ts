import test from 'ava';
import { openPage } from '../../page/open-page.ts';
import { sampleChange, sampleRelease, sampleVerdict } from '../../page/resources.ts';
import { list, problem, Reply, type Sent } from '../../page/server.ts';
import { sampleBucket, sampleCheck, sampleComponent, sampleMonitor } from '../../samples.ts';

const of = (monitor: object) => ({ 'GET /v0/monitors/{id}': monitor });
const since = '2026-11-21T09:00:00.000Z';

test('the head says the state in words, whatever it is', async t => {
  const maintenance = { id: 'mnt_1', occurrence_id: 'occ_1', ends_at: '2026-11-21T11:00:00.000Z' };
  const vote = { region: 'eu', vote: 'unknown', since, as_of: null, reason: 'expired' };
  const unable_regions = [{ region: 'eu', reason: 'no_able_agent', missing: ['ping'] }];
  const rows = [
    [{ status: 'down' }, 'Down since 2026-11-21 09:00:00 UTC, 1 h ago'],
    [{ status: 'degraded' }, 'Degraded since'],
    [{ status: 'undetermined' }, 'Undetermined since'],
    [{ status: 'pending', votes: [] }, 'Pending since'],
    [{ status: 'paused', enabled: false }, 'Paused since'],
    [{ status: 'down', maintenance }, 'In maintenance until 2026-11-21 11:00:00 UTC'],
    [{ status: 'melted' }, 'melted since'],
    [{ votes: [vote] }, 'eu unknown no recent result'],
    [{ votes: [vote], unable_regions }, 'eu unknown no agent there has ping'],
  ] as const;
  const page = await openPage(t, '#/monitors/mon_1');
  for (const [changes, said] of rows) {
    page.server.change(of({ ...sampleMonitor(), ...changes }));
    await page.comeOnline();
    t.true(page.text().includes(said), `${said} in ${page.text()}`);
  }
});

test('the times of a ping keep what a local network has of them', async t => {
  const ping = { sent: 3, received: 3, min_ms: 0.214, avg_ms: 0.31, max_ms: 1.25, jitter_ms: 0.04 };
  const page = await openPage(t, '#/monitors/mon_1', {
    answers: { 'GET /v0/monitors/{id}/checks': list([sampleCheck({ ping })]) },
  });
  t.deepEqual(page.lacks('3 of 3; 0.21 / 0.31 / 1.3 ms (shortest, mean, longest), jitter 0.04 ms'), []);
});

test('addresses that do not answer are named by votes and checks', async t => {
  const failing = [{ address: '192.0.2.7', error_code: 'timeout' }];
  const votes = sampleMonitor().votes.map(vote => ({
    ...vote,
    partial_addresses: { answering: 1, total: 2, failing },
  }));
  const list2 = [
    { address: '192.0.2.1', ok: true, error_code: null, ms: 12 },
    { address: '192.0.2.7', ok: false, error_code: 'timeout', ms: null },
  ];
  const addresses = { at: '2026-11-21T09:59:00.000Z', total: 2, answering: 1, list: list2 };
  const page = await openPage(t, '#/monitors/mon_1', {
    answers: {
      ...of(sampleMonitor({ votes })),
      'GET /v0/monitors/{id}/checks': list([sampleCheck({ addresses })]),
    },
  });
  t.deepEqual(page.lacks('1 of 2 addresses answer, not 192.0.2.7', 'answered in 12 ms', 'timeout'), []);
});

test('it is paused and resumed, and says so', async t => {
  const page = await openPage(t, '#/monitors/mon_1');
  const paused = sampleMonitor({ status: 'paused', enabled: false });
  page.server.change({ ...of(paused), 'POST /v0/monitors/{id}/pause': paused });
  await page.pressTwice('Pause');
  t.is(page.server.sentTo('POST /v0/monitors/{id}/pause').length, 1);
  t.true(page.wholeText().includes('Shop is paused'));
  t.false(page.buttons().includes('Check now'));
  page.server.change({ ...of(sampleMonitor()), 'POST /v0/monitors/{id}/resume': sampleMonitor() });
  await page.press('Resume');
  t.true(page.wholeText().includes('Shop is up'));
});

test('a check is asked for at once, and a refusal is said', async t => {
  const page = await openPage(t, '#/monitors/mon_1');
  page.server.change({ 'POST /v0/monitors/{id}/check-now': new Reply(202, {}) });
  await page.press('Check now');
  t.true(page.wholeText().includes('Shop: checking now'));
  page.server.change({ 'POST /v0/monitors/{id}/check-now': problem(409, 'paused', 'the monitor is paused') });
  await page.press('Check now');
  t.true(page.problems()[0]?.startsWith('The monitor is paused.'));
});

test('it is deleted only after it was asked', async t => {
  const page = await openPage(t, '#/monitors/mon_1');
  await page.press('Delete…');
  t.is(page.dialog(), 'Delete Shop?');
  await page.press('Cancel');
  t.is(page.dialog(), '');
  await page.press('Delete…');
  page.server.change({ 'DELETE /v0/monitors/{id}': new Reply(204, null) });
  await page.press('Delete monitor');
  t.is(page.address(), '#/monitors');
  t.is(page.server.sentTo('DELETE /v0/monitors/{id}').length, 1);
});

test('everything that is set on it can be read', async t => {
  const monitor = sampleMonitor({
    ...{ method: 'POST', body: 'a'.repeat(500), headers: { 'X-Key': '***' }, follow_redirects: false },
    ...{ labels: { env: 'prod' }, component_ids: ['cmp_1', 'cmp_2'], config_version: 12 },
    alert_policy: { severity: 'p1', slack_channel: '#ops', escalate_after_minutes: 15 },
    alert_rules: {
      ...{ confirm_seconds: 30, recover_seconds: 60, flap: { changes: 3, window_seconds: 1800 } },
      degraded: { after_seconds: 300, severity: 'p3' },
      certificate: { enabled: true, thresholds: null, in_verdict: false },
      domain: null,
    },
    assertions: [{ type: 'status', operator: 'in', value: [200, 204] }] as never,
    auth: {
      ...{ type: 'oauth2', token_url: 'https://id.example/token', client_id: 'shop', client_secret: '********' },
      ...{ scopes: [], audience: null, client_auth: 'header' },
    } as never,
  });
  const page = await openPage(t, '#/monitors/mon_1', { answers: of(monitor) });
  t.deepEqual(
    page.lacks(
      ...['timeout 30 s, does not follow redirects', '2 of 3', 'X-Key: ***', 'env=prod', 'Version 12'],
      ...['drives 2 components on status pages', 'P1, Slack #ops, escalates after 15 min'],
      'opens after 30 s down, resolves after 60 s up, quiet while flapping (3 changes in 1800 s)',
      'P3 after 300 s degraded',
      'as shop, with a token of https://id.example/token',
    ),
    [],
  );
  t.false(page.text().includes('a'.repeat(401)));
});

test('uptime is shown for four periods, and a period without data is neither up nor down', async t => {
  const buckets = [sampleBucket({ bucket: '2026-11-20', uptime: 0.999, down_seconds: 86, observed_seconds: 86_400 })];
  const page = await openPage(t, '#/monitors/mon_1', {
    answers: { 'GET /v0/monitors/{id}/uptime': { data: buckets } },
  });
  t.deepEqual(page.lacks('Today – no data 7 days 99.900% down 1 min 26 s'), []);
  t.deepEqual(page.lacks('90 days: 99.900% up, 1 day with downtime, 89 days without data'), []);
});

test('checks are filtered, and older ones are added below', async t => {
  const answer = ({ query }: Sent) =>
    query.get('cursor') === 'next'
      ? list([sampleCheck({ id: 'chk_0', region: 'ap', status_code: 200 })])
      : list([sampleCheck({ region: query.get('region') ?? 'eu', status_code: 503, status: 'err' })], 'next');
  const page = await openPage(t, '#/monitors/mon_1', { answers: { 'GET /v0/monitors/{id}/checks': answer } });
  await page.choose('Region', 'us');
  await page.choose('Result', 'Failed');
  const asked = page.server.sentTo('GET /v0/monitors/{id}/checks').at(-1)?.query;
  t.deepEqual([asked?.get('region'), asked?.get('status')], ['us', 'err']);
  const checks = () => page.all('table.checks tbody tr').map(row => row.querySelectorAll('td')[2]?.textContent);
  t.deepEqual(checks(), ['us']);
  await page.press('Show older');
  t.deepEqual(checks(), ['us', 'ap']);
});

test('a check says what was expected, what came, and whose fault it was', async t => {
  const check = sampleCheck({
    ...{ status: 'err', error: { code: 'timeout', message: 'no answer within 10 s' }, failure_source: 'agent' },
    ...{ latency_ms: null, status_code: null, delayed_ms: 2100.4, attempt: 2, remote_ip: '203.0.113.7' },
    assertions: [
      { index: 0, type: 'status', passed: false, expected: 'status eq 200', actual: null, skipped: null },
      { index: 1, type: 'header', passed: null, expected: 'a header', actual: null, skipped: 'no response' },
    ],
    warnings: [{ code: 'slow', message: 'slower than usual' }],
  } as object);
  const page = await openPage(t, '#/monitors/mon_1', { answers: { 'GET /v0/monitors/{id}/checks': list([check]) } });
  t.deepEqual(
    page.lacks(
      ...['no answer within 10 s timeout', 'caused by the agent, not the target', 'attempt 2', '203.0.113.7'],
      ...['expected status eq 200, got nothing', 'header skipped', 'a header → no response'],
      ...['2100 ms: this latency does not count', 'slower than usual'],
    ),
    [],
  );
});

test('the history reads another time range when it is chosen, with releases and incidents of it', async t => {
  const page = await openPage(t, '#/monitors/mon_1', {
    answers: {
      'GET /v0/monitors/{id}/verdicts': ({ query }: Sent) =>
        list(query.has('to') ? [] : [sampleVerdict({ verdict: 'down', since: '2026-11-21T04:00:00.000Z' })]),
      'GET /v0/releases': list([sampleRelease()]),
    },
  });
  t.deepEqual(page.lacks('Verdicts: down 6 h'), []);
  await page.press('1 h');
  t.deepEqual(page.lacks('Verdicts: down 1 h'), []);
  t.deepEqual(page.lacks('Each check, by region. Outages are shaded.'), []);
  t.deepEqual(page.lacks('▲ 1.2.0'), []);
  await page.press('Phases');
  t.true(page.text().includes('No responses in this time.'), 'the sample has no timings');
  await page.press('90 d');
  t.deepEqual(page.lacks('Before the last 30 days: the votes at each change of the verdict.'), []);
});

test('the certificate that ends first is shown, of an https monitor alone', async t => {
  const tls = { valid_to: '2026-12-01T11:00:00.000Z', issuer: 'CA', subject: 'shop.example', protocol: 'TLSv1.3' };
  const answers = { 'GET /v0/monitors/{id}/checks': list([sampleCheck({ tls } as object)]) };
  const page = await openPage(t, '#/monitors/mon_1', { answers });
  t.deepEqual(page.lacks('2026-12-01 11:00:00 UTC, ends in 10 days For shop.example Issued by CA'), []);
  const plain = { ...answers, ...of(sampleMonitor({ url: 'http://shop.example/' })) };
  t.false((await openPage(t, '#/monitors/mon_1', { answers: plain })).headings().includes('Certificate'));
});

test('who changed it, and where it is published', async t => {
  const page = await openPage(t, '#/monitors/mon_1', {
    answers: {
      'GET /v0/components': list([
        sampleComponent({ monitor_ids: ['mon_1'] }),
        sampleComponent({ id: 'cmp_2', name: 'All', matched_monitor_ids: ['mon_1'], monitor_selector: 'env=prod' }),
        sampleComponent({ id: 'cmp_3', name: 'Other' }),
      ]),
      'GET /v0/monitors/{id}/versions': ({ query }: Sent) =>
        query.has('cursor') ? list([sampleChange({ id: 'aud_0', config_version: 1 })]) : list([sampleChange()], 'next'),
    },
  });
  t.deepEqual(page.lacks('Payments on Acme status chosen'), []);
  t.deepEqual(page.lacks('All on Acme status matches env=prod'), []);
  t.false(page.text().includes('Other on'));
  t.deepEqual(page.lacks('version 2 Terraform (token), 1 h ago'), []);
  await page.press('Show older');
  t.deepEqual(page.lacks('version 1'), []);
});
