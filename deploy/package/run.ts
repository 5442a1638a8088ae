import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program in a folder and resolves to its standard output. Throws with what it wrote if it fails. */
export async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute(program, args, { cwd, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}
