import test from 'ava';
import { ask, asked, askOf, closedUdpPort, dnsTools, Routed, recordA } from '../../../../support/dns-check.ts';
import { answerA, dnsAnswer, startDnsServer } from '../../../../support/dns-server.ts';
import { withTime } from '../../../../support/patience.ts';
import { namesResolver, range } from '../../../../support/probe.ts';

test('a server may be a name, whose resolution is not part of the time', async t => {
  await using server = await startDnsServer(answerA('192.0.2.1'));
  const resolver = namesResolver({});
  resolver.find = async () => {
    for (const untilMs = performance.now() + 100; performance.now() < untilMs; ) await null;
    return { known: ['127.0.0.1'], later: null };
  };
  const startedMs = performance.now();
  const outcome = await ask(
    server.port,
    { server: { host: 'ns.test', port: server.port } },
    { tools: dnsTools({ resolver }) },
  );
  t.like(outcome, { error: null, host: `ns.test:${server.port}` });
  t.is(outcome.facts?.dns?.server, `ns.test:${server.port}`);
  t.true(performance.now() - startedMs - outcome.latencyMs >= 99);
});

test('a server whose name has no address fails in the phase dns', async t => {
  const outcome = await ask(53, { server: { host: 'missing.test', port: 53 } });
  t.like(outcome, { error: { code: 'dns_failure' }, phase: 'dns', host: 'missing.test:53' });
});

test('of a server with several addresses the next one is asked at once if one refuses', async t => {
  await using server = await startDnsServer(answerA('192.0.2.1'));
  const resolver = namesResolver({ 'two.test': [['127.0.0.9', '127.0.0.1']] });
  for (const transport of ['udp', 'tcp'] as const) {
    const outcome = await ask(
      server.port,
      { server: { host: 'two.test', port: server.port }, transport },
      { tools: dnsTools({ resolver }) },
    );
    t.like(outcome, { error: null, remoteIp: '127.0.0.1' });
  }
});

test('servers agree on the code and the set of data, whatever its order and TTL', async t => {
  await using same = await startDnsServer(query => [
    dnsAnswer(query, [recordA('192.0.2.2'), recordA('192.0.2.1', asked, 9)]),
  ]);
  await using other = await startDnsServer(answerA('192.0.2.9'));
  await using failing = await startDnsServer(query => [dnsAnswer(query, [], { rcode: 2 })]);
  const at = ({ port }: { port: number }) => ({ host: '127.0.0.1', port });
  const outcome = await askOf(query => [dnsAnswer(query, [recordA('192.0.2.1'), recordA('192.0.2.2')])], {
    agree_with: [at(same), at(other), at(failing)],
  });
  t.is(outcome.error, null);
  t.deepEqual(
    outcome.facts?.dns?.servers.map(({ rcode, agrees }) => [rcode, agrees]),
    [
      ['NOERROR', true],
      ['NOERROR', false],
      ['SERVFAIL', false],
    ],
  );
});

// One after the other: a time limit of seconds must not pass while others use the thread.
test.serial('a silent, closed or unknown server of `agree_with` does not agree, and the check goes on', async t => {
  await using silent = await startDnsServer(() => []);
  const others = [
    { host: '127.0.0.1', port: silent.port },
    { host: '127.0.0.1', port: closedUdpPort },
    { host: 'missing.test', port: 53 },
  ];
  const outcome = await withTime(
    timeoutMs => askOf(answerA('192.0.2.1'), { agree_with: others }, { timeoutMs }),
    ({ error }) => error === null,
  );
  t.is(outcome.error, null);
  t.deepEqual(
    outcome.facts?.dns?.servers,
    others.map(({ host, port }) => ({ server: `${host}:${port}`, rcode: null, agrees: false })),
  );
  t.true(Math.abs(outcome.latencyMs - (outcome.timings.dns_ms ?? 0)) < 0.01, 'without the time that others took');
});

test('a forbidden server, also of `agree_with`, blocks the check before anybody is asked', async t => {
  await using server = await startDnsServer(answerA('192.0.2.1'));
  const policy = { base: 'ranges' as const, allow: [range('127.0.0.1')] };
  const guarded = dnsTools({ policy, resolver: namesResolver({ 'in.test': [['10.0.0.1']] }) });
  for (const host of ['127.0.0.2', 'in.test']) {
    const other = { host, port: server.port };
    const main = await ask(server.port, { server: other }, { tools: guarded });
    t.like(main, { error: { code: 'blocked_address' }, phase: 'connect', host: `${host}:${server.port}` });
    const agreeing = await ask(server.port, { agree_with: [other] }, { tools: guarded });
    t.like(agreeing, { error: { code: 'blocked_address' }, host: `${host}:${server.port}` });
  }
  t.is(server.queries.length, 0);
});

test.serial(
  'without a server the agent’s own are asked, which are not guarded, the next one if one is silent',
  async t => {
    await using silent = await startDnsServer(() => []);
    await using answering = await startDnsServer(answerA('192.0.2.1'));
    const checkServers = [silent, answering].map(({ port }) => ({ address: '127.0.0.1', port }));
    const own = dnsTools({ checkServers, policy: { base: 'public', allow: [] } });
    for (const transport of ['udp', 'tcp'] as const) {
      const outcome = await withTime(
        timeoutMs => ask(0, { server: null, transport }, { tools: own, timeoutMs }),
        ({ error }) => error === null,
      );
      t.like(outcome, { error: null, remoteIp: '127.0.0.1' });
      t.is(outcome.facts?.dns?.server, `127.0.0.1:${answering.port}`);
    }
  },
);

test('if none of the agent’s own servers answers, that is not the target’s fault', async t => {
  await using silent = await startDnsServer(() => []);
  for (const port of [silent.port, closedUdpPort]) {
    const own = dnsTools({ checkServers: [{ address: '127.0.0.1', port }] });
    const outcome = await ask(0, { server: null }, { tools: own, timeoutMs: 500 });
    t.like(outcome, { error: { code: 'dns_failure' }, failureSource: 'resolver', phase: 'dns' });
  }
  const none = await ask(0, { server: null });
  t.like(none, { error: { code: 'dns_failure' }, failureSource: 'probe' });
});

test('silence while this host’s own network is down is a fault of the probe', async t => {
  await using silent = await startDnsServer(() => []);
  class Outage extends Routed {
    override isLocalOutage(): boolean {
      return true;
    }
  }
  const outcome = await ask(silent.port, {}, { tools: dnsTools({ health: new Outage() }), timeoutMs: 300 });
  t.like(outcome, { error: { code: 'timeout' }, failureSource: 'probe' });
});
