import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { apiOf, createRegions, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { answer, ok } from '#test/support/target.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);

test('a second control plane on one database sees every change within a second, and opens no second alert', async t => {
  const second = await startReplica(database());
  t.teardown(() => second.stop());
  const world = await openWorld(t, database(), ['two-a', 'two-b', 'two-c'], {
    replicaOf: region => (region === 'two-a' ? undefined : second) as typeof second,
  });
  const id = await world.monitor();
  const other = apiOf(second.url, world.token);
  t.is((await other('GET', `/v0/monitors/${id}`)).body.status, 'up');

  // Agents of both replicas check the new target at once: its interval is a day.
  const rare = await world.monitor({ interval_seconds: 86_400 });
  await world.api('PATCH', `/v0/monitors/${rare}`, { url: `${world.target.url}changed` });
  await until(
    () => world.target.requests.filter(request => request.url === '/changed').length,
    count => count >= 3,
  );
  t.is((await other('DELETE', `/v0/monitors/${rare}`)).status, 204);

  world.target.behaviour = answer(500);
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  t.is((await world.alerts()).length, 1);
  t.is((await other('GET', '/v0/alerts?state=open')).body.data.length, 1);
  world.target.behaviour = ok();
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  t.deepEqual(
    (await world.alerts()).map(alert => alert.state),
    ['resolved'],
  );
});

test('a restart of the control plane in an outage loses nothing acknowledged and opens no second alert', async t => {
  const config = { port: await fixedPort() };
  const world = await openWorld(t, database(), ['restart-a', 'restart-b', 'restart-c'], { config });
  const id = await world.monitor();
  world.target.behaviour = answer(500);
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  const counted = () =>
    withSql(
      database(),
      async sql =>
        (await sql.row<{ count: number }>`select count(*) as count from check_results where monitor_id = ${id}`)
          ?.count ?? 0,
    );
  const before = await counted();
  await world.replica.stop();
  const restarted = await startReplica(database(), { port: world.replica.port });
  t.teardown(() => restarted.stop());
  await until(counted, count => count > before + 3);
  t.is((await apiOf(restarted.url, world.token)('GET', '/v0/alerts')).body.data.length, 1);
  world.target.behaviour = ok();
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  t.deepEqual(
    (await world.alerts()).map(alert => alert.state),
    ['resolved'],
  );
});

test('when an agent is killed, the others of its region take over its share', async t => {
  const world = await openWorld(t, database(), ['share-a']);
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-story-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const secret = await withSql(database(), async sql => {
    const { enrollAgent } = await import('#control-plane/monitoring/agents/enroll.ts');
    return (await enrollAgent(sql, 'share-a', 'second', Date.now()))?.secret ?? '';
  });
  const script = fileURLToPath(new URL('../../agent/main.ts', import.meta.url));
  const env = {
    ...process.env,
    CONTROL_PLANE_URL: world.replica.url,
    AGENT_SECRET: secret,
    DATA_DIR: folder,
    ADDRESS_POLICY: 'loopback',
    LOG_LEVEL: 'silent',
  };
  const child = spawn(process.execPath, [script], { env, stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  await until(
    async () =>
      (await world.api('GET', '/v0/agents?region=share-a')).body.data.filter(
        (agent: { state: string }) => agent.state === 'online',
      ).length,
    count => count === 2,
  );
  for (let index = 0; index < 12; index++) await world.monitor({ name: `share ${index}` });
  const first = () => world.agents['share-a']?.counts().assignments ?? 0;
  const shared = first();
  t.true(shared > 0 && shared < 12, `${shared} of 12`);
  child.kill('SIGKILL');
  await until(
    async () => first(),
    count => count === 12,
  );
  t.is(
    (await world.api('GET', '/v0/agents?region=share-a')).body.data.filter(
      (agent: { state: string }) => agent.state === 'online',
    ).length,
    1,
  );
});

test('an agent gets only its region: a delta while its state is known, a snapshot when it differs', async t => {
  const world = await openWorld(t, database(), ['wire-a']);
  const secrets = await createRegions(database(), ['wire-b']);
  const both = await world.api('POST', '/v0/monitors', {
    name: 'both',
    url: world.target.url,
    interval_seconds: 10,
    regions: ['wire-b'],
    headers: { 'x-key': 'secret' },
  });
  await world.monitor({ name: 'other region' });
  const secret = secrets['wire-b']?.secret ?? '';
  const assignmentsOf = (agent: Awaited<ReturnType<typeof connectFakeAgent>>) =>
    agent.messages.filter(message => message.type === 'assignments');

  const agent = await connectFakeAgent(world.replica.url, secret);
  const [snapshot] = await until(
    async () => assignmentsOf(agent),
    messages => messages.some(message => message.put.length > 0),
  );
  t.is(snapshot?.mode, 'snapshot');
  t.deepEqual(
    assignmentsOf(agent).flatMap(message => message.put.map(put => [put.monitor_id, put.headers['x-key']])),
    [[both.body.id, 'secret']],
  );
  const current = {
    revision: assignmentsOf(agent).at(-1)?.revision ?? 0,
    digest: assignmentsOf(agent).at(-1)?.digest ?? '',
  };
  agent.send({ type: 'applied', ...current });

  agent.send({ type: 'applied', revision: current.revision, digest: 'something else' });
  await until(
    async () => assignmentsOf(agent).length,
    count => count === 2,
  );
  t.like(assignmentsOf(agent)[1], { mode: 'snapshot', digest: current.digest });
  await agent[Symbol.asyncDispose]();

  const reconnected = await connectFakeAgent(world.replica.url, secret, current);
  await world.api('PATCH', `/v0/monitors/${both.body.id}`, { interval_seconds: 20 });
  await until(
    async () => assignmentsOf(reconnected).length,
    count => count >= 1,
  );
  t.true(assignmentsOf(reconnected).every(message => message.mode === 'delta'));
  await reconnected[Symbol.asyncDispose]();
});

test('a private region and its agents exist only in their project', async t => {
  const world = await openWorld(t, database(), ['public-a']);
  const stranger = await openWorld(t, database(), []);
  await createRegions(database(), ['office'], world.projectId);
  const codes = async (who: typeof world) =>
    (await who.api('GET', '/v0/regions?limit=200')).body.data.map((region: { code: string }) => region.code);
  t.true((await codes(world)).includes('office'));
  t.false((await codes(stranger)).includes('office'));
  const body = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, regions: ['public-a', 'office'] };
  t.is((await world.api('POST', '/v0/monitors', body)).status, 201);
  const refused = await stranger.api('POST', '/v0/monitors', body);
  t.like(refused.body.errors[0], { pointer: '/regions/1', code: 'unknown_reference' });
  const agents = (await stranger.api('GET', '/v0/agents?limit=200')).body.data as { region: string }[];
  t.false(agents.some(agent => agent.region === 'office'));
});
