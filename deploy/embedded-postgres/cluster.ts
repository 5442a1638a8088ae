import { chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './command.ts';
import { EmbeddedError } from './failure.ts';
import type { ServerUser } from './system-user.ts';

const localeArguments = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/** Options of initdb. */
export type ClusterOptions = { tree: string; dataDir: string; user: ServerUser | null; adminPassword: string };

/** The folder of PostgreSQL's own files in a data folder. */
export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}

/** Whether the data folder contains a complete cluster. */
export function hasCluster(dataDir: string): Promise<boolean> {
  return stat(clusterFolder(dataDir)).then(
    () => true,
    () => false,
  );
}

/** Creates the cluster in a draft folder and renames it, so that a kill half-way leaves nothing that looks complete. */
export async function createCluster({ tree, dataDir, user, adminPassword }: ClusterOptions): Promise<void> {
  if (user === null) requireAccount();
  const draft = join(dataDir, 'postgres.draft');
  const passwordFile = join(dataDir, 'password.draft');
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, `${adminPassword}\n`, { mode: 0o600 });
  try {
    if (user !== null) for (const path of [draft, passwordFile]) await chown(path, user.uid, user.gid);
    const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const initdb = join(tree, 'bin/initdb');
    await runCommand(initdb, ['-D', draft, ...access, ...localeArguments], { cwd: dataDir, user });
    await rename(draft, clusterFolder(dataDir));
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

/** PostgreSQL looks up the name of its user. */
function requireAccount(): void {
  try {
    userInfo();
  } catch (error) {
    throw new EmbeddedError(
      `the user id ${process.getuid?.()} has no account (no line in /etc/passwd), which PostgreSQL needs: ` +
        'run as a user with one, or set DATABASE_URL to your own PostgreSQL server',
      { cause: error },
    );
  }
}
