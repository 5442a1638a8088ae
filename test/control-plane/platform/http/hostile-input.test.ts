import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { Endpoint } from '#control-plane/platform/http/endpoint/endpoint.ts';
import { answerNodeErrors } from '#control-plane/platform/http/middleware/node-errors.ts';
import { apiOf, createRegions, createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type HostileRequest, hostileRequest } from '#test/support/hostile-request.ts';
import { problemFault } from '#test/support/problem.ts';
import { openRaw, type RawAnswer, writeRequest } from '#test/support/raw-connection.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
/** By hand, HOSTILE_FULL=1 sends as many to each class of endpoints. */
const requestsTotal = 10_000;
const isFull = process.env.HOSTILE_FULL === '1';
/** Fewer than a project may have waiting for reports, beside those that were broken off and still run. */
const connectionsMax = 12;
/** Making very many takes longer than the server keeps an idle connection. */
const madeAtOnce = 250;
/** What a partial request is given: at least this long, and on a busy machine several times as long as a whole one. */
const partialEndMs = 150;
const partialFactor = 4;

async function openWorld() {
  const replica = await sharedReplica(databaseOf());
  const { token } = await createTenant(databaseOf());
  await createRegions(databaseOf(), [`hostile-${token.slice(-6)}`]);
  return { replica, token, api: apiOf(replica.url, token) };
}

test.serial(
  'ten thousand malformed requests: never a 5xx, every refusal a problem of the contract, and the replica lives',
  async t => {
    const { replica, token, api } = await openWorld();
    await createRegions(databaseOf(), ['hostile']);
    const seed = Number(process.env.HOSTILE_SEED ?? Math.floor(Math.random() * 2 ** 31));
    t.log(`HOSTILE_SEED=${seed} repeats this run`);
    const seen = new Map<number, number>();
    const queue = hostileQueue(replica.endpoints, token, seed);
    if (isFull) t.timeout(3_600_000);
    let wholeMs = 0;
    await Promise.all(
      Array.from({ length: connectionsMax }, async () => {
        let connection = await openRaw(replica.port);
        for (const [index, request] of queue) {
          if (!connection.open) connection = await openRaw(replica.port);
          const startMs = performance.now();
          const answer = await connection.exchange(
            request.bytes,
            request.method,
            request.partial ? Math.max(partialEndMs, partialFactor * wholeMs) : undefined,
          );
          if (request.partial) connection.open = false;
          else wholeMs = performance.now() - startMs;
          const fault = faultOf(request, answer);
          if (fault !== null)
            t.fail(`request ${index} of seed ${seed}: ${fault}\n${show(request)}\n→ ${answer?.body.slice(0, 500)}`);
          if (answer !== null) seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        }
        await connection[Symbol.asyncDispose]();
      }),
    );
    t.log(Object.fromEntries([...seen].sort()));
    for (const status of [200, 400, 401, 404, 405, 413, 415, 422, 431])
      t.true(seen.has(status), `some requests end in ${status}`);
    await assertAlive(t, replica.url, api);
  },
);

test.serial('bodies that drip, stop or break off do not slow down others', async t => {
  const { replica, token, api } = await openWorld();
  const head = Buffer.from(
    writeRequest('POST', '/v0/monitors', { authorization: `Bearer ${token}`, 'content-length': '1000' }, 'x'),
  ).toString();
  const sockets = Array.from({ length: 60 }, () => connect(replica.port, '127.0.0.1'));
  for (const [index, socket] of sockets.entries()) {
    socket.on('error', () => undefined);
    socket.write(index % 3 === 0 ? head.slice(0, 40) : head);
  }
  const dripping = setInterval(() => {
    for (const socket of sockets) socket.write('x');
  }, 100);
  t.teardown(() => {
    clearInterval(dripping);
    for (const socket of sockets) socket.destroy();
  });
  t.is((await api('GET', '/v0/project')).status, 200);
  // Behind one of these bodies it would wait until that was given up, after half a minute.
  t.true(sockets.every(socket => !socket.readableEnded && !socket.closed));
  await assertAlive(t, replica.url, api);
});

