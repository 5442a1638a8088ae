import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type EmbeddedPostgres, startEmbedded } from '#deploy/embedded-postgres/embedded.ts';
import { composeFolder } from '#test/suite/server.ts';

// TimescaleDB cannot be downloaded without dpkg-deb. This file is about starts where it cannot, and those after them.

const path = process.env.PATH ?? '';
const edition = process.env.TEST_STORAGE === 'apache' ? 'apache' : 'plain';

test.serial('while nothing is stored, a start makes up for TimescaleDB that an earlier one could not get', async t => {
  const dataDir = await temporaryFolder(t);
  const first = await startWithoutPackages(t, dataDir);
  t.is(first.edition, 'plain');
  t.regex(first.notice ?? '', /dpkg-deb is not installed.*will stay without it/);
  await first.stop();
  const timescale = edition === 'apache' ? 'auto' : 'off';
  const second = await start(t, { dataDir, composeDir: composeFolder(process.env), timescale });
  t.is(second.edition, edition);
  t.is(second.notice, null);
});

test.serial('once something is stored the edition stays', async t => {
  const dataDir = await temporaryFolder(t);
  const first = await startWithoutPackages(t, dataDir);
  await first.keepEdition();
  await first.stop();
  await t.throwsAsync(start(t, { dataDir, composeDir: composeFolder(process.env), timescale: 'require' }), {
    name: 'EmbeddedError',
    message: /was created without it/,
  });
});

type Start = Pick<Parameters<typeof startEmbedded>[0], 'dataDir' | 'composeDir' | 'timescale'>;

async function start(t: ExecutionContext, options: Start): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ ...options, progress: t.log, timescaleWorkers: 0 });
  t.teardown(() => server.stop());
  return server;
}

/** The tests run in turns: the PATH is that of the whole file. */
async function startWithoutPackages(t: ExecutionContext, dataDir: string): Promise<EmbeddedPostgres> {
  const programs = join(await temporaryFolder(t), 'bin');
  await mkdir(programs);
  for (const name of ['id', 'chmod'])
    await symlink(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(), join(programs, name));
  process.env.PATH = programs;
  try {
    return await start(t, { dataDir, composeDir: join(dataDir, 'server'), timescale: 'auto' });
  } finally {
    process.env.PATH = path;
  }
}

async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-makeshift-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
