import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFolders, top } from './sources.ts';
import { hasTexts, textsOf } from './texts.ts';

const bufferMax = 64 * 1024 * 1024;

/** Texts that people read, before and after a change: those that went and those that came. */
export type ChangedTexts = { base: string; removed: string[]; added: string[] };

/**
 * The texts in which a checkout differs from the commit where its branch left main, or from the last commit on main
 * itself. A text that moved to another file is not a change. Null without git or its history.
 */
export function changedTexts(root = top): ChangedTexts | null {
  const base = (git(root, 'merge-base', 'HEAD', 'main') ?? git(root, 'rev-parse', 'HEAD'))?.trim();
  if (base === undefined) return null;
  const paths = [
    ...linesOf(git(root, 'diff', '--name-only', '--no-renames', base, '--', ...programFolders)),
    ...linesOf(git(root, 'ls-files', '--others', '--exclude-standard', '--', ...programFolders)),
  ].filter(hasTexts);
  const before = textsIn(paths, path => git(root, 'show', `${base}:${path}`) ?? '');
  const after = textsIn(paths, path => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''));
  return { base, removed: [...before.difference(after)].sort(), added: [...after.difference(before)].sort() };
}

/** The difference as people read it, a text each line. */
export function describeChange(change: ChangedTexts | null): string {
  if (change === null) return 'There is no git history to compare the texts with.';
  const { base, removed, added } = change;
  if (removed.length + added.length === 0) return `No text has changed since ${base.slice(0, 7)}.`;
  const lines = [...removed.map(text => `- ${text}`), ...added.map(text => `+ ${text}`)];
  return [`Texts that have changed since ${base.slice(0, 7)}. Read the new ones aloud:`, ...lines].join('\n');
}

function textsIn(paths: readonly string[], read: (path: string) => string): Set<string> {
  return new Set(paths.flatMap(path => textsOf({ path, text: read(path), imports: [] })));
}

/** What a git command prints; null if it fails. */
function git(root: string, ...command: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', ['-C', root, ...command], { encoding: 'utf8', maxBuffer: bufferMax });
  return status === 0 ? stdout : null;
}

function linesOf(text: string | null): string[] {
  return (text ?? '').split('\n').filter(line => line !== '');
}

// `npm run texts`: prints the texts that have changed.
if (import.meta.main) process.stdout.write(`${describeChange(changedTexts())}\n`);
