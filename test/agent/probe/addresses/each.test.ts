import test from 'ava';
import { CpuShares } from '#agent/lanes/cpu-shares.ts';
import { inOrder } from '#agent/probe/addresses/in-order.ts';
import { AddressRounds } from '#agent/probe/addresses/rounds.ts';
import { TokenCache } from '#agent/probe/auth/token-cache.ts';
import { type CheckTools, check } from '#agent/probe/check.ts';
import { SecretIndexes } from '#agent/probe/secret-indexes.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';
import { wireResultSchema } from '#shared/check-result.ts';
import type { Check } from '#shared/checks/check.ts';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { Routed } from '../../../support/dns-check.ts';
import { makeAssignment } from '../../../support/gateway.ts';
import { startGrpcServer } from '../../../support/grpc-server.ts';
import { withTime } from '../../../support/patience.ts';
import { type Names, namesResolver, probeTools, range } from '../../../support/probe.ts';
import { startStarttlsServer } from '../../../support/starttls-server.ts';
import { ok, startRawTarget, startTarget } from '../../../support/target.ts';
import { startWebsocketServer } from '../../../support/websocket-server.ts';

const everyMs = 60_000;

function toolsOf(names: Names, changes: Partial<CheckTools> = {}): CheckTools {
  return {
    ...probeTools({ health: new Routed(), resolver: namesResolver(names) }),
    selectFor: () => async () => [],
    decideFor: null,
    bodies: new FairPool(2_000_000, () => 1),
    secrets: new SecretIndexes(() => 1),
    cpu: new CpuShares(() => 1),
    tokens: new TokenCache(),
    rounds: new AddressRounds(),
    ...changes,
  };
}

const watching = (url: string, changes: Partial<Assignment> = {}) =>
  makeAssignment({ url, interval_ms: everyMs, timeout_ms: 40_000, egress: { addresses: 'each' }, ...changes });
const inSlot = (assignment: Assignment, slot: number, tools: CheckTools) =>
  check(assignment, { kind: 'scheduled', scheduledAt: slot * everyMs, attempt: 1 }, tools);
const loopback = ['127.0.0.2', '::1', '127.0.0.1'];

test('each address of a name is reached and named, and one that answers is enough', async t => {
  await using target = await startTarget(ok());
  const all: Assertion = { type: 'addresses', operator: 'all', on_fail: 'warn' };
  const assignment = watching(`http://many.test:${target.port}/`, { assertions: [all] });
  const tools = toolsOf({ 'many.test': [loopback] });
  const results = [];
  for (const slot of [0, 1, 2]) results.push(await inSlot(assignment, slot, tools));
  for (const result of results) {
    wireResultSchema.parse({ ...result, seq: 1 });
    t.like(result, { status: 'ok', remote_ip: '127.0.0.1', error: null });
    const { at, list, ...counts } = result.facts?.addresses ?? { list: [], at: '' };
    t.deepEqual(counts, { total: 3, answering: 1 });
    t.true(Date.now() - Date.parse(at) < 60_000);
    t.deepEqual(
      list.map(({ address, ok, error_code, ms }) => [address, ok, error_code, ms !== null && ms > 0]),
      [
        ['::1', false, 'connect_refused', false],
        ['127.0.0.1', true, null, true],
        ['127.0.0.2', false, 'connect_refused', false],
      ],
    );
    t.like(result.assertions[0], {
      passed: false,
      expected: 'all addresses answer',
      actual: '1 of 3 answer; ::1: the connection was refused; 127.0.0.2: the connection was refused',
    });
  }
});

test('checks take turns among the addresses, and a round stands until the next minute', async t => {
  await using first = await startTarget(ok());
  await using second = await startTarget(ok(), undefined, { port: first.port, host: '127.0.0.2' });
  t.is(second.port, first.port);
  const tools = toolsOf({ 'many.test': [['127.0.0.2', '127.0.0.1']] });
  const often = watching(`http://many.test:${first.port}/`, { interval_ms: 10_000 });
  const results = [];
  for (const at of [0, 10_000, 20_000, 60_000])
    results.push(await check(often, { kind: 'scheduled', scheduledAt: at, attempt: 1 }, tools));
  t.deepEqual(
    results.map(({ remote_ip }) => remote_ip),
    ['127.0.0.1', '127.0.0.2', '127.0.0.1', '127.0.0.1'],
  );
  const [one, same, , next] = results.map(({ facts }) => facts?.addresses);
  t.deepEqual(one, same);
  t.not(one?.at, next?.at);
  const again = await check(often, { kind: 'scheduled', scheduledAt: 10_000, attempt: 2 }, tools);
  t.is(again.remote_ip, '127.0.0.2', 'the second attempt goes to the same address');
});

test('an address that accepts and says nothing costs a quarter of the time', async t => {
  const certificate = makeCertificate({ name: 'many.test' });
  await using good = await startTarget(ok(), certificate, { port: 0, host: '127.0.0.2' });
  await using _silent = await startRawTarget(() => undefined, { port: good.port, host: '127.0.0.1' });
  const egress = { addresses: 'each', ca: certificate.authority } as const;
  const timed = async (timeout_ms: number) => {
    const assignment = watching(`https://many.test:${good.port}/`, { egress, timeout_ms });
    const startedMs = performance.now();
    const result = await inSlot(assignment, 0, toolsOf({ 'many.test': [['127.0.0.1', '127.0.0.2']] }));
    return { result, elapsedMs: performance.now() - startedMs };
  };
  const { result, elapsedMs } = await withTime(timed, one => one.result.facts?.addresses?.answering === 1);
  t.like(result, { status: 'ok', remote_ip: '127.0.0.2' });
  t.true(elapsedMs - (result.latency_ms ?? elapsedMs) >= 990, 'the time of the other is no part of the latency');
  t.like(result.facts?.addresses, {
    answering: 1,
    list: [
      { address: '127.0.0.1', error_code: 'timeout' },
      { address: '127.0.0.2', error_code: null },
    ],
  });
});

