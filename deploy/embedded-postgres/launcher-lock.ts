import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '#shared/error-code.ts';
import { EmbeddedError } from './failure.ts';
import { processIdentity } from './process-identity.ts';

type Launcher = { pid: number; identity: string };

/**
 * Locks the data folder for this process until the returned function is called. The lock of a dead launcher is taken
 * over; while a launcher lives, EmbeddedError names its process.
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, 'launcher.lock');
  const content = JSON.stringify({ pid: process.pid, identity: await processIdentity(process.pid) });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await createLock(path, content)) return () => rm(path, { force: true });
    const current = await readFile(path, 'utf8').catch(() => '');
    await refuseLiving(current, dataDir);
    await removeStale(path, current);
  }
  throw new EmbeddedError(`several processes are starting in the data folder ${dataDir} at once`);
}

/**
 * A hard link appears with its full content, so that no reader sees a half-written lock. False if there is one already.
 */
async function createLock(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Throws EmbeddedError if a launcher that lives has locked the data folder. */
export async function requireUnlocked(dataDir: string): Promise<void> {
  await refuseLiving(await readFile(join(dataDir, 'launcher.lock'), 'utf8').catch(() => ''), dataDir);
}

async function refuseLiving(content: string, dataDir: string): Promise<void> {
  const launcher = parseLauncher(content);
  if (launcher === null || (await processIdentity(launcher.pid)) !== launcher.identity) return;
  throw new EmbeddedError(
    `the data folder ${dataDir} is in use by process ${launcher.pid}: stop it, or choose another DATA_DIR`,
  );
}

/** Removes only the lock that was found stale; another process may have replaced it meanwhile. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path).catch(() => {});
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
