import { readFile } from 'node:fs/promises';
import { errorCode } from '../../../shared/error-code.ts';

/** The text of a file; null if there is none. */
export async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
