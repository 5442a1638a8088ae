import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { adoptServer } from './adopt.ts';
import { type ChosenServer, chooseComposition, type TimescaleChoice } from './choose-composition.ts';
import { clusterFolder, createCluster, hasCluster } from './cluster.ts';
import type { Composition } from './compose.ts';
import { EmbeddedError, explainFailure } from './failure.ts';
import { launchServer } from './launch.ts';
import { lockDataDir } from './launcher-lock.ts';
import { stopPostmaster } from './postmaster.ts';
import { provision } from './provision.ts';
import { type EmbeddedRecord, readRecord, writeRecord } from './record.ts';
import { makeFolder, type ServerUser, serverUser } from './system-user.ts';

/** `composeDir` keeps the binaries and may be shared by data folders; `timescaleWorkers` is 0 in tests. */
export type EmbeddedOptions = {
  dataDir: string;
  timescale: TimescaleChoice;
  progress: (line: string) => void;
  composeDir?: string;
  timescaleWorkers?: number;
};

/** A running server: `url` is the application's own, `adminUrl` the superuser's; `stop` may be called twice. */
export type EmbeddedPostgres = {
  url: string;
  adminUrl: string;
  edition: Composition;
  notice: string | null;
  adopted: boolean;
  pid: number;
  stop(): Promise<void>;
};

type Running = { pid: number; port: number; edition: Composition; notice: string | null; adopted: boolean };
type Place = { dataDir: string; composeDir: string; user: ServerUser | null };

/**
 * Starts a private PostgreSQL 17 on the loopback interface, with TimescaleDB where it can be had, or adopts the one
 * a killed launcher left running. Throws EmbeddedError with a sentence for people.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    const place = await preparePlace(options);
    const unlock = await lockDataDir(place.dataDir);
    try {
      const record = await readRecord(place.dataDir);
      await writeRecord(place.dataDir, record);
      return handle(await run(options, place, record), record, place.dataDir, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  } catch (error) {
    throw explainFailure(error, options.dataDir);
  }
}

async function preparePlace(options: EmbeddedOptions): Promise<Place> {
  const user = await serverUser();
  await makeFolder(options.dataDir, user);
  const dataDir = await realpath(options.dataDir);
  const composeDir = options.composeDir ?? join(dataDir, 'server');
  await makeFolder(composeDir, user);
  return { dataDir, composeDir, user };
}

async function run(options: EmbeddedOptions, place: Place, record: EmbeddedRecord): Promise<Running> {
  const { dataDir, composeDir, user } = place;
  const { timescale, progress, timescaleWorkers = 4 } = options;
  const chosen = await chooseComposition({ timescale, recorded: record.edition, composeDir, progress });
  const adopted = await adoptServer(dataDir, record, chosen.edition);
  if (adopted !== null) return { ...adopted, ...summary(chosen), adopted: true };
  await ensureCluster(place, chosen, record, progress);
  const port = record.port;
  const launch = { tree: chosen.tree, dataDir, user, port, timescale: chosen.edition === 'apache', timescaleWorkers };
  const server = await launchServer(launch);
  try {
    const adminUrl = serverUrl('postgres', record.adminPassword, server.port, 'postgres');
    await writeRecord(dataDir, { ...record, port: server.port, edition: chosen.edition });
    await provision({ adminUrl, password: record.password, timescale: launch.timescale });
  } catch (error) {
    await stopPostmaster(server.pid, clusterFolder(dataDir));
    throw error;
  }
  return { pid: server.pid, port: server.port, ...summary(chosen), adopted: false };
}

async function ensureCluster(
  { dataDir, user }: Place,
  { tree }: ChosenServer,
  { edition, adminPassword }: EmbeddedRecord,
  progress: (line: string) => void,
): Promise<void> {
  if (await hasCluster(dataDir)) return;
  if (edition !== null)
    throw new EmbeddedError(`the database is missing in ${dataDir}: restore it or remove embedded.json`);
  progress('creating the database…');
  await createCluster({ tree, dataDir, user, adminPassword });
}

function summary({ edition, notice }: ChosenServer): { edition: Composition; notice: string | null } {
  return { edition, notice };
}

function handle(
  running: Running,
  record: EmbeddedRecord,
  dataDir: string,
  unlock: () => Promise<void>,
): EmbeddedPostgres {
  const { pid, port, edition, notice, adopted } = running;
  let stopping: Promise<void> | null = null;
  return {
    url: serverUrl('upquorum', record.password, port, 'upquorum'),
    adminUrl: serverUrl('postgres', record.adminPassword, port, 'postgres'),
    edition,
    notice,
    adopted,
    pid,
    stop() {
      stopping ??= stopPostmaster(pid, clusterFolder(dataDir)).finally(unlock);
      return stopping;
    },
  };
}

function serverUrl(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}
