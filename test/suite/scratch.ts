import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '#control-plane/db/embedded/command.ts';

const roundsMax = 50;
const roundMs = 100;

/** The folder for all temporary files of one run; disposing it ends the servers that tests left in it. */
export type Scratch = AsyncDisposable & { folder: string };

/** Makes the folder; the server's system user may pass it, nobody may list it. */
export async function makeScratch(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-test-'));
  await chmod(folder, 0o711);
  return { folder, [Symbol.asyncDispose]: () => removeScratch(folder) };
}

async function removeScratch(folder: string): Promise<void> {
  await endProcesses(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** After an interrupt a server may be just starting, with no pid file yet: processes are found by their arguments. */
async function endProcesses(folder: string): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    const pids = await findProcesses(folder);
    if (pids.length === 0) return;
    for (const pid of pids) endProcess(pid);
    await delay(roundMs);
  }
}

async function findProcesses(folder: string): Promise<number[]> {
  const list = await runCommand('ps', ['-A', '-ww', '-o', 'pid=,args=']);
  return list
    .split('\n')
    .filter(line => line.includes(`${folder}/`))
    .map(line => Number.parseInt(line, 10))
    .filter(pid => pid !== process.pid);
}

// To PostgreSQL it means: at once, without a checkpoint. The data is thrown away anyhow.
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
