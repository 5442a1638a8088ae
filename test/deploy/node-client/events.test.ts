import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import {
  createEvents,
  type DropReason,
  type EventsOptions,
  type SentEvent,
} from '#deploy/node-client/source/events.ts';
import { startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld, raiseLimits } from '#test/support/events.ts';

const databaseOf = useDatabase(test);

type Answer = (events: SentEvent[], response: ServerResponse) => void | Promise<void>;

const receipt = (response: ServerResponse, events: readonly unknown[], errors: readonly unknown[] = []) =>
  response
    .writeHead(202, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ received: events.length, errors }));

/** Answers requests whose bodies have arrived. */
async function startIntake(
  t: ExecutionContext,
  answer: (request: IncomingMessage, bytes: Buffer, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer(async (request, response) => answer(request, await buffer(request), response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An intake that answers as a test says, and what a client gave up. */
async function openIntake(t: ExecutionContext, answer: Answer, options: Partial<EventsOptions> = {}) {
  const batches: SentEvent[][] = [];
  const dropped: { names: (string | undefined)[]; reason: DropReason }[] = [];
  const server = await startIntake(t, (request, bytes, response) => {
    const isCompressed = request.headers['content-encoding'] === 'gzip';
    t.is(isCompressed, bytes.length < 1024 ? isCompressed : true);
    const events = JSON.parse((isCompressed ? gunzipSync(bytes) : bytes).toString()) as SentEvent[];
    batches.push(events);
    return answer(events, response);
  });
  const events = createEvents({
    baseUrl: server,
    token: 'x',
    flushMs: 20,
    onDrop: (given, reason) => {
      dropped.push({ names: given.map(({ name }) => name), reason });
    },
    ...options,
  });
  t.teardown(() => events.close({ timeoutMs: 0 }));
  return { events, batches, dropped, url: server };
}

test('events go together, in their order, and what is refused is named', async t => {
  const { events, batches, dropped } = await openIntake(t, (given, response) => {
    const index = given.findIndex(({ name }) => name === 'bad');
    receipt(response, given, index === -1 ? [] : [{ index, pointer: `/${index}/name`, detail: 'is bad' }]);
  });
  events.track('one', { user: 'u1', session: 's1', props: { n: 1 }, timestamp: new Date(0) });
  events.error(new TypeError('not there'), { props: { path: '/x' } });
  events.track('bad');
  events.identify('u1', { session: 's1', traits: { plan: 'team' } });
  t.true(await events.flush());
  const [first, second, , last] = batches[0] ?? [];
  t.like(first, { type: 'track', name: 'one', external_user_id: 'u1', timestamp: '1970-01-01T00:00:00.000Z' });
  t.like(second, { type: 'error', name: 'TypeError', props: { message: 'not there', path: '/x' } });
  t.like(last, { type: 'identify', session_id: 's1', props: { plan: 'team' } });
  t.is(new Set(batches[0]?.map(event => event.dedup_id)).size, 4);
  t.deepEqual(dropped, [{ names: ['bad'], reason: { code: 'refused', detail: '/2/name is bad' } }]);
  t.is(events.dropped, 1);
});

test('nothing that is tracked throws, and nothing that a caller’s functions throw is heard', async t => {
  const reasons: string[] = [];
  const { events } = await openIntake(t, (given, response) => void receipt(response, given), {
    onDrop: (_, { code }) => {
      reasons.push(code);
      throw new Error('of the caller');
    },
  });
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  events.track('circle', { props: circle });
  events.track('bigint', { props: { n: 1n } });
  events.track('never', { timestamp: new Date(Number.NaN) });
  events.track('huge', { props: { text: 'x'.repeat(2_000_000) } });
  t.deepEqual(reasons, ['not_json', 'not_json', 'not_json', 'too_large']);
  t.true(await events.flush());
  await events.close();
  events.track('late');
  t.is(reasons.at(-1), 'closed');
});

test('batches have their limits: of events, of bytes, and what the server says', async t => {
  const { events, batches, dropped } = await openIntake(
    t,
    (given, response) => {
      if (given.length > 30) response.writeHead(413).end('{}');
      else if (given[0]?.name === 'late') response.writeHead(401).end('{"detail":"the token is revoked"}');
      else receipt(response, given);
    },
    { batchMax: 100 },
  );
  for (let n = 0; n < 100; n++) events.track(`n${n}`);
  t.true(await events.flush());
  t.deepEqual(
    batches.map(batch => batch.length),
    [100, 50, 25, 25, 50, 25, 25],
  );
  batches.length = 0;
  for (let n = 0; n < 4; n++) events.track('large', { props: { text: 'x'.repeat(400_000) } });
  t.true(await events.flush());
  t.deepEqual(
    batches.map(batch => batch.length),
    [2, 2],
  );
  events.track('late');
  t.true(await events.flush());
  t.like(dropped.at(-1), { names: ['late'], reason: { code: 'refused', detail: 'the token is revoked' } });
});

test('while the server is away the oldest are given up, and memory stays bounded', async t => {
  const errors: Error[] = [];
  const { events, dropped } = await openIntake(t, (_, response) => void response.destroy(), {
    queueMax: 50,
    batchMax: 10,
    onError: error => errors.push(error),
  });
  for (let n = 0; n < 20; n++) events.track(`n${n}`);
  t.false(await events.flush());
  for (let n = 20; n < 200; n++) events.track(`n${n}`);
  t.is(events.size, 50);
  t.is(events.dropped, 150);
  const names = dropped.flatMap(drop => drop.names);
  t.is(names[0], 'n10', 'those that are being sent stay');
  t.is(names.at(-1), 'n159');
  t.true(errors.length > 0);
  for (let n = 0; n < 60; n++) events.track('wide', { props: { text: 'x'.repeat(900_000) } });
  t.true(events.size < 50, `${events.size}`);
  const fromMs = performance.now();
  await events.close({ timeoutMs: 200 });
  t.true(performance.now() - fromMs < 9900, 'it would wait ten seconds by default');
  t.is(events.size, 0);
  t.like(dropped.at(-1), { reason: { code: 'closed' } });
});

test('a process ends without waiting for a server that does not answer; only close waits', async t => {
  const { url } = await openIntake(t, () => {});
  const source = new URL('../../../deploy/node-client/source/events.ts', import.meta.url).href;
  // From a process's last statement to its end, as it measures it: to start takes long on a busy machine.
  const ran = async (last: string) => {
    const code = `import { createEvents } from '${source}';
      const events = createEvents({ baseUrl: '${url}', token: 'x', flushMs: 1 });
      events.track('one');
      setTimeout(async () => {
        const fromMs = performance.now();
        process.on('exit', () => console.log(performance.now() - fromMs));
        ${last}
      }, 200);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    t.is(status, 0);
    return Number(said);
  };
  const [left, closed] = await Promise.all([ran(''), ran('await events.close({ timeoutMs: 3000 });')]);
  t.true(closed >= 2900, `${closed}`);
  // A second try, as the machine may stand still at the end of a process.
  t.true(left < 2000 || (await ran('')) < 2000, `${left}, ${closed}`);
});

test.serial('each event is stored once, though answers are lost and the control plane starts again', async t => {
  const world = await openEventWorld(t, databaseOf(), {});
  await raiseLimits(databaseOf(), world.projectId);
  let target: string | null = world.replica.url;
  const ways: ('lost' | 'busy' | 'whole')[] = ['whole', 'lost', 'busy', 'whole', 'lost'];
  const url = await startIntake(t, async ({ url: path, headers }, body, response) => {
    const way = ways.shift() ?? 'whole';
    if (target === null) return void response.destroy();
    if (way === 'busy') return void response.writeHead(503, { 'Retry-After': '1' }).end();
    const { host: _, connection: __, ...sent } = headers;
    const answered = await fetch(`${target}${path}`, { method: 'POST', headers: sent as never, body });
    const text = await answered.text();
    if (way === 'lost') return void response.destroy();
    response.writeHead(answered.status, { 'Content-Type': 'application/json' }).end(text);
  });
  const dropped: DropReason[] = [];
  const events = createEvents({
    baseUrl: url,
    token: world.token,
    flushMs: 10,
    batchMax: 100,
    onDrop: (_, reason) => dropped.push(reason),
  });
  const count = 2000;
  for (let n = 0; n < count; n++) {
    events.track('paid', { user: `u${n}`, props: { n } });
    if (n % 100 === 0) await events.flush();
    if (n === 800) {
      target = null;
      await world.replica.stop();
    }
    if (n === 1500) {
      const replica = await startReplica(databaseOf());
      t.teardown(() => replica.stop());
      target = replica.url;
    }
  }
  await events.close({ timeoutMs: 60_000 });
  t.deepEqual(dropped, []);
  const stored = await world.stored();
  t.is(stored.length, count);
  t.is(new Set(stored.map(({ props }) => props?.n)).size, count);
});
