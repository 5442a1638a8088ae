import { type ChildProcess, type SendHandle, spawn } from 'node:child_process';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fullJitter } from '#shared/backoff.ts';
import type { Env } from '#shared/env.ts';
import type { ServerUser } from '../embedded-postgres/system-user.ts';

/** One of our programs, restarted until it is stopped. */
export type Child = {
  /**
   * Passes a message on, with a socket, to a program that was started with `onMessage`. The socket is closed here
   * afterwards, and for good if the program is not running.
   */
  pass(message: object, socket: Socket): void;
  /** Ends the program with SIGTERM, after 35 seconds with SIGKILL. */
  stop(): Promise<void>;
};

export type ChildOptions = {
  title: string;
  script: string;
  env: Env;
  /** The account the program runs as; null for ours. */
  user: ServerUser | null;
  logFile: string;
  say: (line: string) => void;
  /** Receives the program's messages; without it there is no channel. */
  onMessage?: (message: unknown, handle: SendHandle | undefined) => void;
};

const stopMs = 35_000;
const logBytesMax = 10 * 1024 * 1024;

/**
 * Starts a program in its own process session, so that Ctrl-C reaches only the launcher. It is restarted when it dies.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  await rotateLog(options.logFile);
  const log = await open(options.logFile, 'a', 0o600);
  let stopping = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let child: ChildProcess;

  const start = () => {
    const startedAt = performance.now();
    // The program stops when its standard input closes, which also happens when the launcher is killed.
    child = spawn(process.execPath, [options.script], {
      env: { ...options.env, STOP_WITH_STDIN: '1' },
      detached: true,
      ...(options.user === null ? {} : { uid: options.user.uid, gid: options.user.gid }),
      stdio: ['pipe', log.fd, log.fd, ...(options.onMessage === undefined ? [] : (['ipc'] as const))],
    });
    if (options.onMessage !== undefined) child.on('message', options.onMessage);
    child.stdin?.on('error', () => {});
    child.once('exit', (code, signal) => {
      if (stopping) return;
      failures = performance.now() - startedAt > 60_000 ? 0 : failures + 1;
      const waitMs = 500 + fullJitter(failures, 500, 15_000, Math.random());
      options.say(`${options.title} exited (${signal ?? code}) and will be restarted; see ${options.logFile}`);
      timer = setTimeout(start, waitMs);
    });
  };
  start();
  return {
    pass: (message, socket) => {
      // Until it is closed here the program that sent it waits for it when it stops.
      if (child.connected) child.send(message, socket, {}, () => socket.destroy());
      else socket.destroy();
    },
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

/** Keeps one older log next to the current one. */
async function rotateLog(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const size = await stat(path).then(
    found => found.size,
    () => 0,
  );
  if (size > logBytesMax) await rename(path, `${path}.1`);
}
