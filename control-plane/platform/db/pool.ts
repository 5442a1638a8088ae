import pg from 'pg';
import { errorCode } from '#shared/error-code.ts';
import type { Logger } from '#shared/log.ts';
import { parseInstant } from './parse-instant.ts';
import { createServerWatch, type ServerWatch } from './server-watch.ts';
import { SparingPool } from './sparing-pool.ts';

/**
 * One pool for each kind of work, so that none starves another. Row security limits `api` and `reports` to one project.
 */
export type Pools = {
  /** Tokens, rate limits and heartbeats of agents: never queued behind slow work. */
  front: pg.Pool;
  api: pg.Pool;
  /** Reads that may take long, with row security like `api`. */
  reports: pg.Pool;
  /** People, members and sessions, which row security by project does not know. */
  people: pg.Pool;
  /** Storing results and events. */
  ingest: pg.Pool;
  /** Timers, judging, deliveries. */
  background: pg.Pool;
  /** One connection for /readyz, which anybody may ask. */
  health: pg.Pool;
  connectionString: string;
  /** The server that all of them lead to. */
  server: ServerWatch;
  /** Waits for running queries and closes all connections. */
  end(): Promise<void>;
};

type PoolOptions = {
  max: number;
  statementTimeoutMs: number;
  /** For how long a transaction may do nothing. A frozen process keeps its locks for that time. */
  idleTimeoutMs?: number;
  worker: boolean;
  lockTimeoutMs?: number;
};

/** Milliseconds to wait before somebody is told to try again. Tests, whose machines are busy, wait for longer. */
export const waits = {
  /** For a connection. */
  connectMs: 5000,
  /** A request that waits for a lock takes a connection from the others: it is answered with 503 instead. */
  lockMs: 2000,
  /** For the next statement of a transaction. What judging locks must be free again well before an alert would open. */
  idleMs: 5000,
  /** The same, of reports and of work that nobody waits for. */
  longIdleMs: 15_000,
  /** For an answer, after the server should have given the statement up: the connection fell silent. */
  silenceMs: 5000,
};

const timestamptz = 1184;
const int8 = 20;

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === timestamptz) return parseInstant;
    if (oid === int8) return Number;
    return pg.types.getTypeParser(oid, format as 'text');
  },
} as pg.CustomTypesConfig;

/** Creates the pools; connections open when they are first needed. The server shows them under `name`. */
export function createPools(connectionString: string, log: Logger, name = 'upquorum'): Pools {
  const server = createServerWatch();
  const own = { connectionString, application_name: name, onConnect: server.meet };
  const make = (options: PoolOptions) => createPool(own, options, log);
  const { lockMs: lockTimeoutMs, idleMs: idleTimeoutMs } = waits;
  const api = make({ max: 10, statementTimeoutMs: 10_000, idleTimeoutMs, worker: false, lockTimeoutMs });
  const reports = make({ max: 3, statementTimeoutMs: 60_000, worker: false });
  // Results that wait for a monitor's lock hold back those of others: after three tries they are recorded apart. A
  // connection that fell silent is given up within the shortest life of a vote, which is 22 seconds.
  const ingest = make({
    max: 8,
    statementTimeoutMs: 12_000,
    idleTimeoutMs,
    worker: true,
    lockTimeoutMs: 3000,
  });
  const front = make({ max: 4, statementTimeoutMs: 5000, idleTimeoutMs, worker: true });
  const people = make({
    max: 3,
    statementTimeoutMs: 10_000,
    idleTimeoutMs,
    worker: true,
    lockTimeoutMs,
  });
  const background = make({ max: 6, statementTimeoutMs: 60_000, worker: true });
  const health = make({ max: 1, statementTimeoutMs: 2000, worker: true });
  return {
    front,
    api,
    reports,
    people,
    ingest,
    background,
    health,
    connectionString,
    server,
    end: async () => {
      await Promise.all([api, reports, people, ingest, front, background, health].map(pool => pool.end()));
    },
  };
}

/** The settings of each of our connections. `worker` lifts row security, for work that belongs to no project. */
export function connectionOptions(options: Omit<PoolOptions, 'max'>): string {
  const settings = [
    'timezone=UTC',
    `statement_timeout=${options.statementTimeoutMs}`,
    `idle_in_transaction_session_timeout=${options.idleTimeoutMs ?? waits.longIdleMs}`,
  ];
  // Of a compressed day: a batch of late results or a deletion may touch more than TimescaleDB's 100,000 rows.
  if (options.worker) settings.push('app.role=worker', 'timescaledb.max_tuples_decompressed_per_dml_transaction=0');
  if (options.lockTimeoutMs !== undefined) settings.push(`lock_timeout=${options.lockTimeoutMs}`);
  return settings.map(setting => `-c ${setting}`).join(' ');
}

function createPool(own: pg.PoolConfig, options: PoolOptions, log: Logger): pg.Pool {
  const pool = new SparingPool({
    ...own,
    max: options.max,
    options: connectionOptions(options),
    connectionTimeoutMillis: waits.connectMs,
    // The server keeps the statement's limit. On a connection that fell silent only ours ends the wait.
    query_timeout: options.statementTimeoutMs + waits.silenceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    idleTimeoutMillis: 60_000,
    types,
  });
  // Without a handler, an idle client that loses its connection ends the process.
  pool.on('error', error => log.warn({ code: errorCode(error) }, 'database connection lost'));
  // The same for a client in use, between two statements: the next statement reports the loss.
  pool.on('connect', client => client.on('error', () => {}));
  return pool;
}
