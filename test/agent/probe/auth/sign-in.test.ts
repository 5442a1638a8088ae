import type { ServerResponse } from 'node:http';
import test from 'ava';
import { CpuShares } from '#agent/lanes/cpu-shares.ts';
import { AddressRounds } from '#agent/probe/addresses/rounds.ts';
import { TokenCache } from '#agent/probe/auth/token-cache.ts';
import { type CheckTools, check, checkAndShow } from '#agent/probe/check.ts';
import { SecretIndexes } from '#agent/probe/secret-indexes.ts';
import { showResponse } from '#agent/probe/show-response.ts';
import { wireResultSchema } from '#shared/check-result.ts';
import type { WireAuth } from '#shared/checks/auth.ts';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import type { Assignment } from '#shared/protocol/messages.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { Routed } from '../../../support/dns-check.ts';
import { makeAssignment } from '../../../support/gateway.ts';
import { startGrpcServer } from '../../../support/grpc-server.ts';
import { namesResolver, probeTools, stepOf } from '../../../support/probe.ts';
import { type Behaviour, ok, startTarget } from '../../../support/target.ts';
import { startTokenEndpoint, tokenOf } from '../../../support/token-endpoint.ts';

const attempt = { kind: 'scheduled', scheduledAt: 1_000_000, attempt: 1 } as const;
const clientSecret = 'sesame/of the+client';

