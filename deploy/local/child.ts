import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fullJitter } from '#shared/backoff.ts';
import type { Env } from '#shared/env.ts';

/** A program of ours kept running until it is stopped. */
export type Child = { stop(): Promise<void> };

export type ChildOptions = { title: string; script: string; env: Env; logFile: string; say: (line: string) => void };

const stopMs = 35_000;
const logBytesMax = 10 * 1024 * 1024;

/** Starts a program in a process session of its own, so that Ctrl-C reaches the launcher alone. It is started again when it dies. */
export async function startChild(options: ChildOptions): Promise<Child> {
  await turnLog(options.logFile);
  const log = await open(options.logFile, 'a', 0o600);
  let stopping = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let child: ChildProcess;

  const start = () => {
    const startedAt = performance.now();
    // The open end of its standard input is how the program knows that the launcher lives, even when that is killed.
    child = spawn(process.execPath, [options.script], {
      env: { ...options.env, STOP_WITH_STDIN: '1' },
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
    });
    child.stdin?.on('error', () => {});
    child.once('exit', (code, signal) => {
      if (stopping) return;
      failures = performance.now() - startedAt > 60_000 ? 0 : failures + 1;
      const waitMs = 500 + fullJitter(failures, 500, 15_000, Math.random());
      options.say(`${options.title} ended (${signal ?? code}) and starts again; its log is ${options.logFile}`);
      timer = setTimeout(start, waitMs);
    });
  };
  start();
  return {
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      await endProcess(child);
      await log.close();
    },
  };
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exited;
  clearTimeout(timer);
}

/** Keeps one older log beside the current one. */
async function turnLog(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const size = await stat(path).then(
    found => found.size,
    () => 0,
  );
  if (size > logBytesMax) await rename(path, `${path}.1`);
}
