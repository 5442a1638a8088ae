import test, { type ExecutionContext } from 'ava';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { apiOf, createRegions, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, type FakeAgent, goodResult } from '#test/support/fake-agent.ts';
import { answer, startTarget } from '#test/support/target.ts';

const database = useDatabase(test);
let worlds = 0;

type Certificate = { from: number; to: number; fingerprint?: string; issuer?: string };

/** Agents that report what a test says, and a clock that it moves. */
async function openWorld(t: ExecutionContext, regionCount = 2) {
  const codes = Array.from({ length: regionCount }, (_, index) => `cert-${worlds}-${index}`);
  worlds += 1;
  const secrets = await createRegions(database(), codes);
  const { token } = await createTenant(database());
  let offsetMs = 0;
  const clock = { now: () => Date.now() + offsetMs };
  const replica = await startReplica(database(), {}, clock);
  t.teardown(() => replica.stop());
  const agents: FakeAgent[] = [];
  for (const code of codes) {
    const agent = await connectFakeAgent(replica.url, secrets[code]?.secret ?? '');
    t.teardown(() => agent[Symbol.asyncDispose]());
    agents.push(agent);
  }
  const api = apiOf(replica.url, token);
  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) => {
    const reply = await api(method, path, body);
    if (reply.status >= 400) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  return {
    codes,
    clock,
    call,
    api,
    pass: (ms: number) => {
      offsetMs += ms;
    },
    monitor: async (body: Record<string, unknown> = {}): Promise<string> => {
      const common = { name: 'shop', url: 'https://shop.example:8443/x', interval_seconds: 60, regions: codes };
      return (await call('POST', '/v0/monitors', { ...common, ...body })).id;
    },
    /** A good check of one region now, which sees the certificate. Returns when it ended. */
    see: async (id: string, region: number, certificate: Certificate, more = {}) => {
      const { from, to, fingerprint = 'ab', issuer = 'CN=R3, O=Example CA' } = certificate;
      const at = clock.now();
      const tls = {
        protocol: 'TLSv1.3',
        valid_from: new Date(from).toISOString(),
        valid_to: new Date(to).toISOString(),
        days_left: Math.floor((to - at) / dayMs),
        issuer,
        subject: 'CN=shop.example',
        fingerprint_sha256: fingerprint.repeat(32),
      };
      const refused = await agents[region]?.report([goodResult(id, at, { tls, ...more })]);
      t.deepEqual(refused, []);
      return at;
    },
    report: (region: number, results: Parameters<FakeAgent['report']>[0]) => agents[region]?.report(results),
    alerts: async (query = '') => (await call('GET', `/v0/alerts${query}`)).data as Record<string, unknown>[],
    status: async (id: string) => (await call('GET', `/v0/monitors/${id}`)).status as string,
  };
}

const days = (count: number) => count * dayMs;

