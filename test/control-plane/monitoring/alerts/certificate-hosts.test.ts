import test from 'ava';
import { mostUrgent } from '#control-plane/monitoring/certificates/certificate.ts';
import { followCertificate } from '#control-plane/monitoring/certificates/watch.ts';
import { hasSameTemplate } from '#control-plane/monitoring/checks/storage/template.ts';
import { defaultCertificateRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { listCertificates } from '#control-plane/on-call/alert-groups/member-store.ts';
import type { TlsDetail } from '#shared/check-result.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { apiOf, createRegions, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { badResults, connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';

const databaseOf = useDatabase(test);
const text = (ms: number) => new Date(ms).toISOString();

function certificate(days: number, fingerprint: string, nowMs: number) {
  return {
    valid_from: text(nowMs - (90 - days) * dayMs),
    valid_to: text(nowMs + days * dayMs),
    issuer: `CN=issuer of ${fingerprint}`,
    subject: 'CN=x',
    fingerprint_sha256: fingerprint.repeat(32),
  };
}

function detail(days: number, fingerprint: string, nowMs: number, more: Partial<TlsDetail> = {}): TlsDetail {
  return { protocol: 'TLSv1.3', days_left: days, ...certificate(days, fingerprint, nowMs), ...more };
}

test.serial('an alert names the host of the certificate that ends, wherever on the way it was shown', async t => {
  const secrets = await createRegions(databaseOf(), ['hosts']);
  const { token } = await createTenant(databaseOf());
  let offsetMs = 0;
  const clock = { now: () => Date.now() + offsetMs };
  const replica = await startReplica(databaseOf(), {}, clock);
  t.teardown(() => replica.stop());
  const agent = await connectFakeAgent(replica.url, secrets.hosts?.secret ?? '');
  t.teardown(() => agent[Symbol.asyncDispose]());
  const api = apiOf(replica.url, token);
  const monitor = async (name: string): Promise<string> =>
    (
      await api('POST', '/v0/monitors', {
        ...{ name, url: 'https://shop.example/', interval_seconds: 60, regions: ['hosts'] },
      })
    ).body.id;
  const alertOf = async (id: string) => (await api('GET', `/v0/alerts?kind=certificate&monitor_id=${id}`)).body.data;
  const now = clock.now();
  const good = certificate(80, 'ab', now);
  const [atEnd, before] = [await monitor('end'), await monitor('before')];
  const login = detail(2, 'cd', now, { host: 'login.example', earlier: [{ host: 'shop.example', ...good }] });
  const ending = { host: 'old.example:8443', ...certificate(3, 'ef', now) };
  const onTheWay = detail(80, 'ab', now, { host: 'shop.example', earlier: [ending] });
  offsetMs += minuteMs;
  t.deepEqual(await agent.report([goodResult(atEnd, clock.now(), { tls: login })]), []);
  t.deepEqual(await agent.report([goodResult(before, clock.now(), { tls: onTheWay })]), []);

  const [last] = await alertOf(atEnd);
  t.regex(last.reason.summary, /^the certificate of login\.example, issued by CN=issuer of cd, expires at /);
  const [first] = await alertOf(before);
  t.regex(first.reason.summary, /^the certificate of old\.example:8443, issued by CN=issuer of ef, expires at /);
  t.is(first.title, `Certificate of before expires on ${ending.valid_to.slice(0, 10)}`);
  const [check] = (await api('GET', `/v0/monitors/${before}/checks`)).body.data;
  t.like(check.tls, { host: 'shop.example', fingerprint_sha256: 'ab'.repeat(32) });
  t.deepEqual(check.tls.earlier, [ending]);
  const explained = (await api('GET', `/v0/alerts/${first.id}/explanation`)).body;
  t.like(explained.certificates[0], { host: 'old.example:8443', fingerprint_sha256: 'ef'.repeat(32) });
  const metrics = String((await api('GET', '/v0/metrics')).body);
  const expiry = `upquorum_monitor_certificate_expiry_timestamp_seconds{monitor_id="${before}"} `;
  t.true(metrics.includes(`${expiry}${Date.parse(ending.valid_to) / 1000}\n`), metrics);

  offsetMs += minuteMs;
  const tls = detail(80, 'ab', now);
  const error = { code: 'timeout', message: 'x' } as const;
  await agent.report(badResults(before, clock.now(), { tls, error }));
  t.is((await alertOf(before))[0].state, 'open', 'the check did not come to the other host');
  offsetMs += minuteMs;
  const renewed = { host: 'old.example:8443', ...certificate(89, '01', now) };
  await agent.report([goodResult(before, clock.now(), { tls: { ...onTheWay, earlier: [renewed] } })]);
  t.is((await alertOf(before))[0].state, 'resolved');

  const changes = { alert_rules: { certificate: { thresholds: [{ days_left: 2.5 }] } } };
  const backtest = (await api('POST', `/v0/monitors/${before}/backtest`, { changes, from: text(now - minuteMs) })).body;
  const { started_at, opened_at, resolved_at } = (await alertOf(before))[0];
  const ofKind = (alerts: { kind: string }[]) => alerts.filter(({ kind }) => kind === 'certificate');
  t.deepEqual(ofKind(backtest.before.alerts), [{ kind: 'certificate', started_at, opened_at, resolved_at }]);
  t.deepEqual(ofKind(backtest.after.alerts), []);
});

test.serial('the end of a client certificate is an alert, whatever its checks come to', async t => {
  const secrets = await createRegions(databaseOf(), ['clients']);
  const { token } = await createTenant(databaseOf());
  let offsetMs = 0;
  const clock = { now: () => Date.now() + offsetMs };
  const replica = await startReplica(databaseOf(), {}, clock);
  t.teardown(() => replica.stop());
  const agent = await connectFakeAgent(replica.url, secrets.clients?.secret ?? '');
  t.teardown(() => agent[Symbol.asyncDispose]());
  const api = apiOf(replica.url, token);
  const url = 'https://shop.example/';
  const body = { name: 'm', url, interval_seconds: 60, regions: ['clients'] };
  const id: string = (await api('POST', '/v0/monitors', body)).body.id;
  const alertOf = async () => (await api('GET', `/v0/alerts?kind=certificate&monitor_id=${id}`)).body.data;
  const now = clock.now();
  const certificateOf = (days: number, fingerprint: string) => ({
    facts: { client_certificate: certificate(days, fingerprint, now) },
  });
  const refused = { error: { code: 'tls_error', message: 'x' } } as const;
  const next = () => {
    offsetMs += minuteMs;
    return clock.now();
  };
  await agent.report(badResults(id, next(), { ...refused, ...certificateOf(15, 'cd') }));
  t.deepEqual(await alertOf(), []);
  await agent.report(badResults(id, next(), { ...refused, ...certificateOf(13, 'cd') }));
  await agent.report([goodResult(id, next(), { tls: detail(80, 'ab', now), ...certificateOf(13, 'cd') })]);
  const [alert, ...others] = await alertOf();
  t.deepEqual(others, []);
  t.regex(
    alert.reason.summary,
    /^Client certificate CN=x, issued by CN=issuer of cd, expires at .* \(seen in clients\)$/,
  );
  const explained = (await api('GET', `/v0/alerts/${alert.id}/explanation`)).body;
  t.like(explained.certificates[0], { of: 'client', fingerprint_sha256: 'cd'.repeat(32), host: undefined });
  t.regex(explained.sentence, /^The client certificate expires at /);
  const [seen] = await withSql(databaseOf(), sql => listCertificates(sql, id, ['clients'], now));
  t.is(seen?.detail.facts?.client_certificate?.fingerprint_sha256, 'cd'.repeat(32));
  const metrics = String((await api('GET', '/v0/metrics')).body);
  const expiry = (name: string, days: number) =>
    `upquorum_monitor_${name}certificate_expiry_timestamp_seconds{monitor_id="${id}"} ${(now + days * dayMs) / 1000}\n`;
  t.true(metrics.includes(expiry('', 80)), metrics);
  t.true(metrics.includes(expiry('client_', 13)), metrics);

  await agent.report(badResults(id, next(), { ...refused, ...certificateOf(60, 'ef') }));
  const [resolved] = await alertOf();
  t.is(resolved.state, 'resolved', 'the new one is known without an answer');
  const backtest = async (days: number) => {
    const changes = { alert_rules: { certificate: { thresholds: [{ days_left: days }] } } };
    const { after } = (await api('POST', `/v0/monitors/${id}/backtest`, { changes, from: text(now - minuteMs) })).body;
    return after.alerts.filter(({ kind }: { kind: string }) => kind === 'certificate');
  };
  const { started_at, opened_at, resolved_at } = resolved;
  t.deepEqual(await backtest(14), [{ kind: 'certificate', started_at, opened_at, resolved_at }]);
  t.deepEqual(await backtest(12), []);
});

test('the certificate that is nearest to its own threshold stands for a check', t => {
  const short = { valid_from: text(-dayMs), valid_to: text(5 * dayMs) };
  const tls = detail(10, 'ab', 0, {
    host: 'b.example',
    earlier: [{ ...certificate(80, 'cd', 0), host: 'a', ...short }],
  });
  t.is(mostUrgent({ tls }, 0)?.certificate.host, 'b.example', 'six days of life: two days before its end');
  t.is(mostUrgent({ tls }, 0, [{ days_left: 7, severity: 'p1' }])?.certificate.host, 'a');
  t.is(mostUrgent({ tls: { ...tls, earlier: [] } }, 0)?.fact.host, 'b.example');
  t.deepEqual(mostUrgent({ tls: detail(10, 'ab', 0) }, 0)?.fact, {
    at: 0,
    validFrom: -80 * dayMs,
    validTo: 10 * dayMs,
  });
});

test('a check that failed on its way says nothing good of the hosts behind', t => {
  const bad = { at: 0, validFrom: -88 * dayMs, validTo: 2 * dayMs, host: 'b' };
  const good = { at: minuteMs, validFrom: -dayMs, validTo: 89 * dayMs, host: 'a' };
  const open = followCertificate(null, defaultCertificateRules, { region: 'r', fact: bad }, minuteMs).watch;
  const see = (only?: string[]) =>
    followCertificate(open, defaultCertificateRules, { region: 'r', fact: good, ...(only ? { only } : {}) }, minuteMs);
  t.is(see(['a']).watch, open);
  for (const only of [undefined, ['a', 'b']])
    t.deepEqual(
      see(only).transitions.map(({ type }) => type),
      ['resolve'],
    );
});

test('results that saw other hosts have another shape', t => {
  const fields = { assertions: [], remote_ip: null };
  const tls = detail(10, 'ab', 0, { host: 'b', earlier: [{ host: 'a', ...certificate(80, 'cd', 0) }] });
  t.true(hasSameTemplate({ ...fields, tls }, { ...fields, tls: structuredClone(tls) }));
  t.false(hasSameTemplate({ ...fields, tls }, { ...fields, tls: { ...tls, host: 'c' } }));
  t.false(hasSameTemplate({ ...fields, tls }, { ...fields, tls: { ...tls, earlier: [] } }));
});
