import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedError } from './failure.ts';
import { commandLine } from './process-identity.ts';

/** A server that runs on a cluster folder, as its postmaster.pid tells. */
export type Postmaster = { pid: number; port: number; ready: boolean };

const pollMs = 15;
const fastStopMs = 60_000;
const killMs = 10_000;

/** The living server of a cluster folder, or null; a pid that belongs to another program by now does not count. */
export async function findPostmaster(cluster: string): Promise<Postmaster | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!(pid > 0) || !(await servesCluster(pid, cluster))) return null;
  return { pid, port, ready: lines[7]?.trim() === 'ready' };
}

/** Removes what a killed server left, since PostgreSQL would mistake a reused pid for itself. */
export async function removeStalePid(cluster: string): Promise<void> {
  if ((await findPostmaster(cluster)) === null) await rm(join(cluster, 'postmaster.pid'), { force: true });
}

/** Stops the server: fast first, immediately after a minute; a server that is gone already is fine. */
export async function stopPostmaster(pid: number, cluster: string): Promise<void> {
  const steps = [
    { signal: 'SIGINT', waitMs: fastStopMs },
    { signal: 'SIGQUIT', waitMs: killMs },
    { signal: 'SIGKILL', waitMs: killMs },
  ] as const;
  for (const { signal, waitMs } of steps) {
    if (!(await servesCluster(pid, cluster))) return;
    signalProcess(pid, signal);
    if (await isGone(pid, cluster, waitMs)) return;
  }
  throw new EmbeddedError(`PostgreSQL (process ${pid}) cannot be stopped`);
}

async function isGone(pid: number, cluster: string, waitMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
    if (!(await servesCluster(pid, cluster))) return true;
    await delay(pollMs);
  }
  return false;
}

async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  return `${(await commandLine(pid)).trimEnd()} `.includes(` ${cluster} `);
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
