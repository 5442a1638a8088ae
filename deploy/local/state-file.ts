import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Reads a JSON file of ours; null when there is none. Throws when it is damaged, naming it. */
export async function readState<State>(path: string): Promise<State | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return JSON.parse(text) as State;
  } catch {
    throw new Error(`${path} is damaged: remove it and start again`);
  }
}

/** Writes a file that only its owner reads, whole or not at all. */
export async function writeState(path: string, state: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
