import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestFn } from 'ava';
import { bundleCommandLine } from '#control-plane/web/command-line/bundle.ts';

export type Ran = { code: number | null; stdout: string; stderr: string };

export type CommandLine = {
  /** The folder in which commands run; their profiles are in it, too. */
  folder: string;
  /** The built program. */
  file: string;
  write(name: string, text: string): Promise<void>;
  run(args: readonly string[], options?: { env?: Readonly<Record<string, string>>; input?: string }): Promise<Ran>;
};

/** The command line as one built file, in an empty folder. The environment has no more than a test gives. */
export function useCommandLine(test: TestFn<unknown>): () => CommandLine {
  let line: CommandLine | null = null;
  test.before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'upquorum-cli-'));
    const file = join(folder, 'upquorum.mjs');
    await writeFile(file, await bundleCommandLine('1.2.3'), { mode: 0o755 });
    line = commandLineIn(folder, file);
  });
  test.after.always(async () => {
    if (line !== null) await rm(line.folder, { recursive: true });
  });
  return () => {
    if (line === null) throw new Error('the command line is not built');
    return line;
  };
}

/** The same program in another folder. */
export function commandLineIn(folder: string, file: string): CommandLine {
  return {
    folder,
    file,
    write: (name, content) => writeFile(join(folder, name), content),
    run: async (args, { env = {}, input = '' } = {}) => {
      const child = spawn(process.execPath, [file, ...args], { cwd: folder, env: { HOME: folder, ...env } });
      // A program that refuses its arguments ends without reading.
      child.stdin.on('error', () => {}).end(input);
      const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
      const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
      return { code, stdout, stderr };
    },
  };
}