test.serial(
  'a certificate at 14 days opens one alert of its own, which its renewal in all regions resolves',
  async t => {
    const world = await openWorld(t);
    const id = await world.monitor();
    const now = world.clock.now();
    const ending = { from: now - days(76), to: now + days(14) + minuteMs };
    await world.see(id, 0, ending);
    await world.see(id, 1, ending);
    t.deepEqual(await world.alerts(), [], 'a minute too early');
    world.pass(2 * minuteMs);
    const at = await world.see(id, 0, ending);
    await world.see(id, 1, ending);
    const [alert, ...others] = await world.alerts();
    t.deepEqual(others, []);
    const opened = new Date(at).toISOString();
    t.like(alert, {
      kind: 'certificate',
      severity: 'p3',
      state: 'open',
      monitor_id: id,
      title: `Certificate of shop expires on ${new Date(ending.to).toISOString().slice(0, 10)}`,
      started_at: opened,
      opened_at: opened,
      regions_failing: world.codes,
      resolved_at: null,
    });
    const summary = String((alert?.reason as { summary?: string } | undefined)?.summary);
    const issued = 'the certificate of shop.example:8443, issued by CN=R3, O=Example CA, expires at ';
    t.true(summary.startsWith(issued), summary);
    for (const part of [new Date(ending.to).toISOString(), ...world.codes]) t.true(summary.includes(part), summary);
    t.is(await world.status(id), 'up', 'the verdict knows nothing of it');

    world.pass(minuteMs);
    const renewed = { from: now, to: now + days(90), fingerprint: 'cd' };
    await world.see(id, 0, renewed);
    t.is((await world.alerts())[0]?.state, 'open', 'the other region still sees the old one');
    const end = await world.see(id, 1, renewed);
    t.like((await world.alerts())[0], { state: 'resolved', resolved_at: new Date(end).toISOString() });

    const expiry = `upquorum_monitor_certificate_expiry_timestamp_seconds{monitor_id="${id}"} ${renewed.to / 1000}\n`;
    t.true(String(await world.call('GET', '/v0/metrics')).includes(expiry));

    const explanation = await world.call('GET', `/v0/alerts/${alert?.id}/explanation`);
    t.is(explanation.rule.kind, 'certificate');
    t.deepEqual(
      explanation.certificates.map((seen: { region: string }) => seen.region),
      world.codes,
    );
    const [first, second] = explanation.certificates;
    t.like(first, { as_of: opened, issuer: 'CN=R3, O=Example CA', fingerprint_sha256: 'ab'.repeat(32) });
    t.deepEqual(first.thresholds, [{ days_left: 14, severity: 'p3', crossed: true }]);
    t.false(second.thresholds[0].crossed, 'it had said nothing of it yet');
    t.is(first.check.tls.valid_to, new Date(ending.to).toISOString());
    t.true(explanation.sentence.includes('14.0 days left'), explanation.sentence);
    t.deepEqual(explanation.missing, []);

    const backtest = await world.call('POST', `/v0/monitors/${id}/backtest`, {
      changes: { alert_rules: { certificate: { thresholds: [{ days_left: 7 }] } } },
      from: new Date(now - minuteMs).toISOString(),
    });
    const { started_at, opened_at, resolved_at } = (await world.alerts())[0] as Record<string, string>;
    t.deepEqual(backtest.before.alerts, [{ kind: 'certificate', started_at, opened_at, resolved_at }]);
    t.deepEqual(backtest.after.alerts, []);
    t.deepEqual(backtest.diff.gone, backtest.before.alerts);
  },
);

test.serial('each further threshold updates the alert and raises its severity; deletion resolves it', async t => {
  const world = await openWorld(t, 1);
  const receiver = await startTarget(answer(200));
  t.teardown(() => receiver[Symbol.asyncDispose]());
  await world.call('POST', '/v0/webhooks', {
    url: receiver.url,
    kinds: ['alert.opened', 'alert.updated', 'alert.resolved'],
    alert_kinds: ['certificate'],
  });
  const thresholds = [{ days_left: 30 }, { days_left: 7, severity: 'p2' }, { days_left: 1.5, severity: 'p1' }];
  const id = await world.monitor({ alert_rules: { certificate: { thresholds } } });
  const read = (await world.call('GET', `/v0/monitors/${id}`)).alert_rules.certificate;
  t.deepEqual(read, {
    enabled: true,
    thresholds: [{ days_left: 30, severity: 'p3' }, ...thresholds.slice(1)],
    in_verdict: false,
  });
  const now = world.clock.now();
  const certificate = { from: now - days(60), to: now + days(30) };
  await world.see(id, 0, certificate);
  const severity = async () => (await world.alerts())[0]?.severity;
  t.is(await severity(), 'p3');
  const kinds = () => receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  // Or the sender would take the delivery under way for one that was given up.
  await until(kinds, ['alert.opened']);
  world.pass(days(23.5));
  await world.see(id, 0, certificate);
  t.is(await severity(), 'p2');
  await world.see(id, 0, certificate);
  await until(kinds, ['alert.opened', 'alert.updated']);
  world.pass(days(5));
  await world.see(id, 0, certificate);
  t.is(await severity(), 'p1');
  t.is((await world.call('DELETE', `/v0/monitors/${id}`)) ?? '', '');
  t.is((await world.alerts())[0]?.state, 'resolved');
  await until(kinds, ['alert.opened', 'alert.updated', 'alert.updated', 'alert.resolved']);
});

