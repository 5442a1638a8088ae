import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { WebSocket } from 'ws';
import type { ResultHooks } from '#control-plane/monitoring/agents/hooks.ts';
import { messageLimits } from '#control-plane/monitoring/agents/read-budget.ts';
import type { ReadBudget } from '#control-plane/monitoring/agents/read-budgets.ts';
import { Session } from '#control-plane/monitoring/agents/session.ts';
import { markGone } from '#control-plane/monitoring/agents/store.ts';
import { systemClock } from '#shared/clock.ts';
import { TokenBucket } from '#shared/fairness/token-bucket.ts';
import { newId } from '#shared/ids.ts';
import { createLog } from '#shared/log.ts';
import { encode } from '#shared/protocol/codec.ts';
import { type AgentMessage, messageBytesMax } from '#shared/protocol/messages.ts';
import type { Timers } from '#shared/timers.ts';
import { apiOf, createRegions, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, goodResult } from '#test/support/fake-agent.ts';

const database = useDatabase(test);

async function openWorld(t: ExecutionContext, regions: readonly string[]) {
  const secrets = await createRegions(database(), regions);
  const { token } = await createTenant(database(), ['*', 'agents:operate']);
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const connect = (region: string) => connectFakeAgent(replica.url, secrets[region]?.secret ?? '');
  const agentOf = async (region: string) => (await api('GET', `/v0/agents?region=${region}`)).body.data[0];
  return { replica, api, connect, agentOf };
}

const vitals: Extract<AgentMessage, { type: 'vitals' }> = {
  type: 'vitals',
  clock_offset_ms: 0,
  assignments: 1,
  checks: 1,
  period_ms: 5000,
  queue_depth: 0,
  missed: {},
  late_starts: 0,
  rss_bytes: 1,
  spool: { count: 0, bytes: 0, dropped: 0 },
};

test('an agent marked offline while the database was unreachable is online again after its next heartbeat', async t => {
  const world = await openWorld(t, ['alive-a']);
  await using agent = await world.connect('alive-a');
  t.is((await world.agentOf('alive-a')).state, 'online');
  // The liveness timer does this after the database was unreachable for 45 s and no heartbeat was written.
  await withSql(database(), sql => markGone(sql, Date.now() + 60_000, 10_000, 45_000));
  await until(async () => (await world.agentOf('alive-a')).state, 'online');
  const [answer] = await agent.report([goodResult(newId('mon'), Date.now())]);
  t.is(answer?.reason, 'unknown_monitor', 'the same connection still works');
});

test('invalid vitals of one agent do not stop the heartbeats of the others', async t => {
  const world = await openWorld(t, ['vital-a', 'vital-b']);
  await using hostile = await world.connect('vital-a');
  await using honest = await world.connect('vital-b');
  hostile.send({ ...vitals, assignments: 3_000_000_000 });
  honest.send({ ...vitals, queue_depth: 7 });
  await until(async () => (await world.agentOf('vital-b')).queue_depth, 7);
  // The test above marks every agent offline, until its next heartbeat.
  await until(async () => (await world.agentOf('vital-b')).state, 'online');
  t.pass();
});

test('an assignments message never exceeds what an agent accepts, whatever the alphabet', async t => {
  const world = await openWorld(t, ['size-a']);
  const monitors = 12;
  const assertions = Array.from({ length: 2 }, () => ({ type: 'body_contains', value: '漢'.repeat(8192) }));
  for (let index = 0; index < monitors; index++) {
    const made = await world.api('POST', '/v0/monitors', {
      name: `big ${index}`,
      url: 'http://127.0.0.1:1/',
      interval_seconds: 3600,
      regions: ['size-a'],
      method: 'POST',
      body: '漢'.repeat(21_845),
      assertions,
    });
    t.is(made.status, 201);
  }
  await using agent = await world.connect('size-a');
  const sent = () => agent.messages.filter(message => message.type === 'assignments');
  await until(() => sent().reduce((sum, message) => sum + message.put.length, 0), monitors);
  for (const message of sent())
    t.true(Buffer.byteLength(encode(message)) <= messageBytesMax, `${Buffer.byteLength(encode(message))} bytes`);
});

