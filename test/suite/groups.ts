import { existsSync, globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { Edition } from './arguments.ts';

/** A thread that loads the program costs as much as many tests: one thread runs this many files, one after another. */
const filesPerGroup = 36;
/** A few named files run at once. */
const groupsMin = 4;

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

/** Writes a file for each group of test files, those of each storage edition by themselves. */
export async function makeGroups(top: string, editions: ReadonlyMap<Edition, readonly string[]>): Promise<Groups> {
  const remove = () => rm(join(top, folder), { recursive: true, force: true });
  await remove();
  await mkdir(join(top, folder), { recursive: true });
  const names: string[] = [];
  // The stories, which come last by name, take longest, and so do the files that later editions run again: they start
  // first, and nothing slow is left alone at the end.
  for (const [edition, files] of [...editions].reverse()) {
    for (const group of inGroups(files).reverse()) {
      const name = join(folder, `${names.length + 1}-${edition}.test.ts`);
      await writeFile(join(top, name), textOf(edition, group));
      names.push(name);
    }
  }
  return { files: names, [Symbol.asyncDispose]: remove };
}

/** Neighbours load the same modules, so they stay together; groups differ by one file at most. */
export function inGroups(files: readonly string[]): string[][] {
  const count = Math.max(Math.ceil(files.length / filesPerGroup), Math.min(groupsMin, files.length));
  const start = (group: number) => Math.round((group * files.length) / count);
  return Array.from({ length: count }, (_, group) => files.slice(start(group), start(group + 1)));
}

function textOf(edition: Edition, files: readonly string[]): string {
  const names = JSON.stringify(files, null, 2);
  return `import { runGroup } from '#test/suite/group.ts';\n\nawait runGroup('${edition}', ${names});\n`;
}
