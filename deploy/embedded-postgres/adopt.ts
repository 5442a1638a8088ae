import { clusterFolder } from './cluster.ts';
import type { Composition } from './compose.ts';
import { EmbeddedError } from './failure.ts';
import { waitReady } from './launch.ts';
import { findPostmaster, stopPostmaster } from './postmaster.ts';
import { databaseUrl, preloadsTimescale, provision } from './provision.ts';
import type { EmbeddedRecord } from './record.ts';

/**
 * Adopts the server that a dead launcher left running on this data folder. Null if there is none, or if it ran another
 * edition, in which case it is stopped. Throws EmbeddedError if it does not answer.
 */
export async function adoptServer(
  dataDir: string,
  record: EmbeddedRecord,
  edition: Composition,
): Promise<{ pid: number; port: number } | null> {
  const cluster = clusterFolder(dataDir);
  if ((await findPostmaster(cluster)) === null) return null;
  const running = await waitReady(cluster, () => true);
  if (running === null) return null;
  const { pid, port } = running;
  const adminUrl = databaseUrl(`postgres://postgres:${record.adminPassword}@127.0.0.1:${port}`, 'postgres');
  const timescale = await preloadsTimescale(adminUrl).catch(error => {
    throw new EmbeddedError(`PostgreSQL (process ${pid}) in ${dataDir} does not respond: stop it and try again`, {
      cause: error,
    });
  });
  if (timescale !== (edition === 'apache')) {
    await stopPostmaster(pid, cluster);
    return null;
  }
  // The launcher may have died before it created the role or the database.
  await provision({ adminUrl, password: record.password, timescale });
  return { pid, port };
}
