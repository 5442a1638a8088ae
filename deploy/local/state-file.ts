import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '#shared/error-code.ts';

/** Reads a JSON file of ours; null if there is none. Throws with its path if it is damaged. */
export async function readState<State>(path: string): Promise<State | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    return JSON.parse(text) as State;
  } catch {
    throw new Error(`${path} is damaged: delete it and start again`);
  }
}

/** Writes a JSON file atomically, readable by its owner only. */
export async function writeState(path: string, state: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
