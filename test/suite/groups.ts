import { existsSync, globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { Edition } from './arguments.ts';

/** A process that loads the program costs as much as many tests: one runs this many files, one after another. */
const filesMax = 72;
/** Groups that run last are smaller: no process has much left when the others have nothing. */
const filesMin = 12;
/** A group has this part of the files that are left, */
const partOfRest = 8;
/** and of a few named files a quarter. */
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
  for (const [index, [edition, files]] of [...editions].entries().toArray().reverse()) {
    for (const group of inGroups(files, index === 0).reverse()) {
      const name = join(folder, `${names.length + 1}-${edition}.test.ts`);
      await writeFile(join(top, name), textOf(edition, group));
      names.push(name);
    }
  }
  return { files: names, [Symbol.asyncDispose]: remove };
}

/** Neighbours load the same modules, so they stay together. The last group runs first; `isLast`: nothing follows. */
export function inGroups(files: readonly string[], isLast: boolean): string[][] {
  const groups: string[][] = [];
  const least = Math.min(isLast ? filesMin : filesMax, Math.ceil(files.length / groupsMin));
  for (let left = files.length; left > 0; ) {
    const size = Math.min(Math.max(Math.ceil(left / partOfRest), least), filesMax);
    groups.unshift(files.slice(Math.max(left - size, 0), left));
    left -= size;
  }
  return groups;
}

function textOf(edition: Edition, files: readonly string[]): string {
  const names = JSON.stringify(files, null, 2);
  return `import { runGroup } from '#test/suite/group.ts';\n\nawait runGroup('${edition}', ${names});\n`;
}
