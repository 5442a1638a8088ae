import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Top of the repository. */
export const top = fileURLToPath(new URL('../..', import.meta.url));

/** Made from the OpenAPI document, the types of channels, and for a package. */
const generated = /\bapi-client\/(openapi\.d|channel-forms)\.ts$|\bnode-client\/dist\//;

/** Whether a file is made by a program. */
export function isGenerated(path: string): boolean {
  return generated.test(path);
}

/** Folders of the product, in the order of their imports. */
export const programFolders = ['shared', 'agent', 'control-plane', 'deploy'] as const;

/** One source file, by its path from the top, and the files of ours it imports. */
export type Source = { path: string; text: string; imports: readonly string[] };

const read = new Map<string, readonly Source[]>();

/** Every TypeScript file of a top folder, read once: whoever asks again finds the trees of the files, too. */
export function sourcesOf(folder: string): readonly Source[] {
  const sources = read.get(folder) ?? readSources(folder);
  read.set(folder, sources);
  return sources;
}

function readSources(folder: string): Source[] {
  return readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !name.includes('node_modules') && !isGenerated(name))
    .sort()
    .map(name => {
      const path = join(folder, name);
      const text = readFileSync(join(top, path), 'utf8');
      return { path, text, imports: importsOf(path, text) };
    });
}

/** The path from the top that a specifier names in a file, or null for packages. */
export function resolveImport(path: string, specifier: string): string | null {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? relative(top, join(top, dirname(path), specifier)) : null;
}

function importsOf(path: string, text: string): string[] {
  const named = [
    ...text.matchAll(/^(?:import|export)\s[^;]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
  ];
  return named.flatMap(match => resolveImport(path, match[1] ?? match[2] ?? match[3] ?? '') ?? []);
}
