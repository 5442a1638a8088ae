import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbedded } from '#control-plane/db/embedded/embedded.ts';
import { makeScratch } from '../suite/scratch.ts';
import { composeFolder } from '../suite/server.ts';
import { testSecretKey } from '../support/control-plane.ts';
import { type Program, startProgram } from './program.ts';
import type { RowRun } from './row.ts';

/** A database and a control plane of one's own, in processes and a folder that go when the row is over. */
export type Site = {
  folder: string;
  databaseUrl: string;
  url: string;
  postgres: () => EmbeddedPostgres;
  controlPlane: () => Program;
  /** Starts the control plane, again after it was killed, on the same port. */
  startControlPlane(): Promise<void>;
  /** Starts the database again after it was killed; address and data are the same. */
  restartDatabase(): Promise<void>;
  versions(): Promise<Record<string, string>>;
};

/** Brings up both; all goes with `opened`. */
export async function openSite({ opened, progress }: RowRun, env: Record<string, string> = {}): Promise<Site> {
  const { folder } = opened.use(await makeScratch());
  const place = { dataDir: join(folder, 'server'), composeDir: composeFolder(process.env) };
  const startDatabase = () => startEmbedded({ ...place, timescale: 'auto', progress, timescaleWorkers: 0 });
  let postgres = await startDatabase();
  opened.defer(() => postgres.stop());
  const databaseUrl = postgres.url;
  let port = 0;
  let controlPlane: Program | null = null;
  opened.defer(() => controlPlane?.end('SIGTERM'));
  // After an interrupt the row still runs on: it must not start anything any more.
  const refuseWhenOver = () => {
    if (opened.disposed) throw new Error('the row is over');
  };
  const startControlPlane = async () => {
    refuseWhenOver();
    const settings = {
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      SECRETS_KEYS: testSecretKey,
      RATE_LIMIT_PER_MINUTE: '10000000',
      RATE_LIMIT_BURST: '10000000',
      LOG_LEVEL: 'warn',
      PAGES_DIR: join(folder, 'pages'),
      ...env,
    };
    const flags = process.env.CONTROL_PLANE_FLAGS?.split(' ') ?? [];
    const started = startProgram('control-plane/main.ts', {
      env: settings,
      logFile: join(folder, 'control-plane.log'),
      execArgv: flags,
    });
    controlPlane = started;
    ({ port } = await started.message<{ type: 'listening'; port: number }>('listening'));
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
    restartDatabase: async () => {
      await postgres.stop();
      refuseWhenOver();
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
