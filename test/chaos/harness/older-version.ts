import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from '../../bench/program.ts';
import type { RowRun } from '../../bench/row.ts';
import type { Site } from '../../bench/site.ts';

const top = fileURLToPath(new URL('../../..', import.meta.url));
const migrations = 'control-plane/platform/db/migrations/*.sql';

/** The commit before the last that added a migration, unless `OLDER_VERSION` names another one. */
export function olderCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: top, encoding: 'utf8' }).trim();
  const asked = process.env.OLDER_VERSION;
  const last = git('log', '-1', '--format=%H', '--diff-filter=A', '--', migrations);
  return git('rev-parse', '--short', asked ?? `${last}^`);
}

/** Starts a control plane of that commit, in a tree of its own, on the site's database. Packages are those of now. */
export async function startOlder(
  site: Site,
  { opened }: RowRun,
  commit: string,
  env: Record<string, string>,
): Promise<{ url: string }> {
  const tree = join(site.folder, 'older');
  execFileSync('git', ['worktree', 'add', '--detach', tree, commit], { cwd: top, stdio: 'ignore' });
  opened.defer(() => void execFileSync('git', ['worktree', 'remove', '--force', tree], { cwd: top }));
  symlinkSync(join(top, 'node_modules'), join(tree, 'node_modules'));
  const logFile = join(site.folder, 'older.log');
  const program = opened.use(startProgram('control-plane/main.ts', { env, logFile, root: tree }));
  const { port } = await program.message<{ type: 'listening'; port: number }>('listening');
  return { url: `http://127.0.0.1:${port}` };
}
