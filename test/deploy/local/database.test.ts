import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import pg from 'pg';

test('the embedded database runs alone, prints its URL and stops on a signal', async t => {
  const dataDir = await mkdtemp(join(tmpdir(), 'upquorum-database-'));
  await chmod(dataDir, 0o755);
  t.teardown(() => rm(dataDir, { recursive: true, force: true }));
  const child = spawn(process.execPath, ['deploy/local/database.ts'], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, STORAGE: 'plain', DATABASE_URL: 'postgres://elsewhere' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.teardown(() => void child.kill());
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const connect = async () => {
    const client = new pg.Client({ connectionString: line.trim() });
    await client.connect();
    await client.end();
  };
  await t.notThrowsAsync(connect());
  child.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
  await t.throwsAsync(connect(), { code: 'ECONNREFUSED' });
});
