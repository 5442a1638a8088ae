import test from 'ava';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { recordA } from '#test/support/dns-check.ts';
import { dnsAnswer, startDnsServer } from '#test/support/dns-server.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);

test('an address that does not answer is named, degrades a monitor where asked, and is gone with DNS', async t => {
  let addresses = ['127.0.0.1', '127.0.0.2'];
  const dns = await startDnsServer(query => {
    const { name = '', type } = query.packet.questions?.[0] ?? {};
    const isAsked = name.toLowerCase() === 'many.test' && type === 'A';
    return [dnsAnswer(query, isAsked ? addresses.map(data => recordA(data, name, 0)) : [])];
  });
  const settings = { DNS_SERVERS: `127.0.0.1:${dns.port}` };
  const world = await openWorld(t, database(), ['many-a', 'many-b'], {
    env: { 'many-a': settings, 'many-b': settings },
  });
  t.teardown(() => dns[Symbol.asyncDispose]());
  const url = `http://many.test:${world.target.port}/`;
  const egress = { addresses: 'each' };
  const id = await world.monitor({ name: 'many', url, egress });
  const partial = { answering: 1, total: 2, failing: [{ address: '127.0.0.2', error_code: 'connect_refused' }] };
  const monitor = async () => (await world.api('GET', `/v0/monitors/${id}`)).body;
  const votes = async () =>
    ((await monitor()).votes as { partial_addresses: unknown }[]).map(one => one.partial_addresses);
  await until(votes, all => all.every(one => one !== null));
  t.deepEqual(await votes(), [partial, partial]);
  const [check] = (await world.api('GET', `/v0/monitors/${id}/checks?limit=1`)).body.data;
  t.like(check, { status: 'ok', remote_ip: '127.0.0.1', addresses: { total: 2, answering: 1 } });
  const metrics = await (
    await fetch(`${world.replica.url}/v0/metrics`, { headers: { authorization: `Bearer ${world.token}` } })
  ).text();
  t.regex(metrics, /upquorum_monitor_addresses\{[^}]*region="many-a"[^}]*state="answering"[^}]*\} 1/);

  const assertions = [{ type: 'addresses', operator: 'all', on_fail: 'warn' }];
  const alert_rules = { degraded: { after_seconds: 0, severity: 'p3' } };
  const patched = await world.api('PATCH', `/v0/monitors/${id}`, { assertions, alert_rules });
  t.is(patched.status, 200, JSON.stringify(patched.body));
  await until(
    () => world.status(id),
    status => status === 'degraded',
  );
  const [alert] = await until(world.alerts, all => all.length > 0);
  const { body: explained } = await world.api('GET', `/v0/alerts/${alert?.id}/explanation`);
  t.true(
    explained.sentence.includes('(1 of 2 addresses answer; 127.0.0.2: the connection was refused)'),
    explained.sentence,
  );
  t.deepEqual(explained.votes[0].partial_addresses, partial);

  const tested = await world.api('POST', '/v0/monitors/test', {
    url,
    egress,
    assertions,
    interval_seconds: 60,
    regions: ['many-a'],
  });
  t.like(tested.body.data[0].result, { status: 'warn', addresses: { answering: 1, total: 2 } });

  addresses = ['127.0.0.1'];
  await world.api('PATCH', `/v0/monitors/${id}`, { timeout_ms: 4000 });
  await until(
    () => world.status(id),
    status => status === 'up',
  );
  t.deepEqual(await votes(), [null, null]);
  addresses = ['127.0.0.2'];
  await world.api('PATCH', `/v0/monitors/${id}`, { timeout_ms: 3000 });
  await until(
    () => world.status(id),
    status => status === 'down',
  );
});
