import test from 'ava';
import packet from 'dns-packet';
import { ask, askOf, closedUdpPort, dnsTools, recordA } from '../../../../support/dns-check.ts';
import {
  answerA,
  type DnsQuery,
  dnsAnswer,
  type Respond,
  startDnsServer,
  withLength,
} from '../../../../support/dns-server.ts';
import { withTime } from '../../../../support/patience.ts';

test('each query has a number and a port of its own', async t => {
  await using server = await startDnsServer(answerA('192.0.2.1'));
  for (let round = 0; round < 8; round++) await ask(server.port);
  t.true(new Set(server.queries.map(query => query.packet.id)).size > 4);
  t.true(new Set(server.queries.map(query => query.port)).size > 4);
});

for (const transport of ['udp', 'tcp'] as const)
  test(`over ${transport} from the address that the operator chose`, async t => {
    await using server = await startDnsServer(answerA('192.0.2.1'));
    await ask(server.port, { transport }, { tools: dnsTools({ source: { ipv4: '127.0.0.9', ipv6: null } }) });
    t.is(server.queries[0]?.from, '127.0.0.9');
    const tools = dnsTools({ source: { ipv4: '192.0.2.1', ipv6: null } });
    const outcome = await ask(server.port, { transport }, { tools });
    t.like(outcome, { error: { code: 'connect_refused' }, failureSource: 'probe' });
    t.is(server.queries.length, 1);
  });

test('over IPv6, and without recursion', async t => {
  await using server = await startDnsServer(answerA('192.0.2.1'), '::1');
  const outcome = await ask(server.port, { server: { host: '::1', port: server.port }, recursion: false });
  t.like(outcome, { error: null, remoteIp: '::1', host: `[::1]:${server.port}` });
  t.false(server.queries[0]?.packet.flag_rd);
});

test('answers to others are ignored', async t => {
  const outcome = await askOf(query => [
    dnsAnswer(query, [recordA('192.0.2.66')], { id: (query.packet.id ?? 0) ^ 1 }),
    dnsAnswer(query, [recordA('192.0.2.67')], { question: 'other.example' }),
    packet.encode({ ...query.packet, type: 'query' }),
    Buffer.from('nonsense'),
    Buffer.alloc(0),
    ...answerA('192.0.2.1')(query),
  ]);
  t.deepEqual(outcome.response?.records, ['192.0.2.1']);
});

test('a server that sends nothing but answers to others is given up', async t => {
  const outcome = await askOf(() => Array.from({ length: 250 }, () => Buffer.from('no DNS at all')));
  t.like(outcome, { error: { code: 'protocol_error' }, phase: 'answer' });
});

test('a truncated answer is asked for over TCP', async t => {
  await using server = await startDnsServer(query =>
    query.transport === 'udp'
      ? [dnsAnswer(query, [], { flags: packet.TRUNCATED_RESPONSE })]
      : answerA('192.0.2.1')(query),
  );
  const outcome = await ask(server.port);
  t.deepEqual(outcome.response?.records, ['192.0.2.1']);
  t.deepEqual(
    server.queries.map(query => query.transport),
    ['udp', 'tcp'],
  );
});

test('over TCP an answer may come byte by byte and be as long as 64 KiB', async t => {
  const many = Array.from({ length: 2000 }, (_, index) => recordA(`10.0.${index >> 8}.${index & 255}`));
  const slow = await askOf(query => [...(answerA('192.0.2.1')(query)[0] ?? [])].map(byte => Buffer.from([byte])), {
    transport: 'tcp',
  });
  t.deepEqual(slow.response?.records, ['192.0.2.1']);
  let taken = 0;
  const takeBytes = (bytes: number) => {
    taken += bytes;
    return true;
  };
  const long = await askOf(query => [dnsAnswer(query, many)], { transport: 'tcp' }, { takeBytes });
  t.is(long.response?.records?.length, 2000);
  t.like(long.facts?.dns, { truncated: true, answers: { length: 50 } });
  t.true(taken >= long.bytes);
  const full = await askOf(query => [dnsAnswer(query, many)], { transport: 'tcp' }, { takeBytes: () => false });
  t.like(full, { error: { code: 'body_too_large' }, failureSource: 'probe' });
});

// One after the other: a time limit of seconds must not pass while others use the thread.
test.serial('a query that is lost is sent again after a third of the time limit', async t => {
  const { outcome, queries, timeoutMs } = await withTime(
    async timeoutMs => {
      await using server = await startDnsServer(query => (query.count === 1 ? [] : answerA('192.0.2.1')(query)));
      const outcome = await ask(server.port, {}, { timeoutMs });
      return { outcome, queries: server.queries.length, timeoutMs };
    },
    ({ outcome, queries }) => outcome.error === null && queries === 2,
  );
  t.is(outcome.error, null);
  t.is(queries, 2);
  t.true(outcome.latencyMs >= timeoutMs / 3 - 10, `${outcome.latencyMs}`);
});

test.serial('an answer to the first query still counts once the second is on its way', async t => {
  let seen: DnsQuery[] = [];
  const respond: Respond = query => {
    seen.push(query);
    const [first] = seen;
    for (const message of query === first || first === undefined ? [] : answerA('192.0.2.1')(first))
      first?.send(message);
    return [];
  };
  const outcome = await withTime(
    timeoutMs => {
      seen = [];
      return askOf(respond, {}, { timeoutMs });
    },
    ({ error }) => error === null,
  );
  t.is(outcome.error, null);
  t.true(seen.length >= 2);
});

test.serial('a silent server is a timeout after at most three queries', async t => {
  await using server = await startDnsServer(() => []);
  for (const transport of ['udp', 'tcp'] as const) {
    const outcome = await ask(server.port, { transport }, { timeoutMs: 1500 });
    t.like(outcome, {
      error: { code: 'timeout', message: 'the name server did not answer within the time limit' },
      failureSource: 'target',
      phase: 'answer',
      response: null,
    });
  }
  const { udp = [], tcp = [] } = Object.groupBy(server.queries, query => query.transport);
  t.true(udp.length >= 2 && udp.length <= 3 && tcp.length <= 1);
});

test('where nothing listens, the query is refused', async t => {
  const port = closedUdpPort;
  for (const transport of ['udp', 'tcp'] as const)
    t.like(await ask(port, { transport }), {
      error: { code: 'connect_refused' },
      failureSource: 'target',
      phase: 'connect',
      host: `127.0.0.1:${port}`,
    });
});

test('over TCP, what is no answer to the query is a protocol_error, and a cut one a reset', async t => {
  const foreign = await askOf(query => [dnsAnswer(query, [], { id: (query.packet.id ?? 0) ^ 1 })], {
    transport: 'tcp',
  });
  t.is(foreign.error?.code, 'protocol_error');
  const empty = await askOf(() => [withLength(Buffer.alloc(0))], { transport: 'tcp' });
  t.is(empty.error?.code, 'protocol_error');
});
