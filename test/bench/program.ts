import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Env } from '#shared/env.ts';

/** A program of this repository as a child process; disposing it kills it. */
export type Program = AsyncDisposable & {
  pid: number;
  process: ChildProcess;
  logFile: string;
  /** Resolves with the program's first message of this type; rejects if it exits before. */
  message<Message extends { type: string }>(type: Message['type']): Promise<Message>;
  /** Sends a signal and waits until the program has exited. */
  end(signal: NodeJS.Signals): Promise<void>;
};

const top = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts a program in its own process session, so that Ctrl-C reaches only the launcher. Its output goes to a file.
 * `root`: another tree of this repository that it is in.
 */
export function startProgram(
  path: string,
  options: { env?: Env; logFile: string; args?: string[]; execArgv?: string[]; root?: string },
): Program {
  const log = openSync(options.logFile, 'a');
  const child = fork(join(options.root ?? top, path), options.args ?? [], {
    env: { PATH: process.env.PATH, ...options.env },
    execArgv: options.execArgv ?? [],
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const exited = once(child, 'exit');
  // Also if it was started during the clean-up after an interrupt.
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.off('exit', killAtExit));
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await exited;
  };
  return {
    pid: child.pid ?? 0,
    process: child,
    logFile: options.logFile,
    end,
    message: <Message extends { type: string }>(type: Message['type']) =>
      new Promise<Message>((resolve, reject) => {
        const receive = (message: unknown) => {
          if ((message as Message).type !== type) return;
          child.off('message', receive);
          resolve(message as Message);
        };
        child.on('message', receive);
        void exited.then(() => reject(new Error(`${path} exited: see ${options.logFile}`)));
      }),
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}
