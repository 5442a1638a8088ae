import { chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../embedded-postgres/command.ts';
import { makeFolder, type ServerUser, serverUser } from '../embedded-postgres/system-user.ts';

const program = fileURLToPath(new URL('../../control-plane/main.ts', import.meta.url));
const lowestFreePort = 1024;

/**
 * The account that control plane and agents run as when we are root: the one that runs the database, which it may write
 * the folders of `dataDir` that the programs write. Null to run as ourselves; `say` receives the reason if we are root.
 */
export async function programUser(
  { dataDir, port }: { dataDir: string; port: number },
  say: (line: string) => void,
): Promise<ServerUser | null> {
  const user = await serverUser();
  if (user === null) return null;
  const obstacle = port < lowestFreePort ? `only root may use port ${port}` : await findObstacle(user);
  if (obstacle !== null) {
    say(`control plane and agents run as root: ${obstacle}`);
    return null;
  }
  await makeFolder(dataDir, user);
  for (const name of ['pages', 'agents']) {
    const folder = join(dataDir, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await giveTo(user, folder);
  }
  return user;
}

async function findObstacle(user: ServerUser): Promise<string | null> {
  const read = ['-e', `require('node:fs').accessSync(${JSON.stringify(program)})`];
  return runCommand(process.execPath, read, { user, cwd: '/' }).then(
    () => null,
    () => `another user cannot read ${program}`,
  );
}

/** Earlier versions wrote these files as root. */
async function giveTo({ uid, gid }: ServerUser, folder: string): Promise<void> {
  await chown(folder, uid, gid);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await giveTo({ uid, gid }, path);
    else if (entry.isFile()) await chown(path, uid, gid);
  }
}
