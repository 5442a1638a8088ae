import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import got from 'got';
import { until } from '#test/support/control-plane.ts';
import { badResults, goodResult } from '#test/support/fake-agent.ts';
import { type IntakeWorld, openIntakeWorld } from '#test/support/intake-world.ts';
import { startNats, type TestNats } from '#test/support/nats.ts';

// What every intake promises to agents and senders of events.

let nats: TestNats;
test.before(async () => {
  nats = await startNats();
});
test.after.always(() => nats?.[Symbol.asyncDispose]());

const intakes = {
  postgres: (t: ExecutionContext) => openIntakeWorld(t, null),
  nats: (t: ExecutionContext) => openIntakeWorld(t, nats.settings),
} as const;

const slots = (count: number) => {
  const now = Date.now() - count * 10_000;
  return Array.from({ length: count }, (_, index) => now + index * 10_000);
};
const keysOf = (region: string, at: readonly number[]) => at.map(slot => `${region} ${slot} 1`);

for (const [name, open] of Object.entries(intakes)) {
  test.serial(`${name}: what is acknowledged is stored, once, however often it comes`, async t => {
    const world = await open(t);
    await using agent = await world.connect('in-a');
    const at = slots(600);
    const results = at.map(slot => goodResult(world.monitorId, slot));
    for (const part of [results.slice(0, 300), results.slice(300), results.slice(150, 450)])
      t.deepEqual(await agent.report(part), []);
    t.deepEqual(await until(world.storedResults, stored => stored.length >= 600), keysOf('in-a', at));
    await agent.report(results.slice(0, 50));
    const events = Array.from({ length: 500 }, (_, index) => ({ name: `e${index}`, dedup_id: `d${index}` }));
    const replies = await Promise.all([1, 2, 3].map(() => world.api('POST', '/v0/events', events)));
    t.deepEqual(
      replies.map(reply => reply.status),
      [202, 202, 202],
    );
    const stored = await until(world.storedEvents, counts => Object.keys(counts).length === 500);
    t.true(Object.values(stored).every(count => count === 1));
    t.deepEqual(await world.storedResults(), keysOf('in-a', at));
  });

  test.serial(`${name}: an outage opens its alert and ends it`, async t => {
    const world = await open(t);
    await using one = await world.connect('in-a');
    await using two = await world.connect('in-b');
    const alerts = async () =>
      (await world.api('GET', '/v0/alerts')).body.data.map((alert: { state: string }) => alert.state);
    const began = Date.now();
    await Promise.all([one, two].map(agent => agent.report(badResults(world.monitorId, began - 2000))));
    await until(alerts, ['open']);
    t.log(`opened after ${Date.now() - began} ms`);
    await Promise.all([one, two].map(agent => agent.report([goodResult(world.monitorId, Date.now())])));
    t.deepEqual(await until(alerts, ['resolved']), ['resolved']);
  });

  test.serial(`${name}: the first failure asks the other regions to check, once each`, async t => {
    const world = await open(t);
    await world.another({ roles: ['worker'] });
    await using one = await world.connect('in-a');
    await using two = await world.connect('in-b');
    const asked = () => two.messages.filter(message => message.type === 'check_now');
    const isAssigned = (agent: typeof one) => agent.messages.some(message => message.type === 'assignments');
    await until(() => isAssigned(one) && isAssigned(two), true);
    const before = asked().length;
    await one.report(badResults(world.monitorId, Date.now() - 2000));
    await until(() => asked().length > before, true);
    // What would come twice would have come by the time another request is answered.
    await world.api('POST', `/v0/monitors/${world.monitorId}/check-now`);
    await until(() => asked().length > before + 1, true);
    t.is(asked().length, before + 2);
  });

  test.serial(`${name}: malformed results are refused one by one, and those of nobody are not stored`, async t => {
    const world = await open(t);
    await using agent = await world.connect('in-a');
    const at = Date.now();
    const refused = await agent.report([
      goodResult(world.monitorId, at - 20_000),
      { ...goodResult(world.monitorId, at - 10_000), status: 'fine' as 'ok' },
      goodResult('mon_00000000000000000000000000', at),
      goodResult(world.monitorId, at),
    ]);
    t.true(refused.some(({ seq, reason }) => seq === 2 && reason === 'malformed'));
    const stored = await until(world.storedResults, rows => rows.length === 3);
    t.deepEqual(stored, keysOf('in-a', [at - 20_000, at - 10_000, at]));
  });

  test.serial(`${name}: a signal of a heartbeat is stored and votes`, async t => {
    const world = await open(t);
    const made = await world.api('POST', '/v0/monitors', { kind: 'heartbeat', name: 'job', interval_seconds: 300 });
    const send = (ending: string) =>
      got(world.replica.url + new URL(made.body.url).pathname + ending, {
        throwHttpErrors: false,
        retry: { limit: 0 },
      });
    const status = async () => (await world.api('GET', `/v0/monitors/${made.body.id}`)).body.status;
    t.is((await send('')).statusCode, 200);
    t.is(await until(status, 'up'), 'up');
    t.is((await send('/3')).statusCode, 200);
    t.is(await until(status, 'down'), 'down');
    const { data } = (await world.api('GET', `/v0/monitors/${made.body.id}/checks`)).body;
    t.deepEqual(
      data.map((check: { signal: { type: string } }) => check.signal.type),
      ['fail', 'success'],
    );
  });

  test.serial(`${name}: events with and without an Idempotency-Key are stored once`, async t => {
    const world = await open(t);
    const key = randomUUID();
    const keyed = () => world.api('POST', '/v0/events', [{ name: 'keyed' }], { 'idempotency-key': key });
    const [first, second] = [await keyed(), await keyed()];
    t.is(first.status, 202);
    t.deepEqual(second.body, first.body);
    t.is((await world.api('POST', '/v0/events', [{ name: 'plain' }, { nonsense: 1 }])).body.accepted, 1);
    t.deepEqual(await until(world.storedEvents, counts => counts.plain === 1), { keyed: 1, plain: 1 });
  });

  test.serial(`${name}: a process that stops has lost nothing that it acknowledged`, async t => {
    const world: IntakeWorld = await open(t);
    const at = slots(100);
    const agent = await world.connect('in-a');
    await Promise.all(at.map(slot => agent.report([goodResult(world.monitorId, slot)])));
    await world.api('POST', '/v0/events', [{ name: 'last' }]);
    await world.replica.stop();
    await world.another();
    t.deepEqual(await until(world.storedResults, rows => rows.length === 100), keysOf('in-a', at));
    t.deepEqual(await until(world.storedEvents, counts => counts.last === 1), { last: 1 });
  });
}