test.serial(
  'an agent without facts says nothing of certificates, and its warning of 14 days is stored as ok',
  async t => {
    const world = await openWorld(t, 1);
    const id = await world.monitor();
    const at = world.clock.now();
    const tls = { protocol: 'TLSv1.3', valid_to: new Date(at + days(3)).toISOString(), days_left: 3 };
    t.deepEqual(await world.report(0, [goodResult(id, at, { status: 'warn', tls })]), []);
    const [check] = (await world.call('GET', `/v0/monitors/${id}/checks`)).data;
    t.is(check.status, 'ok');
    const unsaid = { alpn: null, valid_from: null, issuer: null, subject: null, fingerprint_sha256: null };
    t.deepEqual(check.tls, { ...tls, ...unsaid, verified: true });
    t.is(await world.status(id), 'up');
    t.deepEqual(await world.alerts(), []);
  },
);

test.serial('in_verdict turns checks to warn from a new version on, decided here', async t => {
  const world = await openWorld(t, 1);
  const id = await world.monitor();
  const now = world.clock.now();
  const certificate = { from: now - days(80), to: now + days(10) };
  await world.see(id, 0, certificate);
  t.is(await world.status(id), 'up');
  const version = async () => (await world.call('GET', `/v0/monitors/${id}`)).config_version as number;
  const patch = (rules: unknown) => world.call('PATCH', `/v0/monitors/${id}`, { alert_rules: rules });
  await patch({ certificate: { thresholds: [{ days_left: 9 }] } });
  t.is(await version(), 1, 'thresholds alone make none');
  t.is((await world.alerts())[0]?.state, 'resolved', 'by the new rules the certificate is good');
  await patch({ certificate: { in_verdict: true, enabled: false } });
  t.is(await version(), 2);
  world.pass(minuteMs);
  await world.see(id, 0, certificate, { config_version: 2 });
  t.is(await world.status(id), 'degraded');
  t.is((await world.call('GET', `/v0/monitors/${id}/checks?limit=1`)).data[0].status, 'warn');
  await patch({ certificate: { in_verdict: true, enabled: false, thresholds: [{ days_left: 9 }] } });
  t.is(await version(), 3, 'the threshold has a part in the verdict now');
  world.pass(minuteMs);
  await world.see(id, 0, certificate, { config_version: 3 });
  t.is(await world.status(id), 'up');
  t.is((await world.alerts('?kind=certificate')).length, 1, 'none opened while they were switched off');

  const changes = { alert_rules: { certificate: { in_verdict: true } } };
  const from = new Date(now - minuteMs).toISOString();
  const backtest = await world.call('POST', `/v0/monitors/${id}/backtest`, { changes, from });
  t.true(backtest.after.degraded_seconds > backtest.before.degraded_seconds, JSON.stringify(backtest));
});

test.serial('a region that says nothing more is waited for an hour, then time alone resolves the alert', async t => {
  const world = await openWorld(t);
  const id = await world.monitor();
  const now = world.clock.now();
  const at = await world.see(id, 0, { from: now - days(80), to: now + days(10) });
  world.pass(30 * minuteMs);
  await world.see(id, 1, { from: now - days(1), to: now + days(89) });
  t.is((await world.alerts())[0]?.state, 'open');
  world.pass(31 * minuteMs);
  const alert = await until(
    async () => (await world.alerts())[0],
    value => value?.state === 'resolved',
  );
  t.is(alert?.resolved_at, new Date(at + hourMs).toISOString());
});

test.serial('an alert about a certificate is held in maintenance, and grouped by the certificate', async t => {
  const world = await openWorld(t, 1);
  const receiver = await startTarget(answer(200));
  t.teardown(() => receiver[Symbol.asyncDispose]());
  const channel = await world.call('POST', '/v0/channels', {
    type: 'http',
    name: 'pager',
    config: { url: receiver.url, template: '{"kind":"{{title}}"}' },
  });
  await world.call('POST', '/v0/routes', {
    name: 'certificates',
    match: { kinds: ['certificate'] },
    steps: [{ after_minutes: 0, channel_ids: [channel.id] }],
  });
  const held = await world.monitor({ name: 'held' });
  const now = world.clock.now();
  await world.call('POST', '/v0/maintenances', {
    title: 'Upgrade',
    scope: { monitor_ids: [held] },
    starts_at: new Date(now - minuteMs).toISOString(),
    ends_at: new Date(now + hourMs).toISOString(),
  });
  const [one, two] = [await world.monitor({ name: 'one' }), await world.monitor({ name: 'two' })];
  const certificate = { from: now - days(80), to: now + days(10), fingerprint: 'ef' };
  world.pass(1000);
  for (const id of [held, one, two]) await world.see(id, 0, certificate);
  t.like((await world.alerts(`?monitor_id=${held}`))[0], { held: true });
  const groups = await until(
    async () => (await world.call('GET', '/v0/alert-groups')).data as { cause: unknown; alert_ids: string[] }[],
    list => list.length === 1 && list[0]?.alert_ids.length === 2,
  );
  t.deepEqual(groups[0]?.cause, { type: 'certificate', value: 'ef'.repeat(32), error_code: null });
});

