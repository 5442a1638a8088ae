import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** The name of a backup, in a folder that is removed after the test. */
export async function newBackupFile(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-backup-'));
  t.teardown(() => rm(folder, { recursive: true }));
  return join(folder, 'backup.tar.gz');
}
