import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedError } from './failure.ts';
import { processIdentity } from './process-identity.ts';

type Launcher = { pid: number; identity: string };

/** Takes the data folder for this process until the returned function is called; a dead launcher's lock is taken over. */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, 'launcher.lock');
  const own = JSON.stringify({ pid: process.pid, identity: await processIdentity(process.pid) });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await createLock(path, own)) return () => rm(path, { force: true });
    const held = await readFile(path, 'utf8').catch(() => '');
    await refuseLiving(held, dataDir);
    await removeStale(path, held);
  }
  throw new EmbeddedError(`the data folder ${dataDir} is being started by several processes at once`);
}

/** A hard link appears with its whole content or not at all, so that no reader sees a half-written lock. */
async function createLock(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function refuseLiving(held: string, dataDir: string): Promise<void> {
  const launcher = parseLauncher(held);
  if (launcher === null || (await processIdentity(launcher.pid)) !== launcher.identity) return;
  throw new EmbeddedError(
    `the data folder ${dataDir} is in use by the running process ${launcher.pid}: stop it, or choose another DATA_DIR`,
  );
}

/** Removes exactly the lock that was judged stale; another process may have replaced it meanwhile. */
async function removeStale(path: string, held: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  if ((await readFile(aside, 'utf8')) !== held) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

function parseLauncher(text: string): Launcher | null {
  try {
    const { pid, identity } = JSON.parse(text) as Partial<Launcher>;
    return typeof pid === 'number' && typeof identity === 'string' ? { pid, identity } : null;
  } catch {
    return null;
  }
}
