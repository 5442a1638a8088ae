import test from 'ava';
import { CpuShares } from '#agent/lanes/cpu-shares.ts';
import { AddressRounds } from '#agent/probe/addresses/rounds.ts';
import { TokenCache } from '#agent/probe/auth/token-cache.ts';
import { type CheckTools, check, checkAndShow, needsSecondAttempt } from '#agent/probe/check.ts';
import { PingLimit } from '#agent/probe/kinds/ping/ping-limit.ts';
import { SecretIndexes } from '#agent/probe/secret-indexes.ts';
import { showResponse } from '#agent/probe/show-response.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';
import { selectValues } from '#shared/assertions/json-path.ts';
import { wireResultSchema } from '#shared/check-result.ts';
import type { Check } from '#shared/checks/check.ts';
import { dayMs } from '#shared/duration.ts';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { Routed } from '../../support/dns-check.ts';
import { answerA, dnsAnswer, startDnsServer } from '../../support/dns-server.ts';
import { makeFakePing, printing } from '../../support/fake-ping.ts';
import { makeAssignment } from '../../support/gateway.ts';
import { probeTools } from '../../support/probe.ts';
import { ok, startRawTarget, startTarget } from '../../support/target.ts';

const attempt = { kind: 'scheduled', scheduledAt: 1_000_000, attempt: 1 } as const;

function toolsOf(changes: Partial<CheckTools> = {}): CheckTools {
  return {
    ...probeTools({ health: new Routed() }),
    selectFor:
      () =>
      async (path, { value }) =>
        selectValues(path, value),
    decideFor: null,
    bodies: new FairPool(2_000_000, () => 1),
    secrets: new SecretIndexes(() => 1),
    cpu: new CpuShares(() => 1),
    tokens: new TokenCache(),
    rounds: new AddressRounds(),
    ...changes,
  };
}

const assignmentOf = (check: Check, assertions: Assertion[] = []) =>
  makeAssignment({ url: 'tcp://target.test:1', timeout_ms: 20_000, check, assertions });
const run = (one: Check, assertions: Assertion[] = [], tools = toolsOf()) =>
  check(assignmentOf(one, assertions), attempt, tools);
const tcp = (port: number, send: string | null = null) =>
  ({ kind: 'tcp', host: '127.0.0.1', port, send, read: true }) as const;
const dns = (port: number, server = { host: '127.0.0.1', port }) =>
  ({ kind: 'dns', server, name: 'a.example', type: 'A', transport: 'udp', recursion: true, agree_with: [] }) as Check;
const contains = (value: string, more: object = {}) =>
  ({ type: 'body_contains', operator: 'contains', value, case_insensitive: false, ...more }) as Assertion;

test('a good result of each kind conforms to the protocol, without a status code', async t => {
  await using target = await startRawTarget(socket => void socket.write('220 ready\r\n'));
  await using server = await startDnsServer(answerA('192.0.2.1'));
  using program = makeFakePing(printing('64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=7.25 ms'));
  const ping = { path: program.path, interval: '0.2' as const, limit: new PingLimit(1, () => 1) };
  for (const one of [tcp(target.port), dns(server.port), { kind: 'ping', host: '127.0.0.1', count: 1 } as const]) {
    const result = await run(one, [], toolsOf({ ping }));
    t.like(result, { status: 'ok', status_code: null, error: null, failure_source: null, assertions: [] });
    t.deepEqual(wireResultSchema.parse({ seq: 1, ...result }), { seq: 1, ...result });
    t.is('facts' in result, one.kind !== 'tcp');
    if (one.kind === 'ping') t.is(result.latency_ms, 7.25);
  }
});

test('a failure says in which phase and at which host', async t => {
  await using target = await startRawTarget(socket => void socket.end());
  const result = await run(tcp(target.port));
  t.like(result, {
    status: 'err',
    latency_ms: null,
    failure_source: 'target',
    error: { code: 'no_reply', phase: 'answer', host: `127.0.0.1:${target.port}` },
  });
  t.true(wireResultSchema.safeParse({ seq: 1, ...result }).success);
  t.true(needsSecondAttempt(result));
});

test('what failed keeps its facts', async t => {
  await using server = await startDnsServer(query => [dnsAnswer(query, [], { rcode: 3 })]);
  const result = await run(dns(server.port));
  t.like(result, { error: { code: 'no_record', message: 'NXDOMAIN' }, facts: { dns: { rcode: 'NXDOMAIN' } } });
});

test('a failed assertion that only warns fails no check, and asks for no second attempt', async t => {
  await using target = await startRawTarget(socket => void socket.end('220 ready\r\n'));
  const warned = await run(tcp(target.port), [contains('ready'), contains('missing', { on_fail: 'warn' })]);
  t.like(warned, { status: 'ok', failure_source: null });
  t.like(warned.assertions, { 0: { passed: true }, 1: { passed: false } });
  t.false(needsSecondAttempt(warned));
  const both = await run(tcp(target.port), [contains('other'), contains('missing', { on_fail: 'warn' })]);
  t.like(both, { status: 'err', failure_source: 'target' });
  const failed = await run(tcp(target.port), [contains('missing', { on_fail: 'err' })]);
  t.true(needsSecondAttempt(failed));
});

