import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Top of the repository. */
export const top = fileURLToPath(new URL('../..', import.meta.url));

/** One source file, by its path from the top, and the files of ours it imports. */
export type Source = { path: string; text: string; imports: readonly string[] };

/** Every TypeScript file of a top folder. */
export function sourcesOf(folder: string): Source[] {
  return readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => {
      const path = join(folder, name);
      const text = readFileSync(join(top, path), 'utf8');
      return { path, text, imports: importsOf(path, text) };
    });
}

function importsOf(path: string, text: string): string[] {
  const named = [
    ...text.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
  ];
  return named.flatMap(match => {
    const name = match[1] ?? match[2] ?? match[3] ?? '';
    if (name.startsWith('#')) return [name.slice(1)];
    return name.startsWith('.') ? [relative(top, join(top, dirname(path), name))] : [];
  });
}