function toolsOf(changes: Partial<CheckTools> = {}): CheckTools {
  return {
    ...probeTools({ health: new Routed() }),
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

function signingIn(endpoint: string, changes: Partial<Assignment> & { url: string }): Assignment {
  const auth: WireAuth = {
    type: 'oauth2',
    token_url: endpoint,
    client_id: 'shop',
    client_secret: clientSecret,
    scopes: [],
    audience: null,
    client_auth: 'header',
  };
  return makeAssignment({ lane: 'proj_1', timeout_ms: 20_000, auth, ...changes });
}

/** Takes this token alone. */
const taking =
  (token: string): Behaviour =>
  ({ headers }, response) =>
    response.writeHead(headers.authorization === `Bearer ${token}` ? 200 : 401).end();

test('twenty monitors share one fetch, and its time is no part of their latency', async t => {
  await using endpoint = await startTokenEndpoint();
  await using target = await startTarget(taking(tokenOf(1)));
  const { behaviour } = endpoint;
  endpoint.behaviour = (...of) => void setTimeout(() => behaviour(...of), 200);
  const tools = toolsOf();
  const runAll = () =>
    Promise.all(Array.from({ length: 20 }, () => check(signingIn(endpoint.url, { url: target.url }), attempt, tools)));
  const first = await runAll();
  for (const { status, timings, latency_ms, started_at, completed_at } of first) {
    const { auth_ms = 0 } = timings ?? {};
    t.is(status, 'ok');
    t.true((latency_ms ?? 0) + auth_ms <= completed_at - started_at + 5);
  }
  // Whoever came late waited for the end of the same fetch only.
  t.true(Math.max(...first.map(({ timings }) => timings?.auth_ms ?? 0)) >= 190);
  t.true(first.every(result => wireResultSchema.omit({ seq: true }).safeParse(result).success));
  for (const { status, timings } of await runAll()) t.deepEqual([status, timings?.auth_ms], ['ok', undefined]);
  t.is(endpoint.requests.length, 1);
  t.like(endpoint.requests[0], { method: 'POST', body: 'grant_type=client_credentials' });
  await check({ ...signingIn(endpoint.url, { url: target.url }), lane: 'proj_2' }, attempt, tools);
  t.is(endpoint.requests.length, 2, 'another project has tokens of its own');
});

test('a token that the target withdrew is fetched anew once, within the same attempt', async t => {
  await using endpoint = await startTokenEndpoint();
  await using target = await startTarget(taking(tokenOf(1)));
  const tools = toolsOf();
  const run = () => check(signingIn(endpoint.url, { url: target.url }), attempt, tools);
  t.is((await run()).status, 'ok');
  target.behaviour = taking(tokenOf(2));
  const renewed = await run();
  t.like(renewed, { status: 'ok', status_code: 200, attempt: 1 });
  t.true((renewed.timings?.auth_ms ?? 0) > 0);
  t.deepEqual([endpoint.requests.length, target.requests.length], [2, 3]);
  target.behaviour = taking('none');
  t.like(await run(), { status: 'err', status_code: 401, error: null });
  t.deepEqual([endpoint.requests.length, target.requests.length], [3, 5], 'once');
  t.like(await check(signingIn(endpoint.url, { url: target.url }), attempt, toolsOf()), { status_code: 401 });
  t.deepEqual([endpoint.requests.length, target.requests.length], [4, 6], 'a fresh token is not tried again');
});

test('the token goes to no other origin, whose 401 is not about it', async t => {
  await using endpoint = await startTokenEndpoint();
  await using elsewhere = await startTarget(taking('none'));
  await using target = await startTarget((_request, response) =>
    response.writeHead(302, { location: elsewhere.url }).end(),
  );
  const tools = toolsOf();
  for (let round = 0; round < 2; round++)
    t.is((await check(signingIn(endpoint.url, { url: target.url }), attempt, tools)).status_code, 401);
  t.is(target.requests[1]?.headers.authorization, `Bearer ${tokenOf(1)}`);
  t.true(elsewhere.requests.every(({ headers }) => headers.authorization === undefined));
  t.deepEqual([endpoint.requests.length, elsewhere.requests.length], [1, 2]);
});

test('gRPC signs in by metadata, and code 16 has the token fetched anew', async t => {
  await using endpoint = await startTokenEndpoint();
  let taken = tokenOf(1);
  await using server = await startGrpcServer((_service, metadata) => {
    const [given] = metadata.get('authorization');
    return given === `Bearer ${taken}` ? 1 : { code: 16, details: `who is ${given}?` };
  });
  const grpc = { kind: 'grpc', secure: false, host: '127.0.0.1', port: server.port, service: '' } as const;
  const tools = toolsOf();
  const url = `grpc://127.0.0.1:${server.port}`;
  const run = () => check(signingIn(endpoint.url, { url, check: grpc }), attempt, tools);
  t.is((await run()).status, 'ok');
  taken = tokenOf(2);
  t.is((await run()).status, 'ok');
  t.is(endpoint.requests.length, 2);
  taken = 'none';
  const refused = await run();
  t.like(refused, { status: 'err', error: { code: 'not_serving' } });
  t.true(refused.error?.message.includes('who is Bearer [redacted]?'), refused.error?.message);
});

test('a handshake of WebSocket that is refused with 401 is made again with a new token', async t => {
  await using endpoint = await startTokenEndpoint();
  await using target = await startTarget(taking('none'));
  const check1 = { kind: 'websocket', secure: false, host: '127.0.0.1', port: target.port, path: '/live' } as const;
  const rest = { subprotocols: [], send: null, read: false };
  const tools = toolsOf();
  const assignment = signingIn(endpoint.url, {
    url: `ws://127.0.0.1:${target.port}/live`,
    check: { ...check1, ...rest },
  });
  const seen: (string | undefined)[] = [];
  const answer: Behaviour = ({ headers }, response) => {
    seen.push(headers.authorization);
    response.writeHead(401).end();
  };
  target.behaviour = answer;
  for (let round = 0; round < 2; round++)
    t.like(await check(assignment, attempt, tools), {
      status: 'err',
      status_code: 401,
      error: { code: 'protocol_error' },
    });
  t.deepEqual(
    seen,
    [1, 1, 2].map(request => `Bearer ${tokenOf(request)}`),
  );
});

test('steps sign in for themselves: one fetch for two of them, again at 401, and to no other origin', async t => {
  await using endpoint = await startTokenEndpoint();
  await using elsewhere = await startTarget();
  await using target = await startTarget(taking(tokenOf(1)));
  const { auth } = signingIn(endpoint.url, { url: target.url });
  if (auth === undefined) return t.fail();
  const steps = [
    stepOf({ name: 'a', url: target.url, auth }),
    stepOf({ name: 'b', url: target.url, auth }),
    stepOf({ name: 'c', url: elsewhere.url, always: true }),
  ];
  const tools = toolsOf();
  const { auth: _, ...plain } = signingIn(endpoint.url, { url: target.url, check: { kind: 'multistep', steps } });
  const run = () => checkAndShow(plain, attempt, tools, (response, redacted) => showResponse(response, redacted));
  const { result: first } = await run();
  t.like(first, { status: 'ok' });
  t.true(wireResultSchema.omit({ seq: true }).safeParse(first).success);
  const [fetched, cached] = first.facts?.steps ?? [];
  t.true((fetched?.timings?.auth_ms ?? 0) > 0);
  t.is(cached?.timings?.auth_ms, undefined);
  target.behaviour = taking(tokenOf(2));
  t.like((await run()).result, { status: 'ok' });
  t.is(endpoint.requests.length, 2);
  target.behaviour = (request, response) => {
    const { authorization = '' } = request.headers;
    const echo = `${authorization} ${clientSecret} ${endpoint.requests[0]?.headers.authorization}`;
    if (request.url !== '/there') response.writeHead(302, { location: '/there' }).end();
    else response.writeHead(302, { location: `${elsewhere.url}?from=${authorization.length}` }).end(echo);
  };
  elsewhere.behaviour = (_request, response) => response.end(`${tokenOf(2)} ${clientSecret}`);
  const { result, steps: shown } = await run();
  t.like(result, { status: 'ok' });
  t.deepEqual(shown[0]?.response?.body_excerpt, '[redacted] [redacted]');
  t.true(elsewhere.requests.every(({ headers }) => headers.authorization === undefined));
  target.behaviour = taking('none');
  t.like((await run()).result, { status: 'err', status_code: 401, error: null });
  t.is(elsewhere.requests.at(-1)?.headers.authorization, undefined, 'nor does another step have it');
});

test('a step without a token says whose fault it is, and nothing is to be undone', async t => {
  await using endpoint = await startTarget((_request, response) => response.writeHead(503).end());
  await using target = await startTarget();
  const { auth } = signingIn(endpoint.url, { url: target.url });
  if (auth === undefined) return t.fail();
  const steps = [stepOf({ name: 'a', url: target.url, auth }), stepOf({ name: 'b', url: target.url, always: true })];
  const { auth: _, ...plain } = signingIn(endpoint.url, { url: target.url, check: { kind: 'multistep', steps } });
  const result = await check(plain, attempt, toolsOf());
  const error = { code: 'auth_failed', phase: 'auth', host: `127.0.0.1:${endpoint.port}` } as const;
  t.like(result, { status: 'err', failure_source: 'target', latency_ms: null, error });
  t.like(result.facts?.steps?.[0], { status: 'err', error } as never);
  t.like(result.facts?.steps?.[1], { status: 'skipped', reason: 'nothing_sent' });
  t.is(target.requests.length, 0);
});

const tooLarge = 'the answer of the token endpoint is larger than 64 KiB';
const failures: readonly [title: string, answer: (response: ServerResponse) => unknown, message: string][] = [
  [
    'refuses the client',
    response => response.writeHead(400).end('{"error":"invalid_client"}'),
    'the token endpoint answered 400 (invalid_client)',
  ],
  ['leads elsewhere', response => response.writeHead(302, { location: '/' }).end(), 'the token endpoint answered 302'],
  ['gives no JSON', response => response.end('hello'), 'the answer of the token endpoint has no access token'],
  ['says too much', response => response.end('x'.repeat(70_000)), tooLarge],
  ['says far too much', response => response.end('x'.repeat(900_000)), tooLarge],
  ['hangs up', response => response.destroy(), 'the token endpoint failed: connection reset by the target'],
  ['does not answer', () => undefined, 'the token endpoint did not answer within the time limit'],
];

for (const [title, answer, message] of failures)
  test(`an endpoint that ${title} fails the check, which says so`, async t => {
    await using endpoint = await startTarget((_request, response) => void answer(response));
    await using target = await startTarget();
    const isSilent = title === 'does not answer';
    const timeout_ms = isSilent ? 1000 : 20_000;
    const result = await check(signingIn(endpoint.url, { url: target.url, timeout_ms }), attempt, toolsOf());
    t.like(result, { status: 'err', failure_source: 'target', status_code: null, tls: null, latency_ms: null });
    t.deepEqual(result.error, { code: 'auth_failed', message, phase: 'auth', host: `127.0.0.1:${endpoint.port}` });
    t.is(result.remote_ip, isSilent ? null : '127.0.0.1');
    t.true((result.timings?.auth_ms ?? 0) > 0);
    t.is(target.requests.length, 0);
    if (!isSilent) t.is(endpoint.requests.length, 1);
  });

test('an address that the agent may not connect to is refused, and faults of its own network stay its own', async t => {
  await using target = await startTarget();
  const failing = (url: string, tools: CheckTools) => check(signingIn(url, { url: target.url }), attempt, tools);
  const blocked = await failing('http://10.1.2.3/token', toolsOf());
  t.like(blocked, { failure_source: 'target', error: { code: 'blocked_address', phase: 'auth', host: '10.1.2.3:80' } });
  const unknown = await failing('https://id.test/token', toolsOf());
  t.like(unknown, { failure_source: 'target', error: { code: 'auth_failed', phase: 'auth', host: 'id.test:443' } });
  const full = new FairPool(0, () => 1);
  await using endpoint = await startTokenEndpoint();
  t.like(await failing(endpoint.url, toolsOf({ bodies: full })), { failure_source: 'probe', error: { phase: 'auth' } });
  t.is(target.requests.length, 0);
});

test('the token, the secret and how it was sent are blacked out wherever they come back', async t => {
  await using endpoint = await startTokenEndpoint();
  const basic = Buffer.from(`shop:${new URLSearchParams({ '': clientSecret }).toString().slice(1)}`).toString('base64');
  const texts = [
    tokenOf(1),
    clientSecret,
    basic,
    encodeURIComponent(clientSecret),
    Buffer.from(tokenOf(1)).toString('base64'),
  ];
  const page = texts.map((text, index) => `<${index}:${text}>`).join('');
  await using target = await startTarget((request, response) => {
    response.setHeader('x-echo', request.headers.authorization ?? '');
    response.end(page);
  });
  const equal = { type: 'header', name: 'x-echo', operator: 'eq', value: 'else' } as const;
  const { result, shown } = await checkAndShow(
    signingIn(endpoint.url, { url: target.url, assertions: [equal] }),
    attempt,
    toolsOf(),
    (response, redacted) => showResponse(response, redacted),
  );
  t.is(endpoint.requests[0]?.headers.authorization, `Basic ${basic}`);
  t.is(result.assertions[0]?.actual, 'Bearer [redacted]');
  t.is(shown?.body_excerpt, texts.map((_, index) => `<${index}:[redacted]>`).join(''));
  t.is(shown?.headers['x-echo'], 'Bearer [redacted]');
});

test('the endpoint is reached by the monitor’s egress, but for the name of its own host', async t => {
  const inside = makeCertificate({ name: 'inside.test' });
  const outside = makeCertificate({ name: 'id.test', authority: 'another authority' });
  await using endpoint = await startTokenEndpoint({}, outside);
  await using target = await startTarget(taking(tokenOf(1)), inside);
  const egress = { ca: `${inside.authority}\n${outside.authority}`, server_name: 'inside.test' };
  const tools = toolsOf({ resolver: namesResolver({ 'id.test': [['127.0.0.1']], 'other.test': [['127.0.0.1']] }) });
  const assignment = signingIn(`https://id.test:${endpoint.port}/`, {
    url: `https://other.test:${target.port}/`,
    egress,
  });
  t.like(await check(assignment, attempt, tools), { status: 'ok', error: null });
  const { egress: _, ...plain } = assignment;
  t.like(await check(plain, attempt, tools), { error: { code: 'auth_failed', host: `id.test:${endpoint.port}` } });
});

test('a body with the secret in its form is fetched with an audience and scopes', async t => {
  await using endpoint = await startTokenEndpoint();
  await using target = await startTarget(ok());
  const assignment = signingIn(endpoint.url, { url: target.url });
  const auth = { ...assignment.auth, client_auth: 'body', scopes: ['a', 'b'], audience: 'x' } as WireAuth;
  t.is((await check({ ...assignment, auth }, attempt, toolsOf())).status, 'ok');
  t.deepEqual(Object.fromEntries(new URLSearchParams(endpoint.requests[0]?.body)), {
    grant_type: 'client_credentials',
    scope: 'a b',
    audience: 'x',
    client_id: 'shop',
    client_secret: clientSecret,
  });
});
