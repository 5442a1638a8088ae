import pg from 'pg';
import { secondMs } from '#shared/duration.ts';
import { errorCode } from '#shared/error-code.ts';
import { isLockTimeout } from '../errors.ts';
import { requireWorkerSession } from '../session.ts';
import { sqlOf } from '../sql.ts';

const lockKey = 7_263_001;
/** A change of a table waits so long for its readers, and everybody who uses the table waits behind it. */
const lockTimeout = '5s';

/** A host that vanishes keeps the schema's lock until the server notices: after a minute, instead of hours. */
const keepAlives = '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

/**
 * Runs `work` on a connection of its own, with the rights of a worker, while nobody else changes the schema. Throws
 * after `waitMs` if somebody else does; for `waitForDatabase` that is a reason to report it and to try again.
 */
export function withSchemaLock<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
  waitMs = 30 * secondMs,
): Promise<Result> {
  return withSession(connectionString, async client => {
    await takeLock(client, waitMs);
    await client.query(`set lock_timeout = '${lockTimeout}'`);
    return await work(client);
  });
}

async function takeLock(client: pg.Client, waitMs: number): Promise<void> {
  await client.query(`set lock_timeout = ${waitMs}`);
  try {
    await client.query(`select pg_advisory_lock(${lockKey})`);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    const reason = 'another program is migrating or restoring this database: gave up waiting for it';
    throw Object.assign(new Error(reason, { cause: error }), { code: errorCode(error) });
  }
}

/** Runs `work` on a connection of its own, with the rights of a worker, for as long as it takes. */
export async function withSession<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString,
    options: `-c app.role=worker -c timezone=UTC -c datestyle=ISO ${keepAlives}`,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'upquorum schema',
  });
  client.on('error', () => {});
  await client.connect();
  try {
    await requireWorkerSession(sqlOf(client));
    return await work(client);
  } finally {
    await client.end();
  }
}
