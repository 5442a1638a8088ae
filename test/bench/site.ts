import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbedded } from '#deploy/embedded-postgres/embedded.ts';
import { makeScratch } from '../suite/scratch.ts';
import { composeFolder } from '../suite/server.ts';
import { testSecretKey } from '../support/control-plane.ts';
import { type Program, startProgram } from './program.ts';
import type { RowRun } from './row.ts';

/** A database and a control plane for one row, in their own processes and a temporary folder. */
export type Site = {
  folder: string;
  databaseUrl: string;
  url: string;
  postgres: () => EmbeddedPostgres;
  controlPlane: () => Program;
  /** Starts the control plane, or restarts a killed one on the same port. */
  startControlPlane(): Promise<void>;
  /** Starts one more control plane on the same database, on a free port or the given one, with settings of its own. */
  startReplica(name: string, port?: number, env?: Record<string, string>): Promise<Replica>;
  /** Restarts a killed database at the same address with the same data. */
  restartDatabase(): Promise<void>;
  versions(): Promise<Record<string, string>>;
};

/** One more control plane, with its address. */
export type Replica = { program: Program; port: number; url: string };

type Listening = { type: 'listening'; port: number };

/** The address of the database that the control plane gets, if it is not the server's own. */
export type Route = (postgres: EmbeddedPostgres) => string;

/** Starts both. They end when `opened` is disposed. */
export async function openSite(
  { opened, progress }: RowRun,
  env: Record<string, string> = {},
  route: Route = ({ url }) => url,
): Promise<Site> {
  const { folder } = opened.use(await makeScratch());
  const folders = { dataDir: join(folder, 'server'), composeDir: composeFolder(process.env) };
  const startDatabase = () => startEmbedded({ ...folders, timescale: 'auto', progress, timescaleWorkers: 0 });
  let postgres = await startDatabase();
  opened.defer(() => postgres.stop());
  const databaseUrl = route(postgres);
  let port = 0;
  let controlPlane: Program | null = null;
  opened.defer(() => controlPlane?.end('SIGTERM'));
  // After an interrupt the row's code still runs; it must not start anything more.
  const assertNotOver = () => {
    if (opened.disposed) throw new Error('the row is over');
  };
  const launch = (name: string, port: number, own: Record<string, string> = {}) => {
    assertNotOver();
    const settings = {
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      SECRETS_KEYS: testSecretKey,
      RATE_LIMIT_PER_MINUTE: '10000000',
      RATE_LIMIT_BURST: '10000000',
      LOG_LEVEL: 'warn',
      PAGES_DIR: join(folder, 'pages'),
      ...env,
      ...own,
    };
    const flags = process.env.CONTROL_PLANE_FLAGS?.split(' ') ?? [];
    const logFile = join(folder, `${name}.log`);
    return startProgram('control-plane/main.ts', { env: settings, logFile, execArgv: flags });
  };
  const startControlPlane = async () => {
    const started = launch('control-plane', port);
    controlPlane = started;
    ({ port } = await started.message<Listening>('listening'));
  };
  const startReplica = async (name: string, port = 0, own: Record<string, string> = {}) => {
    const program = opened.use(launch(name, port, own));
    const listening = await program.message<Listening>('listening');
    return { program, port: listening.port, url: `http://127.0.0.1:${listening.port}` };
  };
  await startControlPlane();
  return {
    folder,
    databaseUrl,
    url: `http://127.0.0.1:${port}`,
    postgres: () => postgres,
    controlPlane: () => {
      if (controlPlane === null) throw new Error('the control plane was not started');
      return controlPlane;
    },
    startControlPlane,
    startReplica,
    restartDatabase: async () => {
      await postgres.stop();
      assertNotOver();
      postgres = await startDatabase();
    },
    versions: () => readVersions(databaseUrl, postgres.edition),
  };
}

async function readVersions(databaseUrl: string, edition: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ postgres: string; timescaledb: string | null }>(
      `select current_setting('server_version') as postgres,
         (select extversion from pg_extension where extname = 'timescaledb') as timescaledb`,
    );
    return {
      node: process.version,
      postgres: rows[0]?.postgres ?? '',
      timescaledb: rows[0]?.timescaledb ?? 'none',
      edition,
    };
  } finally {
    await client.end();
  }
}
