import { existsSync, globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { costsAreAsked } from './costs.ts';

/** A thread that loads the program costs as much as many tests: one thread runs this many files, one after another. */
const filesPerGroup = 8;

const folder = join('artifacts', 'test-groups', String(process.pid));

/** Files for AVA that each run several test files. Disposing removes them. */
export type Groups = AsyncDisposable & { files: string[] };

/** The test files that somebody named, alone or by folder, or all of them; null if there are patterns or options. */
export function namedFiles(top: string, names: readonly string[]): string[] | null {
  if (names.length === 0) return globSync('test/**/*.test.ts', { cwd: top }).sort();
  if (!names.every(name => /^[\w./-]+$/.test(name) && !name.startsWith('-') && existsSync(join(top, name))))
    return null;
  const found = names.flatMap(name =>
    name.endsWith('.test.ts') ? normalize(name) : globSync(join(name, '**/*.test.ts'), { cwd: top }),
  );
  return [...new Set(found)].sort();
}

/** Writes a file for each group of test files, unless there are so few that AVA runs them by itself. */
export async function makeGroups(top: string, files: readonly string[]): Promise<Groups> {
  const remove = () => rm(join(top, folder), { recursive: true, force: true });
  if (files.length <= filesPerGroup && !costsAreAsked) return { files: [...files], [Symbol.asyncDispose]: remove };
  // The stories, which come last by name, take longest: they start first, and nothing slow is left alone at the end.
  const groups = inGroups(files).reverse();
  const names = groups.map((_, index) => join(folder, `${index + 1}.test.ts`));
  await remove();
  await mkdir(join(top, folder), { recursive: true });
  for (const [index, name] of names.entries()) await writeFile(join(top, name), textOf(groups[index] ?? []));
  return { files: names, [Symbol.asyncDispose]: remove };
}

/** Neighbours load the same modules, so they stay together; groups differ by one file at most. */
export function inGroups(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / filesPerGroup);
  const start = (group: number) => Math.round((group * files.length) / count);
  return Array.from({ length: count }, (_, group) => files.slice(start(group), start(group + 1)));
}

function textOf(files: readonly string[]): string {
  return `import { runGroup } from '#test/suite/group.ts';\n\nawait runGroup(${JSON.stringify(files, null, 2)});\n`;
}
