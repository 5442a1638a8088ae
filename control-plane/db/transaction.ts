import type pg from 'pg';
import { classifyFault } from './errors.ts';
import { type Sql, sqlOf } from './sql.ts';

const attemptsMax = 5;

/**
 * Runs `work` in one transaction and repeats it whole on a deadlock or a serialisation failure.
 * With `project`, row security shows and takes only that project's rows.
 */
export async function transaction<Result>(
  pool: pg.Pool,
  work: (sql: Sql) => Promise<Result>,
  project: string | null = null,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(pool, work, project);
    } catch (error) {
      if ((classifyFault(error) !== 'retry' && !isStalePlan(error)) || attempt >= attemptsMax) throw error;
    }
  }
}

async function runOnce<Result>(
  pool: pg.Pool,
  work: (sql: Sql) => Promise<Result>,
  project: string | null,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin(project));
    const result = await work(sqlOf(client));
    await client.query('commit');
    return result;
  } catch (error) {
    broken = (await rollBack(client)) ?? (isStalePlan(error) ? (error as Error) : undefined);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** One round trip; the project is an id of ours, checked because a `begin` takes no parameters. */
function begin(project: string | null): string {
  if (project === null) return 'begin';
  if (!/^[a-z0-9_]+$/.test(project)) throw new Error('a project id has only letters, digits and _');
  return `begin; set local app.project = '${project}'`;
}

async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** A newer version migrated a table while this connection held a statement prepared on it: a fresh connection knows the new one. */
function isStalePlan(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === '0A000' && (message ?? '').includes('cached plan');
}
