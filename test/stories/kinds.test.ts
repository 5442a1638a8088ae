import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { WebSocket } from 'ws';
import { listUnable } from '#control-plane/monitoring/notices/condition-store.ts';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { dnsAnswer, startDnsServer } from '#test/support/dns-server.ts';
import { startGrpcServer } from '#test/support/grpc-server.ts';
import { answer2, startHttp2Target } from '#test/support/http2-target.ts';
import { startTarget } from '#test/support/target.ts';
import { startWebsocketServer } from '#test/support/websocket-server.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);

/** A server that greets, on a port that stays its own. */
async function listen(t: ExecutionContext, port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.end('220 ready\r\n');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

test('a port that closes opens one alert that says where, and it resolves when the port is back', async t => {
  const world = await openWorld(t, database(), ['port-a', 'port-b', 'port-c']);
  const { server, port } = await listen(t);
  const url = `tcp://127.0.0.1:${port}`;
  const tcp = { read: true };
  const assertions = [{ type: 'body_contains', value: 'ready' }];
  const id = await world.monitor({ name: 'mail', url, tcp, assertions });
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  const shown = (await world.api('GET', `/v0/monitors/${id}`)).body;
  t.like(shown, { kind: 'tcp', url, tcp: { send: null, read: true }, method: 'GET', headers: {} });
  t.is(shown.alert_rules.certificate, null, 'no certificate is seen');
  t.false('tls' in shown);
  server.close();
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  const [alert, ...others] = await world.alerts();
  t.deepEqual(others, []);
  t.like(alert, {
    title: 'mail is down',
    reason: {
      summary: 'connection refused',
      error_code: 'connect_refused',
      phase: 'connect',
      host: `127.0.0.1:${port}`,
    },
  } as never);
  const { sentence } = (await world.api('GET', `/v0/alerts/${alert?.id}/explanation`)).body;
  t.true(sentence.includes(`the connection was refused at 127.0.0.1:${port}`), sentence);
  await listen(t, port);
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  t.is((await world.alerts())[0]?.state, 'resolved');
  const [check] = (await world.api('GET', `/v0/monitors/${id}/checks?status=ok`)).body.data;
  t.like(check, { status_code: null, bytes: 11, tls: null, dns: null, ping: null, error: null });
});

test('a region without an able agent casts no vote and says what is missing', async t => {
  const world = await openWorld(t, database(), ['words-a', 'words-b']);
  const own = { name: 'own', url: 'dns:///example.com', interval_seconds: 10, regions: world.regions };
  const { id } = (await world.api('POST', '/v0/monitors', own)).body;
  const read = async () => (await world.api('GET', `/v0/monitors/${id}`)).body;
  const missing = (region: string) => ({ region, reason: 'no_able_agent', missing: ['dns.own'] });
  await until(read, ({ unable_regions: unable }) => unable.length === 2);
  t.deepEqual((await read()).unable_regions, [missing('words-a'), missing('words-b')]);
  await until(read, ({ status }) => status === 'undetermined');
  for (const agent of Object.values(world.agents)) t.is(agent.counts().assignments, 0);
  const unable = (await withSql(database(), listUnable)).filter(({ region }) => region.startsWith('words-'));
  t.deepEqual(
    unable.map(({ region, needs, monitors }) => [region, needs, monitors]),
    [
      ['words-a', 'dns dns.own', 1],
      ['words-b', 'dns dns.own', 1],
    ],
    'what the notice and doctor say',
  );
  t.deepEqual(await world.alerts(), []);
});

test('text to send is hidden from who may only read, and kept when it comes back hidden', async t => {
  const world = await openWorld(t, database(), ['hidden-a']);
  const { port } = await listen(t);
  const settings = { name: 'cache', url: `tcp://127.0.0.1:${port}`, tcp: { send: 'AUTH swordfish' } };
  const id = await world.monitor(settings);
  const patched = await world.api('PATCH', `/v0/monitors/${id}`, { tcp: { send: '********', read: true } });
  t.deepEqual(patched.body.tcp, { send: 'AUTH swordfish', read: true });
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'reader', scopes: ['monitors:read'] })).body;
  const answer = await fetch(`${world.replica.url}/v0/monitors/${id}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  t.deepEqual(((await answer.json()) as { tcp: object }).tcp, { send: '********', read: true });
  t.is((await world.api('PATCH', `/v0/monitors/${id}`, { kind: 'tls' })).body.errors[0].code, 'read_only');
});

/** A program that says what `ping` says, so that the story needs none on its host. */
async function pingFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-ping-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const lines = [1, 3].map(seq => `64 bytes from 127.0.0.1: icmp_seq=${seq} ttl=64 time=${seq}.5 ms`);
  const text = ['PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.', ...lines].join('\n');
  await writeFile(join(folder, 'ping'), `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`, { mode: 0o755 });
  return folder;
}

test('a ping that loses packets is degraded where that only warns, with figures in its checks and metrics', async t => {
  const PATH = `${await pingFolder(t)}:${process.env.PATH}`;
  const env = Object.fromEntries(['ping-a', 'ping-b'].map(region => [region, { PATH }]));
  const world = await openWorld(t, database(), ['ping-a', 'ping-b'], { env });
  const loss = { type: 'packet_loss', operator: 'lt', value: 0.2, on_fail: 'warn' };
  const settings = { name: 'router', url: 'ping://127.0.0.1', interval_seconds: 20, regions: world.regions };
  const made = await world.api('POST', '/v0/monitors', { ...settings, assertions: [loss] });
  t.is(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body;
  await until(
    () => world.status(id),
    value => value === 'degraded',
  );
  t.deepEqual(await world.alerts(), []);
  const [check] = (await world.api('GET', `/v0/monitors/${id}/checks?region=ping-a`)).body.data;
  t.like(check, { status: 'warn', latency_ms: 2.5, error: null });
  t.deepEqual(check.ping, { sent: 3, received: 2, min_ms: 1.5, avg_ms: 2.5, max_ms: 3.5, jitter_ms: 2 });
  const metrics = (await world.api('GET', '/v0/metrics')).body as string;
  t.true(metrics.includes(`upquorum_monitor_ping_jitter_seconds{monitor_id="${id}",region="ping-a"} 0.002`), metrics);
  t.regex(metrics, new RegExp(`upquorum_monitor_ping_loss_ratio\\{monitor_id="${id}",region="ping-b"\\} 0\\.333`));
});

test('a WebSocket that answers no more opens one alert that says where, and what is sent stays hidden', async t => {
  let answers = true;
  const talk = (websocket: WebSocket) =>
    websocket.on('message', data => (answers ? websocket.send(`{"echo": "${data}"}`) : websocket.close(1013)));
  await using server = await startWebsocketServer(talk, { handleProtocols: () => 'v2' });
  const world = await openWorld(t, database(), ['ws-a', 'ws-b', 'ws-c']);
  const url = `ws://127.0.0.1:${server.port}/live`;
  const websocket = { subprotocols: ['v2'], send: 'hello-from-the-monitor', read: true };
  const headers = { Authorization: 'Bearer swordfish-1234' };
  const assertions = [{ type: 'json_path', path: '$.echo', operator: 'exists' }];
  const id = await world.monitor({ name: 'feed', url, websocket, headers, assertions });
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  const shown = (await world.api('GET', `/v0/monitors/${id}`)).body;
  t.like(shown, { kind: 'websocket', url, websocket, headers, method: 'GET', body: null });
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'reader', scopes: ['monitors:read'] })).body;
  const read = await fetch(`${world.replica.url}/v0/monitors/${id}`, { headers: { authorization: `Bearer ${token}` } });
  const hidden = { headers: { Authorization: '********' }, websocket: { ...websocket, send: '********' } };
  t.like(await read.json(), hidden as never);
  t.is((await world.api('PATCH', `/v0/monitors/${id}`, hidden)).body.config_version, 1, 'hidden values stay');
  const [check] = (await world.api('GET', `/v0/monitors/${id}/checks?status=ok`)).body.data;
  t.like(check, { status_code: 101, tls: null, websocket: { subprotocol: 'v2', messages: 1 }, error: null });
  answers = false;
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  const [alert, ...others] = await world.alerts();
  t.deepEqual(others, []);
  const host = `127.0.0.1:${server.port}`;
  t.like(alert, { title: 'feed is down', reason: { error_code: 'no_reply', phase: 'answer', host } } as never);
  const audit = JSON.stringify((await world.api('GET', '/v0/audit?limit=200')).body);
  t.false(audit.includes('hello-from-the-monitor') || audit.includes('swordfish'), 'no secret in the audit');
});

