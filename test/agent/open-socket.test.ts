import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { WebSocketServer } from 'ws';
import { connectAddress, openSocket } from '#agent/open-socket.ts';
import { createTrust } from '#agent/probe/trust.ts';
import { minuteMs } from '#shared/duration.ts';
import { closeCodes } from '#shared/protocol/close-codes.ts';
import { startTestAgent } from '../support/agent.ts';
import { makeCertificate } from '../support/certificate.ts';
import { gatewaySecret, makeAssignment, rarely, startGateway } from '../support/gateway.ts';
import { answer, ok, startTarget } from '../support/target.ts';

test('the WebSocket address is derived from the base URL', t => {
  t.is(connectAddress('https://example.org'), 'wss://example.org/v0/agents/connect');
  t.is(connectAddress('http://127.0.0.1:8080/base/'), 'ws://127.0.0.1:8080/base/v0/agents/connect');
});

test('results that were not acknowledged are sent again over the next connection, in order', async t => {
  await using target = await startTarget();
  await using gateway = await startGateway({ acknowledge: false });
  await using _agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  gateway.assign([makeAssignment({ url: target.url, interval_ms: 200, timeout_ms: 200 })]);
  await gateway.until(() => gateway.results.length >= 2);
  const first = gateway.results.map(result => result.seq);
  gateway.results.length = 0;
  gateway.acknowledge = true;
  gateway.send({ type: 'goaway', reason: 'test', after_ms: 50 });
  await gateway.until(() => gateway.results.length > first.length);
  const seqs = gateway.results.map(result => result.seq);
  t.deepEqual(seqs.slice(0, first.length), first);
  t.deepEqual(
    seqs,
    seqs.map((_, index) => index + 1),
  );
});

test('a refused result leaves the spool and does not block others', async t => {
  await using target = await startTarget();
  await using gateway = await startGateway();
  gateway.refuse = result => (result.seq === 1 ? 'unknown_monitor' : null);
  await using agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  gateway.assign([makeAssignment({ url: target.url, interval_ms: 200, timeout_ms: 200 })]);
  await gateway.until(() => gateway.results.length >= 2);
  t.false(gateway.results.some(result => result.seq === 1));
  await agent.logged('unknown_monitor');
});

test('checks continue without a connection, and their results arrive later', async t => {
  await using target = await startTarget();
  const gateway = await startGateway();
  const port = Number(new URL(gateway.url).port);
  await using _agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  gateway.assign([makeAssignment({ url: target.url, interval_ms: 200, timeout_ms: 200 })]);
  await gateway.until(() => gateway.results.length >= 1);
  const seen = target.requests.length;
  gateway.send({ type: 'goaway', reason: 'test', after_ms: 1000 });
  await gateway[Symbol.asyncDispose]();
  await target.requested(seen + 3);
  const made = target.requests.length;
  await using second = await startGateway({ port });
  // Of each check, once or, if its receipt was lost, twice.
  const slots = () => [...new Set([...gateway.results, ...second.results].map(result => result.scheduled_at))].sort();
  await second.until(() => second.results.length >= 3 && slots().length >= made);
  // A busy machine may miss a slot.
  t.true(
    slots().every((slot, index, all) => (slot - (all[index - 1] ?? slot)) % 200 === 0),
    slots().join(),
  );
});

test('a wrong secret is logged clearly, and nothing is sent', async t => {
  await using gateway = await startGateway();
  gateway.secret = 'another';
  await using agent = await startTestAgent(gateway);
  await agent.logged('"waitMs":60000');
  t.is(gateway.connections, 0);
  t.true(agent.log.some(line => line.includes('rejected the secret')));
  t.false(agent.log.join().includes(agent.config.secret));
});

test('a revoked agent logs the reason and waits a minute', async t => {
  await using gateway = await startGateway();
  await using agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  gateway.drop(closeCodes.revoked);
  await agent.logged('"waitMs":60000');
  t.true(agent.log.some(line => line.includes('was revoked')));
});

test('timestamps use the control plane’s clock even when the host’s is an hour off', async t => {
  await using target = await startTarget();
  const hour = 60 * minuteMs;
  await using gateway = await startGateway({ now: () => Date.now() + hour, pingMs: 50 });
  await using _agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  gateway.assign([makeAssignment({ url: target.url, interval_ms: 200, timeout_ms: 200 })]);
  await gateway.until(() => gateway.results.length >= 3);
  for (const result of gateway.results) {
    // Far less than an hour, and as much as a busy machine needs.
    t.true(Math.abs(result.started_at - Date.now() - hour) < minuteMs);
    t.true(result.started_at >= result.scheduled_at && result.started_at - result.scheduled_at < minuteMs);
  }
});

