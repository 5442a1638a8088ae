import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLines } from '#deploy/embedded-postgres/process-identity.ts';
import { errorCode } from '#shared/error-code.ts';
import { wait } from '#shared/wait.ts';

const roundsMax = 50;
const roundMs = 100;
const gib = 1024 ** 3;
/** More than the servers of a run store: a file system in memory has to have it free, and so has the memory. */
const memoryMin = 8 * gib;
const inMemory = '/dev/shm';

/** The folder for all temporary files of one run. Disposing it ends servers that tests left running in it. */
export type Scratch = AsyncDisposable & { folder: string };

/** Creates the folder. The server's system user may traverse it; nobody else may list it. */
export async function makeScratch(parent = tmpdir()): Promise<Scratch> {
  const folder = await mkdtemp(join(parent, 'upquorum-test-'));
  await chmod(folder, 0o711);
  return { folder, [Symbol.asyncDispose]: () => removeScratch(folder) };
}

/**
 * Where servers of tests store their data: in memory if there is plenty. A database is 650 files, and to make and
 * remove those of 500 clones on a disk took a tenth of the run's processor time.
 */
export async function dataParent(): Promise<string> {
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, process.availableMemory()) >= memoryMin ? inMemory : tmpdir();
}

async function removeScratch(folder: string): Promise<void> {
  await endProcesses(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Finds processes by their arguments: after an interrupt a server may be starting and have no pid file yet. */
async function endProcesses(folder: string): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const pids = await findProcesses(folder);
    if (pids.length === 0) return;
    for (const pid of pids) endProcess(pid);
    await wait(roundMs);
  }
}

async function findProcesses(folder: string): Promise<number[]> {
  const processes = await commandLines();
  return [...processes].flatMap(([pid, line]) => (pid !== process.pid && line.includes(`${folder}/`) ? pid : []));
}

// PostgreSQL stops at once, without a checkpoint. The data is thrown away anyway.
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