test('a gRPC service that stops serving opens one alert with its status, and its metadata stays hidden', async t => {
  let status = 1;
  const tokens = new Set<unknown>();
  await using server = await startGrpcServer((service, metadata) => {
    tokens.add(metadata.get('authorization')[0]);
    return service === 'shop.Orders' ? status : { code: 5, details: 'unknown service' };
  });
  const world = await openWorld(t, database(), ['grpc-a', 'grpc-b', 'grpc-c']);
  const url = `grpc://127.0.0.1:${server.port}`;
  const metadata = { authorization: 'Bearer swordfish-1234' };
  const id = await world.monitor({ name: 'orders', url, grpc: { service: 'shop.Orders', metadata } });
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  t.deepEqual([...tokens], [metadata.authorization]);
  const shown = (await world.api('GET', `/v0/monitors/${id}`)).body;
  t.like(shown, { kind: 'grpc', url, headers: {}, grpc: { service: 'shop.Orders', metadata } });
  const { token } = (await world.api('POST', '/v0/tokens', { name: 'reader', scopes: ['monitors:read'] })).body;
  const read = await fetch(`${world.replica.url}/v0/monitors/${id}`, { headers: { authorization: `Bearer ${token}` } });
  const hidden = { grpc: { service: 'shop.Orders', metadata: { authorization: '********' } } };
  t.like(await read.json(), hidden as never);
  t.is((await world.api('PATCH', `/v0/monitors/${id}`, hidden)).body.config_version, 1, 'hidden values stay');
  const unknown = { service: '', metadata: { other: '********' } };
  const refused = await world.api('PATCH', `/v0/monitors/${id}`, { grpc: unknown });
  t.like(refused.body.errors[0], { pointer: '/grpc/metadata/other', code: 'not_allowed' });
  const [check] = (await world.api('GET', `/v0/monitors/${id}/checks?status=ok`)).body.data;
  t.like(check, { status_code: null, error: null, grpc: { status: 'SERVING', code: 0 }, websocket: null });
  status = 2;
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  const [alert, ...others] = await world.alerts();
  t.deepEqual(others, []);
  const reason = {
    summary: 'answered, but not serving: NOT_SERVING',
    error_code: 'not_serving',
    phase: 'answer',
    host: `127.0.0.1:${server.port}`,
  };
  t.like(alert, { title: 'orders is down', reason } as never);
  const { sentence } = (await world.api('GET', `/v0/alerts/${alert?.id}/explanation`)).body;
  t.true(sentence.includes('the service said that it is not serving'), sentence);
  const tested = await world.api('POST', '/v0/monitors/test', {
    ...hidden,
    url,
    monitor_id: id,
    interval_seconds: 60,
    regions: ['grpc-a'],
    assertions: [{ type: 'grpc_status', operator: 'eq', value: 'NOT_SERVING' }],
  });
  t.like(tested.body.data?.[0]?.result, { status: 'ok', grpc: { status: 'NOT_SERVING', code: 0 } } as never);
  const audit = JSON.stringify((await world.api('GET', '/v0/audit?limit=200')).body);
  t.true(audit.includes('shop.Orders'));
  t.false(audit.includes('swordfish'), 'no secret in the audit');
});

