import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Edition } from './arguments.ts';
import type { Outcome } from './outcome.ts';

/** On a busy machine a few of some 550 files miss a limit of time. Many failures are no accident. */
const filesMax = 10;

/** The files of the tests that failed, to run again alone: none if there are many, or one that cannot be named. */
export function filesToRepeat(top: string, { failures }: Outcome): Map<Edition, string[]> {
  const found = failures.map(title => fileOf(top, title));
  const files = new Map<Edition, Set<string>>();
  for (const [edition, file] of found.filter(each => each !== null))
    files.set(edition, (files.get(edition) ?? new Set()).add(file));
  const count = [...files.values()].reduce((sum, set) => sum + set.size, 0);
  if (found.includes(null) || count > filesMax) return new Map();
  return new Map([...files].map(([edition, set]) => [edition, [...set]]));
}

/** What passes when it is run again has passed. */
export function settle(first: Outcome, again: Outcome): Outcome {
  return {
    passed: first.passed + Math.max(0, first.failures.length - again.failures.length),
    failures: again.failures,
  };
}

/** A title is `3-plain › folder › file › title`, and may hold `›` itself. */
function fileOf(top: string, title: string): [Edition, string] | null {
  const [group = '', ...parts] = title.split(' › ');
  const edition = (['plain', 'apache', 'community'] as const).find(name => group.endsWith(`-${name}`));
  const file = parts
    .map((_, index) => `test/${parts.slice(0, index + 1).join('/')}.test.ts`)
    .find(path => existsSync(join(top, path)));
  return edition === undefined || file === undefined ? null : [edition, file];
}