test('what was sent is blacked out where an answer repeats it', async t => {
  const secret = 'pass-W0rd-of-the-service';
  await using target = await startRawTarget(socket => {
    socket.on('data', bytes => socket.end(`-ERR unknown command ${bytes}`));
  });
  const assignment = assignmentOf(tcp(target.port, secret), [contains('fine')]);
  const tools = toolsOf();
  const redacted = (text: string) => text.replaceAll(secret, '[redacted]');
  const { shown, result } = await checkAndShow(assignment, attempt, tools, response =>
    showResponse(response, redacted),
  );
  t.is(shown?.body_excerpt, '-ERR unknown command [redacted]');
  t.false(JSON.stringify(result).includes(secret));
});

test('a check with a client certificate says when it ends, whatever comes of it', async t => {
  const { cert: certificate, key: private_key } = makeCertificate({ name: 'client.test', days: 13 });
  await using target = await startRawTarget(socket => void socket.end('no TLS here'));
  const ofTls: Check = { kind: 'tls', host: 'localhost', port: target.port, starttls: null };
  const egress = { client_certificate: { certificate, private_key } };
  const result = await check({ ...assignmentOf(ofTls), egress }, attempt, toolsOf());
  const { valid_to, subject } = result.facts?.client_certificate ?? {};
  t.deepEqual([result.status, subject], ['err', 'CN=client.test']);
  t.is(Math.round((Date.parse(valid_to ?? '') - Date.now()) / dayMs), 13);
  t.deepEqual(wireResultSchema.parse({ seq: 1, ...result }), { seq: 1, ...result });
  t.is((await check({ ...assignmentOf(tcp(target.port)), egress }, attempt, toolsOf())).facts, undefined);
});

test('the message of a kind goes through the redactor, too', async t => {
  const secret = 'token-in-the-body-of-the-monitor';
  await using target = await startRawTarget(socket => void socket.end(`554 no ${secret} here\r\n`));
  const check_: Check = { kind: 'tls', host: 'localhost', port: target.port, starttls: 'smtp' };
  const assignment = { ...assignmentOf(check_), headers: { 'X-Token': secret } };
  const result = await check(assignment, attempt, toolsOf());
  t.is(result.error?.message, 'the server refused: 554 no [redacted] here');
});

const latency = (value_ms: number): Assertion => ({ type: 'latency', operator: 'lt', value_ms });

test('the latency of an attempt is asserted, also of HTTP', async t => {
  await using target = await startTarget(ok());
  const http = (assertions: Assertion[]) =>
    check(makeAssignment({ url: target.url, timeout_ms: 20_000, assertions }), attempt, toolsOf());
  t.is((await http([latency(60_000)])).status, 'ok');
  const slow = await http([latency(0.001)]);
  if (slow.delayed_ms === undefined) t.like(slow, { status: 'err', failure_source: 'target' });
  t.regex(slow.assertions[0]?.actual ?? '0 ms', /^[\d.]+ ms$/);
});

test('the latency of an attempt during which the agent stood still is not decided, and fails nothing', async t => {
  await using target = await startTarget((_, response) => {
    for (const untilMs = performance.now() + 80; performance.now() < untilMs; );
    response.end('ok');
  });
  const assertions = [latency(0.001)];
  const result = await check(makeAssignment({ url: target.url, timeout_ms: 20_000, assertions }), attempt, toolsOf());
  t.true((result.delayed_ms ?? 0) > 0);
  t.like(result, { status: 'ok', assertions: { 0: { passed: null, skipped: 'agent_delayed' } } });
});

test('patterns are asserted of bodies and of headers, also that they do not match', async t => {
  await using target = await startTarget(ok('version 1.27 is up', { 'x-build': 'abc-123' }));
  const body = (operator: 'matches' | 'not_matches', value: string): Assertion => ({
    type: 'body_contains',
    operator,
    value,
    case_insensitive: false,
  });
  const header = (value: string): Assertion => ({ type: 'header', name: 'X-Build', operator: 'not_matches', value });
  const assertions = [
    body('matches', 'version \\d+\\.\\d+'),
    body('not_matches', 'error|down'),
    body('not_matches', 'up$'),
    header('^dirty'),
    header('\\d{3}$'),
  ];
  const result = await check(makeAssignment({ url: target.url, timeout_ms: 20_000, assertions }), attempt, toolsOf());
  t.deepEqual(
    result.assertions.map(({ passed }) => passed),
    [true, true, false, true, false],
  );
});

test('records that a result has no room for are asserted all the same', async t => {
  const many = Array.from({ length: 60 }, (_, index) => ({
    type: 'A' as const,
    name: 'a.example',
    ttl: 60,
    data: `192.0.2.${index + 100}`,
  }));
  await using server = await startDnsServer(query => [dnsAnswer(query, many)]);
  const record = (operator: 'eq' | 'neq', value: string): Assertion => ({ type: 'dns_record', operator, value });
  const result = await run(dns(server.port), [record('eq', '192.0.2.159'), record('neq', '192.0.2.159')]);
  t.like(result.facts?.dns, { truncated: true });
  t.deepEqual(
    result.assertions.map(({ passed }) => passed),
    [true, false],
  );
});
