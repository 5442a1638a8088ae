import test from 'ava';
import { openPage } from '../../../page/open-page.ts';
import { problem } from '../../../page/server.ts';
import { sampleMonitor } from '../../../samples.ts';

const complete_from = '2026-11-20T10:00:00.000Z';
const ofPing = { 'GET /v0/monitors/{id}': sampleMonitor({ kind: 'ping', url: 'ping://a.example' }) };
const ofDns = { 'GET /v0/monitors/{id}': sampleMonitor({ kind: 'dns', url: 'dns:///a.example' }) };
const pings = 'GET /v0/monitors/{id}/ping-figures';
const answers = 'GET /v0/monitors/{id}/dns-answers';

test('a ping has its loss and jitter, as plots and as a table', async t => {
  const figures = { bucket: '2026-11-21T09:00:00.000Z', region: 'eu', sent: 30, received: 27, jitter_ms: 1.5 };
  const page = await openPage(t, '#/monitors/mon_1', {
    answers: { ...ofPing, [pings]: { bucket_seconds: 300, complete_from, data: [figures] } },
  });
  t.deepEqual(page.lacks('Packet loss', 'Jitter', 'Figures by region'), []);
  const labels = page.all('[role="img"]').map(plot => plot.getAttribute('aria-label') ?? '');
  t.true(
    labels.some(label => label.startsWith('Packet loss, 24 h. eu: latest 10 %')),
    labels.join('; '),
  );
  t.true(
    page.rows().some(row => /^eu 30 3 10 % 10 % 1\.5/.test(row)),
    page.rows().join('; '),
  );
});

test('a name has the records that it had, and when they changed', async t => {
  const common = { region: 'eu', rcode: 'NOERROR', type: 'A', truncated: false };
  const data = [
    { ...common, first_at: '2026-11-21T08:00:00.000Z', last_at: '2026-11-21T08:59:00.000Z', records: ['192.0.2.1'] },
    { ...common, first_at: '2026-11-21T09:00:00.000Z', last_at: '2026-11-21T09:59:00.000Z', records: ['192.0.2.2'] },
  ];
  const page = await openPage(t, '#/monitors/mon_1', { answers: { ...ofDns, [answers]: { complete_from, data } } });
  t.deepEqual(page.lacks('Answers', '1 change', 'A 192.0.2.1', 'A 192.0.2.2', 'B became A'), []);
});

test('both say that there is nothing to show, and what went wrong', async t => {
  const page = await openPage(t, '#/monitors/mon_1', { answers: ofPing });
  t.deepEqual(page.lacks('No packets were sent in this time.'), []);
  const other = await openPage(t, '#/monitors/mon_1', { answers: ofDns });
  t.deepEqual(other.lacks('No answers in this time.'), []);
  const fault = problem(403, 'forbidden', 'Not for this token.');
  const refused = await openPage(t, '#/monitors/mon_1', { answers: { ...ofDns, [answers]: fault } });
  t.false(refused.text().includes('No answers'));
  t.true(refused.problems().length > 0);
});

test('neither is asked for other kinds', async t => {
  const page = await openPage(t, '#/monitors/mon_1');
  t.is(page.server.sentTo(pings).length + page.server.sentTo(answers).length, 0);
});
