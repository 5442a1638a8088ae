import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbedded } from '#deploy/embedded-postgres/embedded.ts';
import { composeFolder } from '#test/suite/server.ts';

const edition = process.env.TEST_STORAGE === 'apache' ? 'apache' : 'plain';
const timescale = edition === 'apache' ? 'require' : 'off';
const composeDir = composeFolder(process.env);

test('a server retains its data over a restart, for a role without special privileges', async t => {
  const dataDir = await temporaryFolder(t);
  const first = await start(t, dataDir);
  await query(first.url, 'create table numbers as select 42 as answer');
  await first.stop();
  await first.stop();
  const second = await start(t, dataDir);
  t.deepEqual(await query(second.url, 'select answer from numbers'), [{ answer: 42 }]);
  t.is(second.url, first.url);
  t.false(second.adopted);
  const rights = await query(second.url, 'select rolsuper, rolcreaterole from pg_roles where rolname = current_user');
  t.deepEqual(rights, [{ rolsuper: false, rolcreaterole: false }]);
  t.is((await stat(join(dataDir, 'embedded.json'))).mode & 0o777, 0o600);
});

test('a server has the intended settings and the extension of its edition', async t => {
  const server = await start(t, await temporaryFolder(t));
  t.is(server.edition, edition);
  t.is(server.notice, null);
  const [settings] = await query(
    server.url,
    `select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
       current_setting('jit') as jit, current_setting('timezone') as zone,
       current_setting('listen_addresses') as address,
       (select datlocprovider::text || ':' || datlocale from pg_database where datname = current_database()) as locale`,
  );
  const expected = {
    encoding: 'UTF8',
    fsync: 'on',
    jit: 'off',
    zone: 'UTC',
    address: '127.0.0.1',
    locale: 'b:C.UTF-8',
  };
  t.deepEqual(settings, expected);
  const extensions = await query(server.url, "select 1 from pg_extension where extname = 'timescaledb'");
  t.is(extensions.length, edition === 'apache' ? 1 : 0);
});

test('a killed server restarts with everything that was committed', async t => {
  const dataDir = await temporaryFolder(t);
  const first = await start(t, dataDir);
  await query(first.url, 'create table numbers as select 1 as one');
  process.kill(first.pid, 'SIGKILL');
  await first.stop();
  const second = await start(t, dataDir);
  t.deepEqual(await query(second.url, 'select one from numbers'), [{ one: 1 }]);
});

test('the server of a killed launcher is adopted, not started twice', async t => {
  const dataDir = await temporaryFolder(t);
  const launcher = await launch(t, dataDir);
  launcher.child.kill('SIGKILL');
  await once(launcher.child, 'exit');
  const server = await start(t, dataDir);
  t.true(server.adopted);
  t.is(server.pid, launcher.pid);
  t.is(server.url, launcher.url);
  t.is((await query(server.url, 'select 1')).length, 1);
  await server.stop();
  await t.throwsAsync(query(server.url, 'select 1'), { code: 'ECONNREFUSED' });
});

test('a start after launcher and server were both killed recovers', async t => {
  const dataDir = await temporaryFolder(t);
  const launcher = await launch(t, dataDir);
  await query(launcher.url, 'create table numbers as select 1 as one');
  launcher.child.kill('SIGKILL');
  process.kill(launcher.pid, 'SIGKILL');
  await once(launcher.child, 'exit');
  const server = await start(t, dataDir);
  t.false(server.adopted);
  t.deepEqual(await query(server.url, 'select one from numbers'), [{ one: 1 }]);
});

test('a second start is refused with the pid while the launcher lives', async t => {
  const dataDir = await temporaryFolder(t);
  const { child } = await launch(t, dataDir);
  await t.throwsAsync(start(t, dataDir), { name: 'EmbeddedError', message: new RegExp(`process ${child.pid}\\b`) });
});

test('without TimescaleDB a server is plain and prints no notice', async t => {
  const server = await start(t, await temporaryFolder(t), 'off');
  t.is(server.edition, 'plain');
  t.is(server.notice, null);
});

test('a data folder of one edition is refused by a start that requires the other', async t => {
  const dataDir = await temporaryFolder(t);
  await (await start(t, dataDir)).stop();
  const other = edition === 'apache' ? 'off' : 'require';
  await t.throwsAsync(start(t, dataDir, other), { name: 'EmbeddedError', message: /was created with/ });
});

test('a folder with a colon in its path is refused', async t => {
  const dataDir = join(await temporaryFolder(t), 'a:b');
  await t.throwsAsync(start(t, dataDir), { name: 'EmbeddedError', message: /colon/ });
});

async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-embedded-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function start(
  t: ExecutionContext,
  dataDir: string,
  choice: 'require' | 'off' = timescale,
): Promise<EmbeddedPostgres> {
  const options = { dataDir, composeDir, timescale: choice, progress: t.log, timescaleWorkers: 0 };
  const server = await startEmbedded(options);
  t.teardown(() => server.stop());
  return server;
}

type Launched = { child: ChildProcess; pid: number; url: string };

async function launch(t: ExecutionContext, dataDir: string): Promise<Launched> {
  const program = new URL('launcher.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, dataDir, composeDir, timescale], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { pid, url } = JSON.parse(line.toString()) as { pid: number; url: string };
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    // A server without a launcher is stopped by adopting it.
    await (await startEmbedded({ dataDir, composeDir, timescale, progress: () => {}, timescaleWorkers: 0 })).stop();
  });
  return { child, pid, url };
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