test('a step that fails opens one alert that names it, and the last undoes what was done in each attempt', async t => {
  const world = await openWorld(t, database(), ['steps-a', 'steps-b']);
  const secret = 'token-of-the-shop';
  let refused = '';
  await using target = await startTarget((request, response) => {
    if (request.url === refused) response.statusCode = 503;
    response.end(JSON.stringify({ token: secret, id: 4711 }));
  });
  const url = target.url.replace(/\/$/, '');
  const take = (name: string) => ({ name, from: 'json_path', path: `$.${name}` });
  const headers = { Authorization: 'Bearer {{token}}' };
  const steps = [
    { name: 'Log in', url: `${url}/login`, method: 'POST', body: 'pass=swordfish', extract: [take('token')] },
    { name: 'Order', url: `${url}/orders`, method: 'POST', headers, extract: [take('id')] },
    { name: 'Cancel', url: `${url}/orders/{{run.id}}`, method: 'DELETE', headers, always: true },
  ];
  const settings = { name: 'shop', kind: 'multistep', interval_seconds: 30, regions: world.regions };
  const made = await world.api('POST', '/v0/monitors', { ...settings, multistep: { steps } });
  t.is(made.status, 201, JSON.stringify(made.body));
  t.is(made.body.url, `${url}/login`);
  t.is(made.body.multistep.steps[0].body, 'pass=swordfish');
  const { id } = made.body;
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  const [good] = (await world.api('GET', `/v0/monitors/${id}/checks?status=ok`)).body.data;
  t.deepEqual(
    good.steps.map(({ name, status, status_code }: Record<string, unknown>) => [name, status, status_code]),
    [
      ['Log in', 'ok', 200],
      ['Order', 'ok', 200],
      ['Cancel', 'ok', 200],
    ],
  );
  t.true(good.steps[0].latency_ms > 0);
  const metrics = (await world.api('GET', '/v0/metrics')).body as string;
  t.regex(
    metrics,
    new RegExp(`monitor_step_latency_seconds\\{monitor_id="${id}",region="steps-a",step="Order"\\} 0\\.`),
  );
  refused = '/orders';
  await world.api('POST', `/v0/monitors/${id}/check-now`, {});
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  const [alert, ...others] = await world.alerts();
  t.deepEqual(others, []);
  t.like(alert, { reason: { step: 'Order', status_code: 503 } } as never);
  const { sentence } = (await world.api('GET', `/v0/alerts/${alert?.id}/explanation`)).body;
  t.true(sentence.includes('in step “Order”'), sentence);
  const [bad] = (await world.api('GET', `/v0/monitors/${id}/checks?status=err`)).body.data;
  t.deepEqual(
    bad.steps.map(({ status }: { status: string }) => status),
    ['ok', 'err', 'ok'],
  );
  t.like(bad.assertions.at(-1), { index: 2, step: 2 });
  const deletes = () => target.requests.filter(({ method }) => method === 'DELETE').map(one => one.url);
  // An attempt that runs just now ends as well.
  await until(() => deletes().length - target.requests.filter(one => one.url === '/orders').length, 0);
  t.is(new Set(deletes()).size, deletes().length, 'each attempt has a name of its own');
  const tested = await world.api('POST', '/v0/monitors/test', {
    kind: 'multistep',
    interval_seconds: 30,
    regions: ['steps-a'],
    multistep: { steps },
  });
  t.is(tested.status, 200, JSON.stringify(tested.body));
  t.deepEqual(
    tested.body.data[0].steps.map(({ name }: { name: string }) => name),
    ['Log in', 'Order', 'Cancel'],
  );
  t.false(JSON.stringify([bad, good, alert, sentence, tested.body]).includes(secret));
});

