import test from 'ava';
import { type Facts, type MonitorFacts, monitorFamilies } from '#control-plane/web/monitor-metrics/families.ts';
import { makeVote } from '#test/support/monitor-state.ts';

const nowMs = Date.UTC(2026, 10, 22);
const monitor = (changes: Partial<MonitorFacts> = {}): MonitorFacts => ({
  id: 'mon_1',
  name: 'Shop',
  kind: 'http',
  labels: {},
  regions: ['eu'],
  verdict: 'up',
  since: nowMs - 5000,
  votes: {},
  newest: {},
  uptimes: {},
  checks: {},
  failures: [],
  maintained: false,
  ...changes,
});

/** Values by labels, without the monitor's id. */
function read(name: string, facts: Partial<Facts> | MonitorFacts): Record<string, number> {
  const all = 'verdict' in facts ? { monitors: [facts] } : facts;
  const families = monitorFamilies({ monitors: [], alerts: [], agents: [], channels: [], ...all }, nowMs);
  const samples = [...(families.find(family => family.name === `upquorum_${name}`)?.samples ?? [])];
  return Object.fromEntries(
    samples.map(({ labels: { monitor_id: _, ...labels }, value }) => [Object.values(labels).join(' '), value]),
  );
}

test('a monitor is up, down, or has no such value', t => {
  for (const [verdict, value] of [
    ['up', 1],
    ['degraded', 1],
    ['down', 0],
    ['undetermined', undefined],
    ['pending', undefined],
    ['paused', undefined],
  ] as const) {
    t.is(read('monitor_up', monitor({ verdict }))[''], value, verdict);
    const statuses = read('monitor_status', monitor({ verdict }));
    t.is(Object.keys(statuses).length, 6);
    t.deepEqual(
      Object.entries(statuses).filter(([, given]) => given === 1),
      [[verdict, 1]],
    );
  }
  t.deepEqual(read('monitor_status_since_timestamp_seconds', monitor()), { '': nowMs / 1000 - 5 });
});

test('a region has one of four votes, and what an expired vote said is unknown', t => {
  const good = makeVote(nowMs - 1000, { judged_at: nowMs - 500, expires_at: nowMs + 1 });
  const facts = monitor({
    regions: ['a', 'b', 'c'],
    votes: { a: good, b: { ...good, expires_at: nowMs }, gone: good },
    newest: {
      a: { latencyMs: 250, validTo: nowMs + 9000 },
      b: { latencyMs: 100, validTo: nowMs + 1000 },
      c: { latencyMs: 7, validTo: null },
      gone: { latencyMs: 1, validTo: nowMs },
    },
  });
  const votes = Object.entries(read('monitor_vote', facts));
  t.is(votes.length, 12);
  t.deepEqual(
    votes.filter(([, value]) => value === 1).map(([key]) => key),
    ['a up', 'b unknown', 'c unknown'],
  );
  t.deepEqual(read('monitor_latency_seconds', facts), { a: 0.25 });
  const judged = (nowMs - 500) / 1000;
  t.deepEqual(read('monitor_last_check_timestamp_seconds', facts), { a: judged, b: judged });
  const failing = { ...facts, votes: { a: { ...good, vote: 'down' as const } } };
  const silent = { ...failing, newest: { a: { latencyMs: null, validTo: nowMs + 5000 } } };
  t.deepEqual(read('monitor_latency_seconds', silent), {}, 'the last check was not good');
  const expiry = 'monitor_certificate_expiry_timestamp_seconds';
  t.deepEqual(read(expiry, facts), { '': (nowMs + 9000) / 1000 }, 'the earliest of those whose votes count');
  t.deepEqual(read(expiry, silent), { '': (nowMs + 5000) / 1000 });
  t.deepEqual(read(expiry, monitor()), {}, 'no certificate is no sample');
});

test('uptime is that of the last 1, 7 and 30 days, and absent where nothing was observed', t => {
  const uptimes = { '1d': 0.5, '30d': 0 };
  t.deepEqual(read('monitor_uptime_ratio', monitor({ uptimes })), uptimes);
  t.deepEqual(read('monitor_uptime_ratio', monitor()), {});
});

