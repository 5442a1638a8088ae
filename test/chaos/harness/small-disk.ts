import { execFile } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A file system in memory that can be filled up. */
export type SmallDisk = AsyncDisposable & {
  folder: string;
  /** Leaves no room. */
  fill(): Promise<void>;
  free(): Promise<void>;
};

const run = promisify(execFile);

/** Null where nothing may be mounted: that takes root. */
export async function mountSmallDisk(bytes: number): Promise<SmallDisk | null> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  } catch {
    await rm(folder, { recursive: true });
    return null;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: async () => {
      const { bavail, bsize } = await statfs(folder);
      await writeFile(ballast, Buffer.alloc(bavail * bsize)).catch(() => {});
    },
    free: () => rm(ballast, { force: true }),
    [Symbol.asyncDispose]: async () => {
      await run('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