test('an answer is the answer of the check, also if another address would give a better one', async t => {
  await using bad = await startTarget((_, response) => response.writeHead(503).end());
  await using _good = await startTarget(ok(), undefined, { port: bad.port, host: '127.0.0.2' });
  const tools = toolsOf({ 'many.test': [['127.0.0.1', '127.0.0.2']] });
  const assignment = watching(`http://many.test:${bad.port}/`);
  t.like(await inSlot(assignment, 0, tools), { status: 'err', status_code: 503, remote_ip: '127.0.0.1' });
  t.like(await inSlot(assignment, 1, tools), { status: 'ok', remote_ip: '127.0.0.2' });
});

test('if none answers the check fails, and an address that DNS gives no more is gone with the next round', async t => {
  const tools = toolsOf({ 'many.test': [loopback, ['127.0.0.1']] });
  const assignment = watching('tcp://many.test:1', { check: tcp(1) });
  const failed = await inSlot(assignment, 1, tools);
  t.like(failed, { status: 'err', error: { code: 'connect_refused', phase: 'connect' }, failure_source: 'target' });
  t.like(failed.facts?.addresses, { total: 3, answering: 0 });
  t.like((await inSlot(assignment, 2, tools)).facts?.addresses, { total: 1, answering: 0 });
});

test('refused addresses and other families are neither connected to nor named', async t => {
  await using target = await startTarget(ok());
  await using hidden = await startTarget(ok(), undefined, { port: target.port, host: '127.0.0.2' });
  const policy = { base: 'loopback', allow: [], deny: [range('127.0.0.2')] } as const;
  const tools = toolsOf({ 'many.test': [[...loopback, '10.0.0.1']] }, { policy });
  const egress = { addresses: 'each', ip_family: 'ipv4' } as const;
  const result = await inSlot(watching(`http://many.test:${target.port}/`, { egress }), 1, tools);
  t.like(result, { status: 'ok', facts: { addresses: { total: 1, list: [{ address: '127.0.0.1' }] } } });
  const none = toolsOf({ 'many.test': [['127.0.0.2']] }, { policy });
  const refused = await inSlot(watching(`http://many.test:${target.port}/`), 1, none);
  t.like(refused, { error: { code: 'blocked_address' } });
  t.is(refused.facts?.addresses, undefined);
  t.is(hidden.requests.length, 0);
});

test('a name without addresses has no round, and the assertion is not decided', async t => {
  const assertions: Assertion[] = [{ type: 'addresses', operator: 'gte', value: 2 }];
  const result = await inSlot(watching('http://none.test/', { assertions }), 0, toolsOf({}));
  t.like(result, { status: 'err', error: { code: 'dns_failure' } });
  t.is(result.facts, undefined);
});

const tcp = (port: number): Check => ({ kind: 'tcp', host: 'many.test', port, send: null, read: false });

test('every kind that connects takes turns, with its own handshake', async t => {
  const certificate = makeCertificate({ name: 'many.test' });
  await using plain = await startRawTarget(() => undefined);
  await using secure = await startTarget(ok(), certificate);
  await using grpc = await startGrpcServer(() => 1, { tls: certificate });
  await using sockets = await startWebsocketServer(() => undefined, { tls: certificate });
  const ftp = { greeting: '220 ready\r\n', answers: [['AUTH TLS\r\n', '234 go\r\n']] as [string, string][] };
  await using files = await startStarttlsServer({ ...ftp, secured: '234 go\r\n' }, certificate);
  const host = 'many.test';
  const ofWebsocket = { path: '/', subprotocols: [], send: null, read: false };
  const checks: Check[] = [
    tcp(plain.port),
    { kind: 'tls', host, port: secure.port, starttls: null },
    { kind: 'tls', host, port: files.port, starttls: 'ftp' },
    { kind: 'grpc', host, port: grpc.port, secure: true, service: '' },
    { kind: 'websocket', host, port: sockets.port, secure: true, ...ofWebsocket },
  ];
  const tools = toolsOf({ 'many.test': [['127.0.0.1', '127.0.0.2']] });
  for (const one of checks) {
    for (const [ca, answering] of [
      [certificate.authority, 1],
      [makeCertificate().authority, 0],
    ] as const) {
      const assignment = watching('tcp://many.test:1', { check: one, egress: { addresses: 'each', ca } });
      const isTrusted = answering === 1 || one.kind === 'tcp';
      const result = await inSlot(assignment, 1, tools);
      t.like(result, { status: isTrusted ? 'ok' : 'err' }, JSON.stringify([one, result]));
      t.like(result.facts?.addresses, { total: 2, answering: isTrusted ? 1 : 0 }, one.kind);
    }
  }
});

test('sixteen addresses are taken at most, in the order of their bytes, of families that have a route', t => {
  const many = Array.from({ length: 20 }, (_, index) => `192.0.2.${20 - index}`);
  const all = [...many, '2001:db8::1', '9.0.0.1', '9.0.0.1', '127.0.0.1'];
  const found = inOrder(all, { hasRoute: () => true });
  t.deepEqual([found.length, ...found.slice(0, 4)], [16, '9.0.0.1', '2001:db8::1', '127.0.0.1', '192.0.2.1']);
  t.deepEqual(inOrder(['2001:db8::1', '192.0.2.1'], { hasRoute: address => !address.includes(':') }), ['192.0.2.1']);
});