/** A session that has said hello, and when its socket was paused and resumed. */
function openSession(
  results: ResultHooks,
  budget: ReadBudget = { message: () => 0, results: () => 0 },
  timers?: Timers,
) {
  const heard: string[] = [];
  const pongs: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    bufferedAmount: 0,
    send() {},
    close() {},
    ping() {},
    pong: (data: Buffer) => void pongs.push(String(data)),
    terminate() {},
    pause: () => void heard.push('pause'),
    resume: () => void heard.push('resume'),
  });
  const session = new Session(
    socket as unknown as WebSocket,
    { id: 'agt_1', region: 'r', name: 'n', isPrivate: false },
    budget,
    {
      ...(timers === undefined ? {} : { timers }),
      clock: systemClock,
      log: createLog({ name: 'test', level: 'silent' }),
      connect: async () => true,
      probes: { probed() {} },
      assignments: { connected() {}, disconnected() {}, applied() {} },
      results,
    },
  );
  const held = { revision: 0, digest: '' };
  const spool = { count: 0, bytes: 0, dropped: 0 };
  socket.emit('message', encode({ type: 'hello', protocol: 1, version: 'v', boot_id: 'b', held, spool }), false);
  return { socket, session, heard, pongs };
}

test('results that fail while earlier ones wait cause no unhandled rejection', async t => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  t.teardown(() => {
    process.removeListener('unhandledRejection', note);
    for (const other of others) process.on('unhandledRejection', other);
  });
  let calls = 0;
  const { socket, session } = openSession({
    recordReported: () =>
      calls++ === 0 ? new Promise<never>(() => {}) : Promise.reject(new Error('the recorder is stopping')),
    full: () => false,
    drained: async () => {},
  });
  for (const seq of [1, 2])
    socket.emit('message', encode({ type: 'results', from_seq: seq, to_seq: seq, results: [{}] }), false);
  // Node reports unhandled rejections before the next turn of the event loop.
  await setImmediate();
  session.end();
  t.is(calls, 2);
  t.deepEqual(unhandled, []);
});

test('a session that comes back to a full queue is not read until there is room', async t => {
  const room = Promise.withResolvers<void>();
  const { heard, session } = openSession({
    recordReported: async () => [],
    full: () => true,
    drained: () => room.promise,
  });
  await setImmediate();
  t.deepEqual(heard, ['pause']);
  room.resolve();
  await setImmediate();
  session.end();
  t.deepEqual(heard, ['pause', 'resume']);
});

test('of thousands of pings that come at once a burst is answered, and the last when reading goes on', async t => {
  const bucket = new TokenBucket(messageLimits, 0);
  const waits: (() => void)[] = [];
  const timers: Timers = {
    now: () => 0,
    after: () => ({ cancel() {} }),
    every: () => ({ cancel() {} }),
    wait: () => new Promise(resolve => waits.push(resolve)),
  };
  const results = { recordReported: async () => [], full: () => false, drained: async () => {} };
  const budget = { message: () => bucket.charge(1, 0), results: () => 0 };
  const { socket, session, heard, pongs } = openSession(results, budget, timers);
  for (let count = 1; count <= 3000; count++) socket.emit('ping', Buffer.from(String(count)));
  t.is(pongs.length, messageLimits.capacity - 1, 'the hello was a message, too');
  t.is(heard[0], 'pause');
  for (const resume of waits) resume();
  await setImmediate();
  t.deepEqual([pongs.length, pongs.at(-1)], [messageLimits.capacity, '3000']);
  t.is(heard.at(-1), 'resume');
  session.end();
});