test('a server that falls back to HTTP/1.1 is seen, and one that must speak HTTP/2 is down', async t => {
  const world = await openWorld(t, database(), ['version-a', 'version-b']);
  const modern = await startHttp2Target(answer2(200));
  const plain = await startTarget();
  t.teardown(() => Promise.all([modern[Symbol.asyncDispose](), plain[Symbol.asyncDispose]()]));
  const is2 = { type: 'http_version', operator: 'eq', value: '2', on_fail: 'warn' };
  const step = { name: 'a', assertions: [{ ...is2, on_fail: 'err' }] };
  const cases = [
    [{ url: modern.url, http_version: '2', assertions: [is2] }, 'up'],
    [{ url: plain.url, http_version: 'auto', assertions: [is2] }, 'degraded'],
    [{ url: plain.url, http_version: '2' }, 'down'],
    [{ kind: 'multistep', multistep: { steps: [{ ...step, url: modern.url }] }, http_version: '2' }, 'up'],
  ] as const;
  const common = { regions: world.regions, interval_seconds: 30, timeout_ms: 5000 };
  const ids = await Promise.all(
    cases.map(async ([settings], index) => {
      const { status, body } = await world.api('POST', '/v0/monitors', { name: `v${index}`, ...common, ...settings });
      t.is(status, 201, JSON.stringify(body));
      return body.id as string;
    }),
  );
  for (const [index, [, status]] of cases.entries())
    await until(
      () => world.status(ids[index] ?? ''),
      value => value === status,
    );
  const check = async (index: number) =>
    (await world.api('GET', `/v0/monitors/${ids[index]}/checks?limit=1`)).body.data[0];
  t.like(await check(0), { http_version: '2', assertions: [{ passed: true, actual: 'HTTP/2' }] });
  t.like(await check(1), { http_version: '1.1', assertions: [{ passed: false, actual: 'HTTP/1.1' }] });
  t.is((await check(3)).steps[0].http_version, '2');
  const [alert] = await world.alerts();
  t.like(alert, { reason: { error_code: 'protocol_error', summary: 'the server does not speak HTTP/2' } } as never);
});

