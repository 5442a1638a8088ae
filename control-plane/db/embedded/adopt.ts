import { clusterFolder } from './cluster.ts';
import type { Composition } from './compose.ts';
import { EmbeddedError } from './failure.ts';
import { waitReady } from './launch.ts';
import { findPostmaster, stopPostmaster } from './postmaster.ts';
import { databaseUrl, describeServer, provision } from './provision.ts';
import type { EmbeddedRecord } from './record.ts';

/** Takes over the server that a dead launcher left on this data folder; one of another edition is stopped instead. */
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
  const server = await describeServer(adminUrl).catch(error => {
    throw new EmbeddedError(`PostgreSQL (process ${pid}) on ${dataDir} does not answer: stop it first`, {
      cause: error,
    });
  });
  if (server.timescale !== (edition === 'apache')) {
    await stopPostmaster(pid, cluster);
    return null;
  }
  // The launcher may have died before the role or the database was there.
  await provision({ adminUrl, password: record.password, timescale: server.timescale });
  return { pid, port };
}
