import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { WebSocket } from 'ws';
import { Session } from '#control-plane/agents/session.ts';
import { markGone } from '#control-plane/agents/store.ts';
import { Catalogue } from '#control-plane/assignments/catalogue.ts';
import type { Sql } from '#control-plane/db/sql.ts';
import { systemClock } from '#shared/clock.ts';
import { createLog } from '#shared/log.ts';
import { encode } from '#shared/protocol/codec.ts';
import { type AgentMessage, messageBytesMax } from '#shared/protocol/messages.ts';
import { apiOf, createRegions, createTenant, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';

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

test('an agent that was taken for gone while the database was away is live again with its next heartbeat', async t => {
  const world = await openWorld(t, ['alive-a']);
  await using agent = await world.connect('alive-a');
  t.is((await world.agentOf('alive-a')).state, 'online');
  // What the liveness timer does first after the database was away for 45 s: heartbeats could not be written.
  await withSql(database(), sql => markGone(sql, Date.now() + 60_000, 10_000, 45_000));
  const state = await until(
    async () => (await world.agentOf('alive-a')).state as string,
    value => value === 'online',
    16_000,
  ).catch(() => 'offline for ever');
  t.is(state, 'online');
  t.is(await Promise.race([agent.closed, wait(10, 'still connected')]), 'still connected');
});

test('nonsense in one agent’s vitals does not stop the heartbeats of the others', async t => {
  const world = await openWorld(t, ['vital-a', 'vital-b']);
  await using hostile = await world.connect('vital-a');
  await using honest = await world.connect('vital-b');
  hostile.send({ ...vitals, assignments: 3_000_000_000 });
  honest.send({ ...vitals, queue_depth: 7 });
  const depth = await until(
    async () => (await world.agentOf('vital-b')).queue_depth as number,
    value => value === 7,
    12_000,
  ).catch(() => 'no heartbeat was written');
  t.is(depth, 7);
});

test('an assignments message never exceeds what an agent accepts, whatever the alphabet', async t => {
  const world = await openWorld(t, ['size-a']);
  const assertions = Array.from({ length: 24 }, () => ({ type: 'body_contains', value: '漢'.repeat(8192) }));
  for (let index = 0; index < 3; index++) {
    const made = await world.api('POST', '/v0/monitors', {
      name: `big ${index}`,
      url: 'http://127.0.0.1:1/',
      interval_seconds: 3600,
      regions: ['size-a'],
      assertions,
    });
    t.is(made.status, 201);
  }
  await using agent = await world.connect('size-a');
  const sent = () => agent.messages.filter(message => message.type === 'assignments');
  await until(
    async () => sent().reduce((sum, message) => sum + message.put.length, 0),
    count => count === 3,
  );
  for (const message of sent())
    t.true(Buffer.byteLength(encode(message)) <= messageBytesMax, `${Buffer.byteLength(encode(message))} bytes`);
});

test('results that are refused while earlier ones wait end no process', async t => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  t.teardown(() => {
    process.removeListener('unhandledRejection', note);
    for (const other of others) process.on('unhandledRejection', other);
  });
  const socket = Object.assign(new EventEmitter(), {
    bufferedAmount: 0,
    send() {},
    close() {},
    ping() {},
    terminate() {},
    pause() {},
    resume() {},
  });
  let place = 0;
  const session = new Session(
    socket as unknown as WebSocket,
    { id: 'agt_1', region: 'r', name: 'n' },
    {
      clock: systemClock,
      log: createLog({ name: 'test', level: 'silent' }),
      connect: async () => true,
      stages: {
        connected() {},
        disconnected() {},
        applied() {},
        reported: () =>
          place++ === 0 ? new Promise<never>(() => {}) : Promise.reject(new Error('the recorder is stopping')),
        room: () => null,
      },
    },
  );
  const send = (message: AgentMessage) => socket.emit('message', encode(message), false);
  send({
    type: 'hello',
    protocol: 1,
    version: 'v',
    boot_id: 'b',
    held: { revision: 0, digest: '' },
    spool: { count: 0, bytes: 0, dropped: 0 },
  });
  send({ type: 'results', from_seq: 1, to_seq: 1, results: [{}] });
  send({ type: 'results', from_seq: 2, to_seq: 2, results: [{}] });
  await wait(50);
  session.end();
  t.deepEqual(unhandled, []);
});

test('a reading that fails half way loses no change of the live agents', async t => {
  let failing = false;
  const row = (online: boolean) => ({
    id: 'agt_1',
    region: 'r',
    online,
    revoked: false,
    session_id: 's',
    next_xid: '5',
  });
  let online = true;
  const sql: Sql = {
    once: async () => [],
    rows: async <Row>(text: string) => {
      if (text.includes('from agents') || text.includes('join agents')) return [row(online)] as Row[];
      if (failing) throw new Error('Connection terminated');
      if (text.includes('left join monitors')) return [{ id: null, next_xid: '5' }] as Row[];
      return [] as Row[];
    },
    row: async <Row>() => ({ xid: '5' }) as Row,
    run: async () => 0,
  };
  const catalogue = new Catalogue(sql);
  await catalogue.read();
  online = false;
  failing = true;
  await t.throwsAsync(catalogue.read());
  failing = false;
  t.deepEqual([...(await catalogue.read()).regions], ['r']);
});
