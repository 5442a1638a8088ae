import { execFile } from 'node:child_process';
import { EmbeddedError } from './failure.ts';

/** The account that runs the server and its tools when we are root, because PostgreSQL refuses to run as root. */
export type ServerUser = { uid: number; gid: number };

type CommandOptions = { cwd?: string; timeoutMs?: number; user?: ServerUser | null };

const defaultTimeoutMs = 120_000;
const sentenceCharactersMax = 300;

/**
 * Runs a program without a shell and resolves to its standard output. Throws EmbeddedError with one sentence: the error
 * in the program's output, or its last line.
 */
export function runCommand(program: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const settings = {
    timeout: options.timeoutMs ?? defaultTimeoutMs,
    maxBuffer: 16 * 1024 * 1024,
    // Root has these folders in its PATH only after a login.
    env: {
      ...process.env,
      PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
      LC_ALL: 'C',
      DEBIAN_FRONTEND: 'noninteractive',
    },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.user ? { uid: options.user.uid, gid: options.user.gid } : {}),
  };
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...args], settings, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new EmbeddedError(describe(program, error, `${stdout}\n${stderr}`), { cause: error }));
    });
    child.stdin?.end();
  });
}

function describe(program: string, error: { code?: unknown; killed?: boolean }, output: string): string {
  const name = program.split('/').at(-1) ?? program;
  if (error.code === 'ENOENT') return `${name} is not installed`;
  if (error.killed === true) return `${name} timed out`;
  if (/No space left on device/.test(output)) return `${name} failed: the disk is full`;
  const lines = output.split('\n').flatMap(line => line.trim() || []);
  const reason = lines.find(line => /^(E:|.*\berror\b)/i.test(line)) ?? lines.at(-1) ?? `code ${String(error.code)}`;
  return `${name} failed: ${reason.slice(0, sentenceCharactersMax).replace(/\.+$/, '')}`;
}
