import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { configFor, startReplica, testSecretKey, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { delayed, ok } from '#test/support/target.ts';

const databaseOf = useDatabase(test);
const main = fileURLToPath(new URL('../../control-plane/main.ts', import.meta.url));
const channels = 20;
const alerts = 4;

/** A worker in a process of its own; `kill` is kill -9. */
async function startWorker(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-worker-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const env = {
    ...process.env,
    DATABASE_URL: databaseOf(),
    SECRETS_KEYS: testSecretKey,
    PUBLIC_URL: configFor(databaseOf()).publicUrl,
    ROLES: 'worker',
    PORT: '0',
    PAGES_DIR: folder,
    OUTBOUND_ADDRESS_POLICY: 'loopback',
    LOG_LEVEL: 'silent',
  };
  const child = spawn(process.execPath, [main], { env, stdio: 'ignore' });
  const ended = new Promise(resolve => child.once('exit', resolve));
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  t.teardown(kill);
  return { kill };
}

/** Deliveries that a worker has claimed and not settled. */
function countUnderWay(): Promise<number> {
  return withSql(databaseOf(), async sql => {
    const row = await sql.row<{ count: number }>`
      select count(*) as count
      from deliveries
      where state = 'queued' and leased_until > now()`;
    return row?.count ?? 0;
  });
}

test('kill -9 of a worker that sends to channels loses nothing, and repeats at most what was under way', async t => {
  const world = await openAlertingWorld(t, databaseOf(), { roles: ['gateway', 'front'] });
  world.target.behaviour = delayed(150, ok('{"ok":true}'));
  const names = Array.from({ length: channels }, (_, index) => `channel-${index}`);
  const channel_ids: string[] = [];
  for (const name of names) channel_ids.push(await world.channel(name));
  await world.made('/v0/routes', { name: 'all', steps: [{ after_minutes: 0, channel_ids }] });
  const monitors: string[] = [];
  for (let index = 0; index < alerts; index++) monitors.push(await world.monitor(`m${index}`));
  const worker = await startWorker(t);
  // p1: at once, each by itself.
  const opened = await world.open(monitors, { severity: 'p1' });
  const sent = () => names.flatMap(name => world.messages(name).map(({ title }) => `${name} ${title}`));
  await until(
    () => sent().length,
    count => count >= channels,
  );
  await worker.kill();
  const underWay = await countUnderWay();
  t.true(sent().length < channels * alerts, 'it was killed before all was sent');
  const replica = await startReplica(databaseOf(), { roles: ['worker'] });
  t.teardown(() => replica.stop());
  const wanted = names.flatMap(name => opened.map(({ monitorId }) => `${name} ${monitorId} is down`));
  await until(() => wanted.filter(message => !sent().includes(message)), []);
  const queued = () =>
    withSql(databaseOf(), async sql => (await sql.rows`select 1 from deliveries where state = 'queued'`).length);
  await until(queued, 0);
  const twice = sent().length - wanted.length;
  t.true(twice <= underWay, `${twice} twice, ${underWay} were under way`);
  t.deepEqual(new Set(sent()), new Set(wanted));
});