test('labels become names of Prometheus; of two alike the first by code point is shown, and at most 20', t => {
  const [info] = monitorFamilies(
    {
      monitors: [monitor({ labels: { 'a.b': '1', 'a-b': '2', a_b: '3', b: '4' } })],
      alerts: [],
      agents: [],
      channels: [],
    },
    nowMs,
  );
  t.deepEqual([...(info?.samples ?? [])][0]?.labels, {
    monitor_id: 'mon_1',
    name: 'Shop',
    kind: 'http',
    label_a_b: '2',
    label_b: '4',
  });
  const labels = Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`k${index}`, '']));
  const [many] = monitorFamilies({ monitors: [monitor({ labels })], alerts: [], agents: [], channels: [] }, nowMs);
  t.is(Object.keys([...(many?.samples ?? [])][0]?.labels ?? {}).length, 3 + 20);
});

test('a monitor is in maintenance or not', t => {
  t.is(read('monitor_maintenance', monitor({ maintained: true }))[''], 1);
  t.is(read('monitor_maintenance', monitor())[''], 0);
});

test('unresolved alerts and agents are counted', t => {
  const alerts = [
    { monitor_id: 'mon_1', kind: 'down', severity: 'p1', state: 'open', held: true },
    { monitor_id: 'mon_1', kind: 'certificate', severity: 'p3', state: 'open', held: false },
  ];
  t.deepEqual(read('monitor_alerts_open', { alerts }), { 'down p1 open true': 1, 'certificate p3 open false': 1 });
  const agents = [{ region: 'eu', state: 'online', agents: 2 }];
  t.deepEqual(read('region_agents', { agents }), { 'eu online': 2 });
});

test('checks and failures are counted by region, those of regions that it has left are not shown', t => {
  const facts = monitor({
    regions: ['a', 'b'],
    checks: { a: { ok: 5, warn: 1, err: 3 }, gone: { ok: 9, warn: 0, err: 9 } },
    failures: [
      { region: 'a', reason: 'timeout', failures: 2 },
      { region: 'a', reason: 'assertion:status', failures: 1 },
      { region: 'gone', reason: 'timeout', failures: 9 },
    ],
  });
  t.deepEqual(read('monitor_checks', facts), {
    'a ok': 5,
    'a warn': 1,
    'a err': 3,
    'b ok': 0,
    'b warn': 0,
    'b err': 0,
  });
  t.deepEqual(read('monitor_failures', facts), { 'a timeout': 2, 'a assertion:status': 1 });
});

test('a channel fails or not', t => {
  const channels = [
    { id: 'chn_1', name: 'Duty', type: 'email', failing: true },
    { id: 'chn_2', name: 'Ops', type: 'ntfy', failing: false },
  ];
  t.deepEqual(read('channel_failing', { channels }), { 'chn_1 Duty email': 1, 'chn_2 Ops ntfy': 0 });
});

test('addresses of a name are counted by region, until the vote expires', t => {
  const newest = { eu: { latencyMs: 20, validTo: null, addresses: [{ ok: true }, { ok: false }] } };
  const watched = monitor({ votes: { eu: makeVote(nowMs - 1000) }, newest });
  t.deepEqual(read('monitor_addresses', watched), { 'eu answering': 1, 'eu total': 2 });
  t.deepEqual(read('monitor_addresses', { ...watched, votes: {} }), {});
  t.deepEqual(read('monitor_addresses', { ...watched, newest: {} }), {});
});

test('a ping has its loss and jitter until the vote expires, also when every packet is lost', t => {
  const vote = makeVote(nowMs - 1000);
  const facts = (newest: MonitorFacts['newest']) => monitor({ votes: { eu: vote }, newest });
  const lossy = facts({ eu: { latencyMs: 20, validTo: null, loss: 0.25, jitterMs: 4 } });
  t.deepEqual(read('monitor_ping_loss_ratio', lossy), { eu: 0.25 });
  t.deepEqual(read('monitor_ping_jitter_seconds', lossy), { eu: 0.004 });
  const lost = facts({ eu: { latencyMs: null, validTo: null, loss: 1, jitterMs: null } });
  t.deepEqual(read('monitor_ping_loss_ratio', lost), { eu: 1 });
  t.deepEqual(read('monitor_ping_jitter_seconds', lost), {});
  t.deepEqual(read('monitor_ping_loss_ratio', facts({ eu: { latencyMs: 20, validTo: null } })), {}, 'no ping');
  t.deepEqual(read('monitor_ping_loss_ratio', { ...lossy, votes: {} }), {});
});
