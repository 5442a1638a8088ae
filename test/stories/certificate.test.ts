import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { dayMs, secondMs } from '#shared/duration.ts';
import { startTestAgent } from '#test/support/agent.ts';
import { makeCertificate, type TestCertificate } from '#test/support/certificate.ts';
import { apiOf, createRegions, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);

/** A web server whose certificate can be replaced while it runs, and a monitor on it. */
async function openShop(t: ExecutionContext, region: string, first: TestCertificate) {
  const server: Server = createServer(first, (_, response) => response.end('ok'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { [region]: secret } = await createRegions(database(), [region]);
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const options = { authority: first.authority, env: { AGENT_SECRET: secret?.secret ?? '' } };
  const agent = await startTestAgent(replica, options);
  t.teardown(() => agent[Symbol.asyncDispose]());
  const { token } = await createTenant(database());
  const api = apiOf(replica.url, token);
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  const { body } = await api('POST', '/v0/monitors', { name: 'shop', url, interval_seconds: 10, regions: [region] });
  const id = body.id as string;
  const checks = async () => (await api('GET', `/v0/monitors/${id}/checks`)).body.data as Check[];
  return {
    server,
    checks,
    alerts: async () => (await api('GET', '/v0/alerts')).body.data as Record<string, unknown>[],
    /** Checks at once, and waits until the result of it is there. */
    check: async () => {
      const count = (await checks()).length;
      await until(async () => (await api('POST', `/v0/monitors/${id}/check-now`, {})).status, 202);
      return until(checks, list => list.length > count);
    },
    verdicts: async () =>
      ((await api('GET', `/v0/monitors/${id}/verdicts`)).body.data as { verdict: string }[]).map(row => row.verdict),
  };
}

type Check = { status: string; tls: Record<string, unknown> | null };

test('a certificate of six days that is renewed at half of its life opens no alert', async t => {
  const first = makeCertificate({ from: Date.now() - 3 * dayMs, days: 6 });
  const shop = await openShop(t, 'short', first);
  await until(shop.checks, list => list.length > 0);
  const [check] = await shop.checks();
  t.is(check?.status, 'ok');
  t.like(check?.tls, { days_left: 2, subject: 'CN=localhost', issuer: 'CN=test authority' });
  t.regex(String(check?.tls?.fingerprint_sha256), /^[0-9a-f]{64}$/);
  t.deepEqual(await shop.alerts(), [], 'three of six days are left: more than a third');
});

test('one of 90 days that is left alone opens one alert at 14 days, and the monitor stays up', async t => {
  // It has 14 days and some seconds left: the first checks are too early.
  const first = makeCertificate({ from: Date.now() - 76 * dayMs + 8 * secondMs, days: 90 });
  const shop = await openShop(t, 'long', first);
  const [early] = await until(shop.checks, list => list.length > 0);
  t.is(early?.status, 'ok');
  const [alert] = await until(shop.alerts, list => list.length === 1);
  t.like(alert, { kind: 'certificate', severity: 'p3', state: 'open', regions_failing: ['long'] });
  const [late] = await shop.check();
  t.is(late?.status, 'ok');
  t.is((await shop.alerts()).length, 1);
  t.deepEqual(await shop.verdicts(), ['up', 'pending'], 'certificates have no part in the verdict');
});
