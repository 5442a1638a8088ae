import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLines } from '#deploy/embedded-postgres/process-identity.ts';
import { errorCode } from '#shared/error-code.ts';
import { wait } from '#shared/wait.ts';

const roundsMax = 50;
const roundMs = 100;

/** The folder for all temporary files of one run. Disposing it ends servers that tests left running in it. */
export type Scratch = AsyncDisposable & { folder: string };

/** Creates the folder. The server's system user may traverse it; nobody else may list it. */
export async function makeScratch(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-test-'));
  await chmod(folder, 0o711);
  return { folder, [Symbol.asyncDispose]: () => removeScratch(folder) };
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
