import { access, chmod, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { runCommand, type ServerUser } from './command.ts';
import { EmbeddedError } from './failure.ts';

export type { ServerUser } from './command.ts';

type FolderStats = { mode: number; uid: number; gid: number };

const userName = 'postgres';

/**
 * The account that runs the server: for root the system user `postgres`, created if missing; null for any other user.
 */
export async function serverUser(): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  return (await lookUp()) ?? (await create());
}

async function create(): Promise<ServerUser> {
  const home = ['--home-dir', '/nonexistent', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  await runCommand('useradd', ['--system', '--user-group', ...home, userName]).catch(async error => {
    if ((await lookUp()) === null)
      throw new EmbeddedError(`cannot create the system user ${userName}`, { cause: error });
  });
  const user = await lookUp();
  if (user === null)
    throw new EmbeddedError(`the system user ${userName} is missing: create it, or run as a normal user`);
  return user;
}

async function lookUp(): Promise<ServerUser | null> {
  try {
    const [uid, gid] = await Promise.all([runCommand('id', ['-u', userName]), runCommand('id', ['-g', userName])]);
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return null;
  }
}

/**
 * Creates a folder that the server's user can traverse. Throws EmbeddedError with the parent folder that it cannot
 * traverse, because that folder is not ours to change.
 */
export async function makeFolder(folder: string, user: ServerUser | null): Promise<void> {
  const created = await mkdir(folder, { recursive: true });
  if (user === null) return;
  for (let path = await realpath(folder); path !== dirname(path); path = dirname(path)) {
    const stats = await stat(path);
    const isOurs = path === resolve(folder) || (created !== undefined && path.startsWith(resolve(created)));
    if (isOurs) await chmod(path, (stats.mode & 0o777) | 0o011);
    else if (!canTraverse(stats, user)) throw inaccessibleFolder(path, folder);
  }
}

function inaccessibleFolder(path: string, folder: string): EmbeddedError {
  return new EmbeddedError(
    `the system user ${userName}, which runs the database, cannot access the folder ${path}: ` +
      `choose a DATA_DIR other than ${folder}, for example /var/lib/upquorum`,
  );
}

/** Whether the server's user, or this one, may create files in a folder. */
export async function canWrite(folder: string, user: ServerUser | null): Promise<boolean> {
  const writeAndTraverse = 0o3;
  if (user === null) {
    return access(folder, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
  }
  const stats = await stat(folder).catch(() => null);
  return stats !== null && hasRights(stats, user, writeAndTraverse);
}

function canTraverse(stats: FolderStats, user: ServerUser): boolean {
  return hasRights(stats, user, 0o1);
}

/** `rights` are the bits of one class, 0 to 7. */
function hasRights({ mode, uid, gid }: FolderStats, user: ServerUser, rights: number): boolean {
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & rights) === rights;
}
