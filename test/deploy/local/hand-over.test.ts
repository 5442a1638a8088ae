import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import got from 'got';
import { choosePort } from '#deploy/embedded-postgres/port.ts';
import { createRegions, testSecretKey, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent } from '#test/support/fake-agent.ts';

const database = useDatabase(test);

const upgrade = 'GET /v0/agents/connect HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';

test('an agent that came to the front belongs to the gateway: the front stops at once and the agent stays', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'hand-over-'));
  const ports = [await choosePort(null), await choosePort(null)];
  const relay = spawn(process.execPath, [new URL('relay.ts', import.meta.url).pathname, ...ports.map(String), folder], {
    env: { ...process.env, DATABASE_URL: database(), SECRETS_KEYS: testSecretKey, PAGES_DIR: join(folder, 'pages') },
  });
  const relayEnded = once(relay, 'exit');
  t.teardown(async () => {
    relay.stdin.end();
    await relayEnded;
    await rm(folder, { recursive: true, force: true });
  });
  for (const port of ports)
    await until(
      () =>
        got(`http://127.0.0.1:${port}/readyz`, { retry: { limit: 0 }, throwHttpErrors: false }).then(
          answer => answer.statusCode,
          () => 0,
        ),
      status => status === 200,
    );
  const [, frontPort = 0] = ports;
  const secrets = await createRegions(database(), ['hand-a', 'hand-b', 'hand-c', 'hand-d']);

  // A request whose body has not arrived cannot be handed over, and must not end the front.
  const odd = connect(frontPort, '127.0.0.1');
  odd.on('error', () => {}).resume();
  odd.write(`${upgrade}Content-Length: 10\r\n\r\n`);
  await once(odd, 'close');

  const agents = await Promise.all(
    Object.values(secrets).map(({ secret }) => connectFakeAgent(`http://127.0.0.1:${frontPort}`, secret)),
  );
  t.is(agents.length, 4);
  relay.stdin.write('stop front\n');
  const [stoppedMs] = await once(relay.stdout, 'data');
  // After 35 seconds it is killed.
  t.true(Number(String(stoppedMs)) < 34_000, `it took ${stoppedMs} ms: it was killed`);
  for (const agent of agents) {
    t.is(await Promise.race([agent.closed, Promise.resolve('connected')]), 'connected');
    await agent[Symbol.asyncDispose]();
  }
});
