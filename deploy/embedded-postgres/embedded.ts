import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
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

/** `composeDir` caches the binaries and may be shared by data folders; `timescaleWorkers` is 0 in tests. */
export type EmbeddedOptions = {
  dataDir: string;
  timescale: TimescaleChoice;
  progress: (line: string) => void;
  composeDir?: string;
  timescaleWorkers?: number;
};

/**
 * A running server. `url` connects as the application's role, `adminUrl` as superuser. `notice` says why TimescaleDB is
 * missing, or is null. `stop` is idempotent.
 */
export type EmbeddedPostgres = {
  url: string;
  adminUrl: string;
  edition: Composition;
  notice: string | null;
  adopted: boolean;
  pid: number;
  /** Records the edition for good. Call it once something is stored: until then a later start may choose another. */
  keepEdition(): Promise<void>;
  stop(): Promise<void>;
};

type Running = Pick<ChosenServer, 'edition' | 'notice'> & { pid: number; port: number; adopted: boolean };
type Location = { dataDir: string; composeDir: string; user: ServerUser | null };

/**
 * Starts a private PostgreSQL 17 on the loopback interface, with TimescaleDB where it is available, or adopts the one
 * that a killed launcher left running. Throws EmbeddedError with a sentence for people.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    const location = await prepareFolders(options);
    const unlock = await lockDataDir(location.dataDir);
    try {
      const record = await readRecord(location.dataDir);
      await writeRecord(location.dataDir, record);
      return handle(await run(options, location, record), record, location.dataDir, unlock);
    } catch (error) {
      await unlock();
      throw error;
    }
  } catch (error) {
    throw explainFailure(error, options.dataDir);
  }
}

async function prepareFolders(options: EmbeddedOptions): Promise<Location> {
  if (resolve(options.dataDir).includes(':'))
    throw new EmbeddedError(
      `the folder ${options.dataDir} has a colon in its path, which PostgreSQL cannot use: choose another DATA_DIR`,
    );
  const user = await serverUser();
  await makeFolder(options.dataDir, user);
  const dataDir = await realpath(options.dataDir);
  const composeDir = options.composeDir ?? join(dataDir, 'server');
  await makeFolder(composeDir, user);
  return { dataDir, composeDir, user };
}

async function run(options: EmbeddedOptions, location: Location, record: EmbeddedRecord): Promise<Running> {
  const { dataDir, composeDir, user } = location;
  const { timescale, progress, timescaleWorkers = 4 } = options;
  const chosen = await chooseComposition({ timescale, recorded: record.edition, composeDir, progress });
  const adopted = await adoptServer(dataDir, record, chosen.edition);
  if (adopted !== null) return { ...adopted, ...summary(chosen), adopted: true };
  await ensureCluster(location, chosen, record, progress);
  const port = record.port;
  const launch = { tree: chosen.tree, dataDir, user, port, timescale: chosen.edition === 'apache', timescaleWorkers };
  const server = await launchServer(launch);
  try {
    const adminUrl = serverUrl('postgres', record.adminPassword, server.port, 'postgres');
    const edition = chosen.isMakeshift ? null : chosen.edition;
    await writeRecord(dataDir, { ...record, port: server.port, edition });
    await provision({ adminUrl, password: record.password, timescale: launch.timescale });
  } catch (error) {
    await stopPostmaster(server.pid, clusterFolder(dataDir));
    throw error;
  }
  return { pid: server.pid, port: server.port, ...summary(chosen), adopted: false };
}

async function ensureCluster(
  { dataDir, user }: Location,
  { tree }: ChosenServer,
  { edition, adminPassword }: EmbeddedRecord,
  progress: (line: string) => void,
): Promise<void> {
  if (await hasCluster(dataDir)) return;
  if (edition !== null)
    throw new EmbeddedError(
      `the database is missing from ${dataDir}: restore it, or remove embedded.json to create a new one`,
    );
  progress('creating the database…');
  await createCluster({ tree, dataDir, user, adminPassword });
}

function summary({ edition, notice }: ChosenServer): Pick<Running, 'edition' | 'notice'> {
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
    keepEdition: () => writeRecord(dataDir, { ...record, port, edition }),
    stop() {
      stopping ??= stopPostmaster(pid, clusterFolder(dataDir)).finally(unlock);
      return stopping;
    },
  };
}

function serverUrl(role: string, password: string, port: number, database: string): string {
  return `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;
}