test('an unreadable message closes the connection and does not stop the agent', async t => {
  await using gateway = await startGateway();
  await using agent = await startTestAgent(gateway);
  for (const text of ['{', '{"type":"unknown"}', '{"type":"ack","seq":-1,"refused":[]}']) {
    await gateway.until(() => gateway.isConnected && gateway.of('hello').length > 0);
    const { connections } = gateway;
    gateway.send({ type: 'goaway', reason: 'test', after_ms: 0 });
    gateway.sendRaw(text);
    await gateway.until(() => gateway.connections > connections);
  }
  t.true(agent.log.filter(line => line.includes('cannot read')).length >= 1);
});

test('no result contains a secret, although the target sends it back', async t => {
  const secret = 'Bearer very-secret-value';
  await using target = await startTarget((request, response) => {
    answer(200, JSON.stringify({ echo: request.headers, pad: 'p' }), { 'x-echo': request.headers.authorization ?? '' })(
      request,
      response,
    );
  });
  await using gateway = await startGateway();
  await using agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  const assignment = makeAssignment({
    timeout_ms: 20_000,
    url: `${target.url}?key=query-secret`,
    ...rarely(),
    headers: { Authorization: secret, 'X-Quoted': 'a"quoted"secret' },
    assertions: [
      { type: 'header', name: 'x-echo', operator: 'eq', value: 'x' },
      { type: 'json_path', path: '$.echo', operator: 'eq', value: 'x' },
      { type: 'json_path', path: '$.echo.authorization', operator: 'eq', value: 'x' },
    ],
  });
  gateway.assign([assignment]);
  gateway.checkNow(assignment, 1000);
  await gateway.until(() => gateway.results.length === 1);
  const text = JSON.stringify(gateway.results);
  t.is(gateway.results[0]?.assertions.length, 3);
  t.notRegex(text, /very-secret|quoted.*secret|query-secret/);
  t.notRegex(agent.log.join(), /very-secret|query-secret/);
});

test('checks beyond the concurrency are queued, and those beyond the queue are refused', async t => {
  const release = Promise.withResolvers<void>();
  await using target = await startTarget((request, response) => {
    release.promise.then(() => ok()(request, response));
  });
  await using gateway = await startGateway();
  await using agent = await startTestAgent(gateway, { env: { CONCURRENCY: '5' } });
  await gateway.until(() => gateway.of('hello').length === 1);
  const monitors = Array.from({ length: 40 }, () =>
    makeAssignment({ url: target.url, ...rarely(), timeout_ms: 20_000 }),
  );
  gateway.assign(monitors);
  for (const monitor of monitors) gateway.checkNow(monitor, 1000);
  await target.requested(5);
  t.is(target.concurrentMax, 5);
  t.is(agent.counts().queued, 10);
  release.resolve();
  await gateway.until(() => gateway.results.length === 15);
  t.is(target.concurrentMax, 5);
});

test('a control plane that falls silent is given up after 12 s, if it pings every 5 s', async t => {
  const begunMs = performance.now();
  await using gateway = await startGateway({ announcedPingMs: 5000, pingMs: 600_000 });
  await using agent = await startTestAgent(gateway);
  await gateway.until(() => gateway.of('hello').length === 1);
  await agent.logged('no ping for 12 s');
  t.true(performance.now() - begunMs > 11_000);
  await gateway.until(() => gateway.connections === 2);
});

for (const scheme of ['https', 'HTTPS'])
  test(`a control plane at ${scheme}:// of a private authority is reached with its file alone`, async t => {
    const certificate = makeCertificate();
    const folder = await mkdtemp(join(tmpdir(), 'upquorum-link-'));
    t.teardown(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'ca.pem'), certificate.authority);
    const server = createServer(certificate);
    new WebSocketServer({ server });
    t.teardown(() => server.close());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const url = `${scheme}://localhost:${(server.address() as AddressInfo).port}`;
    const connect = async (file: string | null) => {
      const socket = openSocket({ url, secret: gatewaySecret, trust: createTrust(file) }, 5000);
      t.teardown(() => socket.terminate());
      await once(socket, 'open');
    };
    await connect(join(folder, 'ca.pem'));
    await t.throwsAsync(connect(null), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });
