import test from 'ava';
import { newId } from '#shared/ids.ts';
import { apiOf, createRegions, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';

const database = useDatabase(test);

test('an agent is online, draining after its connection is lost, and offline at once after a clean close', async t => {
  const { token } = await createTenant(database(), ['agents:read', 'agents:operate']);
  const secrets = await createRegions(database(), ['life-a']);
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, token);
  const state = async () => (await api('GET', '/v0/agents?region=life-a')).body.data[0].state as string;
  t.is(await state(), 'offline');
  const agent = await connectFakeAgent(replica.url, secrets['life-a']?.secret ?? '');
  t.is(await state(), 'online');
  await agent[Symbol.asyncDispose]();
  await until(state, 'offline');

  const lost = await connectFakeAgent(replica.url, secrets['life-a']?.secret ?? '');
  lost.vanish();
  await until(state, 'draining');
  await until(state, 'offline');
});

test('a second connection of an agent replaces the first, also on another replica', async t => {
  const secrets = await createRegions(database(), ['twice-a']);
  const secret = secrets['twice-a']?.secret ?? '';
  const [one, two] = [await startReplica(database()), await startReplica(database())];
  t.teardown(() => Promise.all([one.stop(), two.stop()]));
  const first = await connectFakeAgent(one.url, secret);
  const second = await connectFakeAgent(one.url, secret);
  t.is(await first.closed, 4002);
  const third = await connectFakeAgent(two.url, secret);
  t.is(await second.closed, 4002);
  await third[Symbol.asyncDispose]();
});

test('malformed messages close the socket with a reason and affect no other agent', async t => {
  const secrets = await createRegions(database(), ['bad-a', 'good-a']);
  const replica = await startReplica(database());
  t.teardown(() => replica.stop());
  const good = await connectFakeAgent(replica.url, secrets['good-a']?.secret ?? '');
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '{"type":"results"}',
    '{"type":"welcome"}',
    '{"type":"hello"}',
    `{"type":"vitals","rss_bytes":${'9'.repeat(400)}}`,
    '{"__proto__":{"type":"hello"}}',
  ]) {
    const bad = await connectFakeAgent(replica.url, secrets['bad-a']?.secret ?? '');
    bad.sendText(text);
    t.is(await bad.closed, 4003, text);
  }
  const tooLong = await connectFakeAgent(replica.url, secrets['bad-a']?.secret ?? '');
  tooLong.sendText(`{"type":"results","results":["${'x'.repeat(1_100_000)}"]}`);
  t.is(await tooLong.closed, 1009);
  t.deepEqual(
    await good.report([
      { monitor_id: newId('mon'), scheduled_at: Date.now(), started_at: Date.now(), completed_at: Date.now() },
    ]),
    [{ seq: 1, reason: 'unknown_monitor' }],
  );
  await good[Symbol.asyncDispose]();
});
