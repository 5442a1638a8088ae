import test from 'ava';
import type { Assertion } from '#shared/assertions/assertion.ts';
import { ask, asked, askOf, recordA, recordCname } from '../../../../support/dns-check.ts';
import { answerA, dnsAnswer, type Respond, startDnsServer } from '../../../../support/dns-server.ts';

test('an answer with a record is good, and its time is the latency', async t => {
  await using server = await startDnsServer(answerA('192.0.2.1'));
  const outcome = await ask(server.port);
  const label = `127.0.0.1:${server.port}`;
  t.like(outcome, { error: null, statusCode: null, remoteIp: '127.0.0.1', host: label, tls: null });
  t.deepEqual(outcome.facts, {
    dns: {
      server: label,
      rcode: 'NOERROR',
      answers: [{ name: asked, type: 'A', ttl: 60, data: '192.0.2.1' }],
      truncated: false,
      servers: [],
    },
  });
  t.true(Math.abs(outcome.latencyMs - (outcome.timings.dns_ms ?? 0)) < 0.01);
  t.is(outcome.response?.bodyText, `${asked} 60 A 192.0.2.1\n`);
  t.deepEqual(outcome.response?.records, ['192.0.2.1']);
  t.true(outcome.bytes > 12);
});

for (const [what, respond, message] of [
  ['NXDOMAIN', query => [dnsAnswer(query, [], { rcode: 3 })], 'NXDOMAIN'],
  ['SERVFAIL', query => [dnsAnswer(query, [], { rcode: 2 })], 'SERVFAIL'],
  ['a refusal', query => [dnsAnswer(query, [], { rcode: 5 })], 'REFUSED'],
  ['no record', query => [dnsAnswer(query, [])], 'no record of type A'],
  ['an alias to nowhere', query => [dnsAnswer(query, [recordCname('gone.example')])], 'no record of type A'],
  ['a code and records', query => [dnsAnswer(query, [recordA('192.0.2.1')], { rcode: 3 })], 'NXDOMAIN'],
] as const satisfies [string, Respond, string][])
  test(`${what} is no_record, unless a code is asserted`, async t => {
    const outcome = await askOf(respond);
    t.like(outcome, {
      error: { code: 'no_record', message },
      failureSource: 'target',
      phase: 'answer',
      response: null,
    });
    t.truthy(outcome.facts?.dns);
    const asserted: Assertion = { type: 'dns_rcode', operator: 'eq', value: 'NXDOMAIN' };
    t.is((await askOf(respond, {}, { assertions: [asserted] })).error, null);
  });

test('the aliases that lead to the records are kept, and are no records of the type', async t => {
  const outcome = await askOf(query => [
    dnsAnswer(query, [
      recordCname('web.example'),
      recordCname('lb.example', 'web.example'),
      recordA('192.0.2.1', 'lb.example'),
    ]),
  ]);
  t.deepEqual(
    outcome.facts?.dns?.answers.map(({ type, data }) => `${type} ${data}`),
    ['CNAME web.example', 'CNAME lb.example', 'A 192.0.2.1'],
  );
  t.deepEqual(outcome.response?.records, ['192.0.2.1']);
  const asked = await askOf(query => [dnsAnswer(query, [recordCname('web.example')])], { type: 'CNAME' });
  t.deepEqual(asked.response?.records, ['web.example']);
});

test('a type without a name is asked for by its number', async t => {
  const outcome = await askOf(
    query => {
      const bytes = dnsAnswer(query, [recordA('192.0.2.1')]);
      bytes.writeUInt16BE(65_280, bytes.length - 14);
      return [bytes];
    },
    { type: 'TYPE65280' },
  );
  t.deepEqual(outcome.response?.records, ['\\# 4 c0000201']);
});

for (const [what, break_] of [
  ['half a record', (bytes: Buffer) => bytes.subarray(0, -3)],
  ['more records than there are', (bytes: Buffer) => Buffer.from(bytes.with(7, 200))],
] as const)
  test(`an answer of ${what} is a protocol_error`, async t => {
    const outcome = await askOf(query => answerA('192.0.2.1')(query).map(break_));
    t.like(outcome, {
      error: { code: 'protocol_error', message: 'the answer is not valid DNS' },
      failureSource: 'target',
      phase: 'answer',
    });
  });
