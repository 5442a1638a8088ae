import pg from 'pg';
import { requireWorkerSession } from './session.ts';
import { sqlOf } from './sql.ts';

const lockKey = 7_263_001;
/** A change of a table waits so long for its readers, and everybody who uses the table waits behind it. */
const lockTimeout = '5s';

/** Runs `work` on a connection of its own, with the rights of a worker, while nobody else changes the schema. */
export function withSchemaLock<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  return withSession(connectionString, async client => {
    await client.query(`select pg_advisory_lock(${lockKey})`);
    await client.query(`set lock_timeout = '${lockTimeout}'`);
    return await work(client);
  });
}

/** Runs `work` on a connection of its own, with the rights of a worker, for as long as it takes. */
export async function withSession<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString,
    options: '-c app.role=worker -c timezone=UTC -c datestyle=ISO',
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
