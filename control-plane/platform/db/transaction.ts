import type pg from 'pg';
import { errorCode } from '#shared/error-code.ts';
import { wait } from '#shared/wait.ts';
import { classifyFault, isReadOnly, isSilence } from './errors.ts';
import { identifier, type Sql, sqlOf } from './sql.ts';

const commitWork = new WeakMap<Sql, (() => void)[]>();
/** Transactions that will be undone. */
const trials = new WeakSet<Sql>();
/** How many savepoints a transaction is in: each has a name of its own, since none is released. */
const depths = new WeakMap<Sql, number>();
const attemptsMax = 5;
const pauseMs = 20;

/**
 * Runs `work` in a transaction and repeats all of it after a deadlock or a serialisation failure, at most five times in
 * all. With `project`, row security limits reads and writes to that project's rows; with `undo`, it is rolled back.
 */
export async function transaction<Result>(
  pool: pg.Pool,
  work: (sql: Sql) => Promise<Result>,
  project: string | null = null,
  undo = false,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(pool, work, project, undo);
    } catch (error) {
      if ((classifyFault(error) !== 'retry' && !isStalePlan(error)) || attempt >= attemptsMax) throw error;
      // What waited for our locks has them before we ask again.
      await wait(Math.random() * attempt * pauseMs);
    }
  }
}

/**
 * Runs `work` within a transaction. If it throws, its changes are undone, as is what it asked of `afterCommit`; the
 * transaction goes on, and the error is thrown.
 */
export async function withSavepoint<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  const depth = depths.get(sql) ?? 0;
  const name = identifier(`attempt_${depth}`);
  const afterwards = commitWork.get(sql);
  const asked = afterwards?.length ?? 0;
  await sql.run`savepoint ${name}`;
  depths.set(sql, depth + 1);
  try {
    const result = await work();
    // Each that stays makes all that follow slower.
    await sql.run`release savepoint ${name}`;
    return result;
  } catch (error) {
    // The error that counts is the first.
    await sql.run`rollback to savepoint ${name}`.catch(failure => {
      throw isSilence(error) ? error : failure;
    });
    afterwards?.splice(asked);
    throw error;
  } finally {
    depths.set(sql, depth);
  }
}

/** Runs `act` once the transaction has committed, and not if it is rolled back; at once outside of a transaction. */
export function afterCommit(sql: Sql, act: () => void): void {
  const afterwards = commitWork.get(sql);
  if (afterwards === undefined) act();
  else afterwards.push(act);
}

/** Whether the transaction will be rolled back on purpose: what leaves it must not happen. */
export function isTrial(sql: Sql): boolean {
  return trials.has(sql);
}

async function runOnce<Result>(
  pool: pg.Pool,
  work: (sql: Sql) => Promise<Result>,
  project: string | null,
  undo: boolean,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin(project));
    const sql = sqlOf(client);
    const afterwards: (() => void)[] = [];
    commitWork.set(sql, afterwards);
    if (undo) trials.add(sql);
    const result = await work(sql);
    await client.query(undo ? 'rollback' : 'commit');
    if (!undo) for (const act of afterwards) act();
    return result;
  } catch (error) {
    const isUnusable = isStalePlan(error) || isSilence(error) || isReadOnly(error);
    broken = isUnusable ? (error as Error) : await rollBack(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

/** In one round trip. The project id is checked here, because `begin` takes no parameters. */
function begin(project: string | null): string {
  if (project === null) return 'begin';
  if (!/^[a-z0-9_]+$/.test(project)) throw new Error('a project id may contain only letters, digits and _');
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

/** A newer version migrated a table that a prepared statement of this connection reads. A new connection helps. */
function isStalePlan(error: unknown): boolean {
  return errorCode(error) === '0A000' && error instanceof Error && error.message.includes('cached plan');
}
