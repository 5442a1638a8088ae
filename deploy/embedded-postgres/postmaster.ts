import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { minuteMs } from '#shared/duration.ts';
import { errorCode } from '#shared/error-code.ts';
import { wait } from '#shared/wait.ts';
import { EmbeddedError } from './failure.ts';
import { commandLine } from './process-identity.ts';

/** A server that runs on a cluster folder, from its postmaster.pid. */
export type Postmaster = { pid: number; port: number; ready: boolean };

const pollMs = 15;
const fastStopMs = minuteMs;
const killMs = 10_000;

/** Finds the running server of a cluster folder, or null. A pid that another program has by now does not count. */
export async function findPostmaster(cluster: string): Promise<Postmaster | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!(pid > 0) || !(await servesCluster(pid, cluster))) return null;
  return { pid, port, ready: lines[7]?.trim() === 'ready' };
}

/** Removes the pid file of a killed server, because PostgreSQL would mistake a reused pid for itself. */
export async function removeStalePid(cluster: string): Promise<void> {
  if ((await findPostmaster(cluster)) === null) await rm(join(cluster, 'postmaster.pid'), { force: true });
}

/**
 * Stops the server: fast shutdown, after a minute immediate shutdown, after ten more seconds a kill. Does nothing if
 * the server is gone. Throws EmbeddedError if it survives all three.
 */
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
  throw new EmbeddedError(`PostgreSQL (process ${pid}) could not be stopped`);
}

async function isGone(pid: number, cluster: string, waitMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
    if (!(await servesCluster(pid, cluster))) return true;
    await wait(pollMs);
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
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}
