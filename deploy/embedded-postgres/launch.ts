import { spawn } from 'node:child_process';
import { chown, type FileHandle, open, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wait } from '#shared/wait.ts';
import { clusterFolder } from './cluster.ts';
import { EmbeddedError, startFailure } from './failure.ts';
import { choosePort } from './port.ts';
import { findPostmaster, type Postmaster, removeStalePid } from './postmaster.ts';
import { hostRules, serverSettings } from './settings.ts';
import { canWrite, type ServerUser } from './system-user.ts';

/** Options of a start: the composed tree, the data, the account and the settings. */
export type LaunchOptions = {
  tree: string;
  dataDir: string;
  user: ServerUser | null;
  port: number | null;
  timescale: boolean;
  timescaleWorkers: number;
};

const attemptsMax = 20;
const retryMs = 500;
const startMs = 300_000;
const pollMs = 15;
const logBytesMax = 10_000_000;

// A port taken between our choice and the bind, or the last child processes of a killed server: a retry helps.
const transientFailure =
  /could not bind|could not create any TCP|pre-existing shared memory block|lock file .* already exists/;

/**
 * Starts the server in its own process session and waits until it accepts connections. Retries transient failures for
 * ten seconds, then throws EmbeddedError with the reason from the log.
 */
export async function launchServer(options: LaunchOptions): Promise<Postmaster> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await launchOnce(options);
    if ('pid' in started) return started;
    if (attempt === attemptsMax || !transientFailure.test(started.log)) {
      throw startFailure(started.log, logPath(options.dataDir));
    }
    await wait(retryMs);
  }
}

async function launchOnce(options: LaunchOptions): Promise<Postmaster | { log: string }> {
  const { dataDir, tree, user, timescale, timescaleWorkers } = options;
  const cluster = clusterFolder(dataDir);
  const port = await choosePort(options.port);
  await removeStalePid(cluster);
  const settings = serverSettings({ port, timescale, timescaleWorkers, sharedMemory: await sharedMemoryFor(user) });
  await writeSetting(options, 'postgresql.conf', settings);
  await writeSetting(options, 'pg_hba.conf', hostRules);
  const log = await openLog(dataDir);
  try {
    const offset = (await log.stat()).size;
    const { program, args } = await serverCommand(tree, cluster);
    const identity = user === null ? {} : { uid: user.uid, gid: user.gid };
    const child = spawn(program, args, {
      cwd: dataDir,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...identity,
    });
    let failure: Error | null = null;
    child.once('error', error => {
      failure = error;
    });
    child.unref();
    const postmaster = await waitReady(
      cluster,
      () => failure !== null || child.exitCode !== null || child.signalCode !== null,
    );
    if (failure !== null) throw failure;
    return postmaster ?? { log: await readFrom(dataDir, offset) };
  } finally {
    await log.close();
  }
}

/** A change root and some containers have no shared memory file system. */
async function sharedMemoryFor(user: ServerUser | null): Promise<'posix' | 'sysv'> {
  if (process.platform !== 'linux') return 'posix';
  return (await canWrite('/dev/shm', user)) ? 'posix' : 'sysv';
}

async function writeSetting({ dataDir, user }: LaunchOptions, name: string, text: string): Promise<void> {
  const path = join(clusterFolder(dataDir), name);
  await writeFile(path, text);
  if (user !== null) await chown(path, user.uid, user.gid);
}

/** Waits for a server that is starting or recovering (up to 2 GB of write-ahead log); null if it ended instead. */
export async function waitReady(cluster: string, hasEnded: () => boolean): Promise<Postmaster | null> {
  for (let waitedMs = 0; waitedMs < startMs; waitedMs += pollMs) {
    const postmaster = await findPostmaster(cluster);
    if (postmaster?.ready) return postmaster;
    if (postmaster === null && hasEnded()) return null;
    await wait(pollMs);
  }
  throw new EmbeddedError(`PostgreSQL was not ready after ${startMs / 1000} s`);
}

/** A tree with its own C library is started through that library's loader, which leaves other programs alone. */
async function serverCommand(tree: string, cluster: string): Promise<{ program: string; args: string[] }> {
  const postgres = join(tree, 'bin/postgres');
  const glibc = join(tree, 'glibc');
  const loader = (await readdir(glibc).catch(() => [])).find(name => name.startsWith('ld-linux'));
  if (loader === undefined) return { program: postgres, args: ['-D', cluster] };
  const libraries = `${glibc}:${join(tree, 'lib')}`;
  const args = ['--library-path', libraries, '--argv0', postgres, postgres, '-D', cluster];
  return { program: join(glibc, loader), args };
}

function logPath(dataDir: string): string {
  return join(dataDir, 'postgres.log');
}

async function openLog(dataDir: string): Promise<FileHandle> {
  const path = logPath(dataDir);
  const bytes = await stat(path).then(
    stats => stats.size,
    () => 0,
  );
  if (bytes > logBytesMax) await truncate(path);
  return open(path, 'a+', 0o600);
}

async function readFrom(dataDir: string, offset: number): Promise<string> {
  await using file = await open(logPath(dataDir), 'r');
  const { buffer, bytesRead } = await file.read({ position: offset, buffer: Buffer.alloc(65_536) });
  return buffer.toString('utf8', 0, bytesRead);
}