test('records that change make a monitor degraded, or down once a second check has found it', async t => {
  const world = await openWorld(t, database(), ['records-a', 'records-b']);
  let address = '192.0.2.1';
  const server = await startDnsServer(query => [
    dnsAnswer(query, [{ type: 'A', name: 'a.example', ttl: 60, data: address }]),
  ]);
  t.teardown(() => server[Symbol.asyncDispose]());
  const of = (on_fail: string) => ({
    name: on_fail,
    url: `dns://127.0.0.1:${server.port}/a.example?type=A`,
    assertions: [{ type: 'dns_changed', window_minutes: 60, on_fail }],
  });
  const [warned, failed] = await Promise.all([world.monitor(of('warn')), world.monitor(of('err'))]);
  address = '192.0.2.2';
  await until(
    () => Promise.all([world.status(warned), world.status(failed)]),
    ([one, other]) => one === 'degraded' && other === 'down',
  );
  const summary = 'expected the same records for 60 min, got 192.0.2.2 instead of 192.0.2.1';
  const alerts = await world.alerts();
  t.like(
    alerts.find(alert => alert.monitor_id === failed),
    { reason: { summary, actual: '192.0.2.2 instead of 192.0.2.1' } } as never,
  );
  const changes = { assertions: [] };
  const replay = await world.api('POST', `/v0/monitors/${failed}/backtest`, { changes });
  t.is(replay.status, 200, JSON.stringify(replay.body));
  address = '192.0.2.1';
  await until(
    () => Promise.all([world.status(warned), world.status(failed)]),
    both => both.every(status => status === 'up'),
  );
});