test.serial('a request that does not arrive in time is a 408 of the contract’s shape', async t => {
  const server = createServer(
    { requestTimeout: 200, headersTimeout: 100, connectionsCheckingInterval: 50 },
    request => {
      request.resume();
    },
  );
  answerNodeErrors(server, 'http://localhost:8080');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  for (const part of ['GET /healthz HTTP/1.1\r\nhost', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\na']) {
    await using connection = await openRaw((server.address() as AddressInfo).port);
    const answer = await connection.exchange(part);
    t.is(answer?.status, 408);
    t.is(problemFault(408, String(answer?.headers['content-type']), answer?.body ?? ''), null);
  }
});

test.serial('a body over 1 MiB is 413 with or without a Content-Length, and one of 1 MiB is read', async t => {
  const { replica, token } = await openWorld();
  const authorization = `Bearer ${token}`;
  const post = async (bytes: Uint8Array) => {
    await using connection = await openRaw(replica.port);
    return (await connection.exchange(bytes))?.status;
  };
  const body = (size: number) => JSON.stringify({ name: ''.padEnd(size - '{"name":""}'.length, 'x') });
  t.is(await post(writeRequest('POST', '/v0/monitors', { authorization }, body(1_048_576))), 422);
  t.is(await post(writeRequest('POST', '/v0/monitors', { authorization }, body(1_048_577))), 413);
  const chunked = { authorization, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const inChunks = (size: number) => `${size.toString(16)}\r\n${body(size)}\r\n0\r\n\r\n`;
  const head = writeRequest('POST', '/v0/monitors', chunked);
  t.is(await post(Buffer.concat([head, Buffer.from(inChunks(1_048_576))])), 422);
  t.is(await post(Buffer.concat([head, Buffer.from(inChunks(1_048_577))])), 413);
});

test.serial(
  'errors that Node would answer without a body are problems too, and an expectation or h2c offer changes nothing',
  async t => {
    const { replica } = await openWorld();
    const ask = async (text: string) => {
      await using connection = await openRaw(replica.port);
      return await connection.exchange(text);
    };
    const refused = [
      'GET /healthz HTTP/1.1\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
      'GET http://[/ HTTP/1.1\r\nhost: a\r\n\r\n',
      'GET http://[/ HTTP/1.1\r\n\r\n',
    ];
    for (const text of refused) {
      const answer = await ask(text);
      t.is(answer?.status, 400, text);
      t.is(problemFault(400, String(answer?.headers['content-type']), answer?.body ?? ''), null, text);
    }
    const served = [
      'GET /healthz HTTP/1.0\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: a-miracle\r\n\r\n',
      [
        'GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: upgrade, http2-settings',
        'upgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n',
      ].join('\r\n'),
    ];
    for (const text of served) t.is((await ask(text))?.status, 200, text);
  },
);

test.serial('the caller’s request id is used if it is safe in a log, and is in every response and problem', async t => {
  const { api } = await openWorld();
  for (const id of ['a'.repeat(8), 'Az09_-'.padEnd(128, 'x')]) {
    const answer = await api('GET', '/v0/nothing', undefined, { 'x-request-id': id });
    t.is(answer.headers['x-request-id'], id);
    t.is(answer.body.request_id, id);
  }
  for (const id of ['short', 'x'.repeat(129), 'with space', 'quote"quote"']) {
    const answer = await api('GET', '/v0/project', undefined, { 'x-request-id': id });
    t.regex(String(answer.headers['x-request-id']), /^req_[0-9a-z]{26}$/);
  }
});

/** Requests to each class of endpoints in turn: those of one tag, and what needs no token. */
function* hostileQueue(
  endpoints: readonly Endpoint[],
  token: string,
  seed: number,
): Generator<[number, HostileRequest]> {
  const classes = [...Map.groupBy(endpoints, endpoint => endpoint.tag).values()];
  const ofEach = isFull ? requestsTotal : Math.ceil(requestsTotal / classes.length);
  let index = 0;
  for (const ofClass of classes)
    for (let made = 0; made < ofEach; made += madeAtOnce) {
      const numRuns = Math.min(madeAtOnce, ofEach - made);
      for (const request of fc.sample(hostileRequest(ofClass, token), { numRuns, seed: seed + index }))
        yield [index++, request];
    }
}

async function assertAlive(t: ExecutionContext, url: string, api: ReturnType<typeof apiOf>): Promise<void> {
  for (const path of ['/healthz', '/readyz', '/v0/project']) t.is((await api('GET', path)).status, 200, path);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const failed = metrics
    .split('\n')
    .filter(line => /_count\{.*status="(5\d\d|429)"/.test(line))
    .filter(
      line =>
        !/"(\/dashboard\/session|\/status\/:slug\/((un)?subscribe|confirm)|\/v0\/changes)",.*status="429"/.test(line),
    );
  t.deepEqual(failed, [], 'also where the client did not wait for the answer');
}

function faultOf(request: HostileRequest, answer: RawAnswer | null): string | null {
  if (answer === null) return request.partial ? null : 'no answer';
  // Sign-in, subscriptions and open streams have limits of their own, which nothing raises.
  const head = Buffer.from(request.bytes.slice(0, 9000)).toString('latin1');
  const limited =
    /^(POST \/dashboard\/session|[A-Z]+ \/status\/[^ ]*\/((un)?subscribe|confirm)|(GET|HEAD) \/v0\/changes)/.test(head);
  // Requests change one project at once: on a busy machine one waits longer for another than it may.
  const waited = answer.status === 503 && answer.body.includes('"detail":"another change to the same resource');
  if ((answer.status >= 500 && !waited) || (answer.status === 429 && !limited)) return `status ${answer.status}`;
  if (answer.headers['x-request-id'] === undefined && answer.status !== 101) return 'no request id';
  if (answer.status < 400 || request.method === 'HEAD') return null;
  // Links in emails are for people: they get a page unless JSON is preferred.
  const forPeople = /^(GET|POST) \/status\/[^ ]*\/(confirm|unsubscribe)/.test(head);
  if (forPeople && String(answer.headers['content-type']).startsWith('text/html')) return null;
  return problemFault(answer.status, String(answer.headers['content-type']), answer.body);
}

function show(request: HostileRequest): string {
  return Buffer.from(request.bytes)
    .toString('latin1')
    .replace(/upq_\w+/, 'upq_…')
    .slice(0, 1500);
}
