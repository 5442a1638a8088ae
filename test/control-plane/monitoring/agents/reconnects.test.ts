import { text } from 'node:stream/consumers';
import test from 'ava';
import WebSocket from 'ws';
import { secretOf } from '#control-plane/monitoring/agents/admission.ts';
import { Reconnects } from '#control-plane/monitoring/agents/reconnects.ts';
import { subprotocol } from '#shared/protocol/messages.ts';
import { createRegions, createTenant, startReplica } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';

const database = useDatabase(test);

/** How many of `count` connections in a row get in, `everyMs` apart. */
function admitted(reconnects: Reconnects, agent: { id: string; isPrivate: boolean }, count: number, everyMs: number) {
  let inside = 0;
  let lookups = 0;
  for (let index = 0; index < count; index++) {
    try {
      reconnects.requireCalm(agent.id, index * everyMs);
      lookups += 1;
      reconnects.charge(agent, agent.id, index * everyMs);
      inside += 1;
    } catch {
      // Refused.
    }
  }
  return { inside, lookups };
}

test('an agent of a private region connects 30 times at once, then every other second, and costs no lookup more', t => {
  const flood = admitted(new Reconnects(), { id: 'a', isPrivate: true }, 10_000, 10);
  t.true(flood.inside >= 30 + 45 && flood.inside <= 30 + 51, `${flood.inside} in 100 s`);
  t.true(flood.lookups <= 2 * flood.inside, `${flood.lookups} lookups`);
});

test('one whose connection breaks every 2.5 seconds, or that is the operator’s own, is never refused', t => {
  t.is(admitted(new Reconnects(), { id: 'a', isPrivate: true }, 5000, 2500).inside, 5000);
  t.is(admitted(new Reconnects(), { id: 'a', isPrivate: false }, 5000, 1).inside, 5000);
});

test('another agent does not pay for a flood', t => {
  const reconnects = new Reconnects();
  admitted(reconnects, { id: 'a', isPrivate: true }, 1000, 0);
  t.is(admitted(reconnects, { id: 'b', isPrivate: true }, 30, 0).inside, 30);
});

test('however a header spells the secret, a refusal costs no lookup more', t => {
  const secret = 'upa_0123';
  const reconnects = new Reconnects();
  admitted(reconnects, { id: secret, isPrivate: true }, 31, 0);
  for (const header of ['Bearer', 'bearer ', 'BEARER   ', ' bEARER'].map(scheme => `${scheme} ${secret} `))
    t.throws(() => reconnects.requireCalm(secretOf(header), 0), { message: /too often/ }, header);
  t.is(reconnects.refusedCount, 1);
});

test('refusals are forgotten when their wait is over, and are at most 10,000', t => {
  const reconnects = new Reconnects();
  const refuse = (count: number, nowMs: number) => {
    for (let index = 0; index < count; index++) {
      const agent = { id: `${nowMs}-${index}`, isPrivate: true };
      for (let connection = 0; connection < 30; connection++) reconnects.charge(agent, agent.id, nowMs);
      t.throws(() => reconnects.charge(agent, agent.id, nowMs));
    }
  };
  refuse(100, 0);
  t.is(reconnects.refusedCount, 100);
  refuse(1, 10_000);
  t.is(reconnects.refusedCount, 1);
  refuse(10_100, 20_000);
  t.is(reconnects.refusedCount, 10_000);
});

/** The status of an attempt to connect, and its body if it is refused. */
function ask(url: string, authorization: string): Promise<{ status: number; body: string }> {
  const headers = { authorization };
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v0/agents/connect`, subprotocol, { headers });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('open', () => {
      socket.terminate();
      resolve({ status: 101, body: '' });
    });
    socket.once('unexpected-response', (_, response) => {
      text(response).then(body => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
  });
}

test('the gateway refuses an agent that connects in a loop with 429 and says when to come again', async t => {
  const { projectId } = await createTenant(database());
  const agents = await createRegions(database(), ['loop-a', 'loop-b'], projectId);
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const secret = agents['loop-a']?.secret ?? '';
  for (let index = 0; index < 30; index++) (await connectFakeAgent(replica.url, secret)).vanish();
  // Those before may have taken so long that some more get in.
  let answer = await ask(replica.url, `Bearer ${secret}`);
  for (let index = 0; index < 60 && answer.status === 101; index++) answer = await ask(replica.url, `Bearer ${secret}`);
  t.is(answer.status, 429);
  const { code, retry_after } = JSON.parse(answer.body);
  t.is(code, 'rate_limited');
  // A place is free every two seconds, and the last one may have been taken a while ago.
  t.true([1, 2].includes(retry_after), `${retry_after}`);
  await using other = await connectFakeAgent(replica.url, agents['loop-b']?.secret ?? '');
  t.true(other.messages.some(({ type }) => type === 'welcome'));
});