test.serial('an issuer with characters that the database does not take is shown without them', async t => {
  const world = await openWorld(t);
  const id = await world.monitor();
  const now = world.clock.now();
  const ending = { from: now - days(76), to: now + days(2), issuer: 'CN=\0 and \ud800' };
  await world.see(id, 0, ending);
  await world.see(id, 1, ending);
  const [alert] = await world.alerts();
  const summary = String((alert?.reason as { summary?: string } | undefined)?.summary);
  t.true(summary.includes('issued by CN=\ufffd and \ufffd,'), summary);
});

test.serial(
  'two servers with different certificates are one alert until the old one was not seen for an hour',
  async t => {
    const world = await openWorld(t, 1);
    const receiver = await startTarget(answer(200));
    t.teardown(() => receiver[Symbol.asyncDispose]());
    const kinds = ['alert.opened', 'alert.updated', 'alert.resolved'];
    await world.call('POST', '/v0/webhooks', { url: receiver.url, kinds, alert_kinds: ['certificate'] });
    const told = () => receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    const id = await world.monitor();
    const start = world.clock.now();
    const old = { from: start - days(88), to: start + days(2) };
    const renewed = { from: start - days(2), to: start + days(88), fingerprint: 'cd' };
    const see = async (certificate: Certificate) => {
      world.pass(20_000);
      return world.see(id, 0, certificate);
    };
    await see(old);
    await until(told, ['alert.opened']);
    await see(renewed);
    t.is((await world.alerts())[0]?.state, 'resolved', 'a plain renewal resolves it at once');
    await until(told, ['alert.opened', 'alert.resolved']);
    const since = await see(old);
    await until(told, ['alert.opened', 'alert.resolved', 'alert.updated']);
    for (const certificate of [renewed, renewed, old, renewed]) await see(certificate);
    world.pass(minuteMs);
    const lastBad = await see(old);
    await see(renewed);
    const [alert, ...others] = await world.alerts();
    t.deepEqual(others, []);
    t.like(alert, { state: 'open', resolved_at: null, flapping_since: new Date(since).toISOString() });
    const summary = String((alert?.reason as { summary?: string } | undefined)?.summary);
    t.regex(summary, /: 3 of 7 answers from .* carry it$/);
    t.true(summary.includes(`to ${new Date(lastBad).toISOString()} carry`), summary);

    for (let minutes = 0; minutes < 60; minutes += 20) {
      world.pass(19 * minuteMs);
      await see(renewed);
      t.is((await world.alerts())[0]?.state, 'open');
    }
    world.pass(3 * minuteMs);
    await see(renewed);
    const [ended] = await world.alerts();
    t.like(ended, { state: 'resolved', resolved_at: new Date(lastBad + hourMs).toISOString() });
    await until(told, ['alert.opened', 'alert.resolved', 'alert.updated', 'alert.resolved']);

    const backtest = await world.call('POST', `/v0/monitors/${id}/backtest`, {
      changes: { alert_rules: { certificate: { thresholds: [{ days_left: 3 }] } } },
      from: new Date(start - minuteMs).toISOString(),
    });
    const { started_at, opened_at, resolved_at } = ended as Record<string, string>;
    t.deepEqual(backtest.before.alerts, [{ kind: 'certificate', started_at, opened_at, resolved_at }]);
    t.deepEqual(backtest.after.alerts, backtest.before.alerts);
    for (const from of [since - 1000, since + 1000, lastBad + minuteMs]) {
      const changes = { alert_rules: { certificate: { thresholds: [{ days_left: 3 }] } } };
      const part = await world.call('POST', `/v0/monitors/${id}/backtest`, {
        changes,
        from: new Date(from).toISOString(),
      });
      t.deepEqual(part.before.alerts, backtest.before.alerts, `from ${from - start}`);
    }
  },
);
