import type pg from 'pg';
import { classifyFault, isSilence } from './errors.ts';

/** Limits every wait for a lock in the transaction to a second. */
export const lockTimeoutSql = "set local lock_timeout = '1s'";

/**
 * Runs `work` in a transaction that waits at most a second for a lock: everybody who uses a table queues behind a
 * change of it that waits.
 */
export async function withLockTimeout(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`begin; ${lockTimeoutSql}`);
    await work(client);
    await client.query('commit');
  } catch (error) {
    if (isSilence(error)) broken = error as Error;
    else
      await client.query('rollback').catch(failure => {
        broken = failure as Error;
      });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * Runs a statement with the lock timeout and names its rows. Empty if a lock was not granted: the next clean-up tries
 * again.
 */
export async function runUnlessLocked(
  pool: pg.Pool,
  statement: string,
  namesOf: (rows: Record<string, unknown>[]) => string[],
): Promise<string[]> {
  let names: string[] = [];
  await tryUnlessLocked(() =>
    withLockTimeout(pool, async client => {
      names = namesOf((await client.query(statement)).rows);
    }),
  );
  return names;
}

/** False if `work` failed because a lock was not granted, or the server is away. */
export async function tryUnlessLocked(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (classifyFault(error) !== 'away') throw error;
    return false;
  }
}
