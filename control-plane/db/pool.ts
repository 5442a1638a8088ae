import pg from 'pg';
import type { Logger } from '#shared/log.ts';

/** One pool a kind of work, so that none starves another. Only `api` is held to a project by row security. */
export type Pools = {
  /** Tokens, rate limits and agents' signs of life: never behind slow work. */
  front: pg.Pool;
  api: pg.Pool;
  /** Reads that may take long, held to a project like `api`. */
  reports: pg.Pool;
  ingest: pg.Pool;
  background: pg.Pool;
  connectionString: string;
  end(): Promise<void>;
};

type PoolOptions = { max: number; statementTimeoutMs: number; worker: boolean };

const timestamptz = 1184;
const int8 = 20;

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === timestamptz) return parseInstant;
    if (oid === int8) return Number;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as pg.CustomTypesConfig;

export function createPools(connectionString: string, log: Logger): Pools {
  const make = (options: PoolOptions) => createPool(connectionString, options, log);
  const api = make({ max: 10, statementTimeoutMs: 10_000, worker: false });
  const reports = make({ max: 3, statementTimeoutMs: 60_000, worker: false });
  const ingest = make({ max: 8, statementTimeoutMs: 30_000, worker: true });
  const front = make({ max: 4, statementTimeoutMs: 5000, worker: true });
  const background = make({ max: 6, statementTimeoutMs: 60_000, worker: true });
  return {
    front,
    api,
    reports,
    ingest,
    background,
    connectionString,
    end: async () => {
      await Promise.all([api.end(), reports.end(), ingest.end(), front.end(), background.end()]);
    },
  };
}

/** Settings every connection of ours carries; `worker` lifts the row policies for work that is nobody's project. */
export function connectionOptions(options: { worker: boolean; statementTimeoutMs: number }): string {
  const settings = [
    'timezone=UTC',
    `statement_timeout=${options.statementTimeoutMs}`,
    'idle_in_transaction_session_timeout=60000',
  ];
  if (options.worker) settings.push('app.role=worker');
  return settings.map(setting => `-c ${setting}`).join(' ');
}

function createPool(connectionString: string, options: PoolOptions, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: options.max,
    options: connectionOptions(options),
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
    application_name: 'upquorum',
    types,
  });
  // Without a handler an idle client that loses its server ends the process.
  pool.on('error', error => log.warn({ code: (error as { code?: string }).code }, 'database connection lost'));
  // Nor may one in use that loses it between two statements: the next statement reports it.
  pool.on('connect', client => client.on('error', () => {}));
  return pool;
}

/** PostgreSQL writes UTC instants as `2026-11-20 10:00:00.123+00`. */
function parseInstant(text: string): number {
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace(/\+00$/, 'Z')}`);
}
