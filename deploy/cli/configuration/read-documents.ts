import { readdir, readFile, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { parseDocument } from 'yaml';
import { errorCode } from '../../../shared/error-code.ts';
import { CommandError } from '../frame/failure.ts';

export type DocumentFile = { path: string; text: string };

/** Files of configuration, and the names of the environment that they ask for. */
export type Documents = { files: readonly DocumentFile[]; names: ReadonlySet<string> };

const filesMax = 200;
const bytesMax = 5 * 1024 * 1024;
const isDocument = /\.(ya?ml|json)$/;

/**
 * Reads files, folders with all that is in them but what is hidden, and what the files include. A file that is no YAML
 * is sent as it is: the server says where its errors are.
 */
export async function readDocuments(paths: readonly string[]): Promise<Documents> {
  const files = new Map<string, DocumentFile>();
  const names = new Set<string>();
  let bytes = 0;
  const waiting = paths.map(path => ({ path: posix.normalize(path), from: null as string | null }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    for (const path of await filesAt(next.path, next.from)) {
      if (files.has(path)) continue;
      const text = await readFile(path, 'utf8');
      const value = parsedOf(text);
      if (path !== next.path && isOtherJson(path, value)) continue;
      bytes += Buffer.byteLength(text);
      files.set(path, { path, text });
      if (files.size > filesMax) throw new CommandError(`there are more than ${filesMax} files`, onlyDocuments);
      if (bytes > bytesMax) throw new CommandError('the files have more than 5 MiB together', onlyDocuments);
      for (const name of namesIn(value)) names.add(name);
      for (const include of includesOf(value))
        waiting.push({ path: posix.join(posix.dirname(path), include), from: path });
    }
  }
  if (files.size === 0)
    throw new CommandError(
      `there is no .yaml, .yml or .json file in ${paths.join(', ')}`,
      'Make one with `upquorum export`.',
    );
  return { files: [...files.values()], names };
}

/** A folder may have other JSON, such as the report of an import, beside documents. */
function isOtherJson(path: string, value: unknown): boolean {
  return path.endsWith('.json') && !(typeof value === 'object' && value !== null && 'upquorum' in value);
}

const onlyDocuments = 'Keep documents of configuration in a folder of their own.';

async function filesAt(path: string, includedBy: string | null): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    const inside = entries
      .filter(({ name }) => !name.startsWith('.'))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .filter(entry => entry.isDirectory() || isDocument.test(entry.name))
      .map(entry => filesAt(posix.join(path, entry.name), includedBy));
    return (await Promise.all(inside)).flat();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(`there is no ${path}`, includedBy === null ? null : `${includedBy} includes it.`);
  }
}

function parsedOf(text: string): unknown {
  try {
    return parseDocument(text, { version: '1.2', schema: 'core', prettyErrors: false }).toJS({ maxAliasCount: 1000 });
  } catch {
    return null;
  }
}

function includesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || !('include' in value) || !Array.isArray(value.include)) return [];
  return value.include.filter((path: unknown): path is string => typeof path === 'string');
}

/** The names of all `{$env: NAME}`. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  if ('$env' in value && typeof value.$env === 'string') return [value.$env];
  return Object.values(value).flatMap(namesIn);
}
