import { chmod, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { runCommand, type ServerUser } from './command.ts';
import { EmbeddedError } from './failure.ts';

export type { ServerUser } from './command.ts';

const userName = 'postgres';

/** Null for a normal user, who runs the server as himself; for root the system user `postgres`, made if missing. */
export async function serverUser(): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  return (await lookUp()) ?? (await create());
}

async function create(): Promise<ServerUser> {
  const home = ['--home-dir', '/nonexistent', '--no-create-home', '--shell', '/usr/sbin/nologin'];
  await runCommand('useradd', ['--system', '--user-group', ...home, userName]).catch(async error => {
    if ((await lookUp()) === null) throw new EmbeddedError(`cannot make the system user ${userName}`, { cause: error });
  });
  const user = await lookUp();
  if (user === null)
    throw new EmbeddedError(`the system user ${userName} is missing: make it, or run as a normal user`);
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

/** Makes a folder that the server's user can pass; a closed folder above it is not ours to change and is named. */
export async function makeFolder(folder: string, user: ServerUser | null): Promise<void> {
  const created = await mkdir(folder, { recursive: true });
  if (user === null) return;
  for (let path = await realpath(folder); path !== dirname(path); path = dirname(path)) {
    const facts = await stat(path);
    const isOurs = path === resolve(folder) || (created !== undefined && path.startsWith(resolve(created)));
    if (isOurs) await chmod(path, (facts.mode & 0o777) | 0o011);
    else if (!mayPass(facts, user)) throw closedFolder(path, folder);
  }
}

function closedFolder(path: string, folder: string): EmbeddedError {
  return new EmbeddedError(
    `the folder ${path} is closed to the system user ${userName}, as which the database must run: ` +
      `choose another DATA_DIR than ${folder}, for instance /var/lib/upquorum`,
  );
}

function mayPass(facts: { mode: number; uid: number; gid: number }, user: ServerUser): boolean {
  if (facts.uid === user.uid) return (facts.mode & 0o100) !== 0;
  if (facts.gid === user.gid) return (facts.mode & 0o010) !== 0;
  return (facts.mode & 0o001) !== 0;
}
