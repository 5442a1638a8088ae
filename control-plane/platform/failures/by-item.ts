import type pg from 'pg';
import { classifyFault } from '../db/errors.ts';
import { type Sql, sqlOf } from '../db/sql.ts';
import { transaction, withSavepoint } from '../db/transaction.ts';
import { type Item, mayBeOfOneItem } from './failure.ts';
import { type FailureReporter, reporterOf } from './reporter.ts';
import { addFailure } from './store.ts';

const careful = new WeakMap<Sql, FailureReporter>();
/** Transactions that came to a part that items can be attempted in. */
const reached = new WeakSet<Sql>();
const errorMax = 200;

type ByItemOptions = {
  project?: string | null;
  /** Whether the transaction is rolled back: its result only says what would be. */
  undo?: boolean;
  /** Errors that are the caller's to handle. */
  isFinal?(error: unknown): boolean;
};

/**
 * Runs `work` in a transaction. If it fails for a reason that may be one item's, all of it runs again, with each
 * `attempt` in a savepoint, so that an item that fails takes no other along. Without a failure this costs nothing.
 */
export async function transactionByItem<Result>(
  pool: pg.Pool,
  work: (sql: Sql) => Promise<Result>,
  { project = null, undo = false, isFinal = () => false }: ByItemOptions = {},
): Promise<Result> {
  let last: Sql | null = null;
  const workPlainly = (sql: Sql) => {
    last = sql;
    return work(sql);
  };
  try {
    return await transaction(pool, workPlainly, project, undo);
  } catch (error) {
    // What failed before any item was worked on fails again.
    if (last === null || !reached.has(last) || isFinal(error) || !mayBeOfOneItem(error)) throw error;
  }
  const reporter = reporterOf(pool);
  const workCarefully = (sql: Sql) => {
    careful.set(sql, reporter);
    return work(sql);
  };
  return transaction(pool, workCarefully, project, undo);
}

/** Whether items are attempted one by one, because one of them failed. */
export function isCareful(sql: Sql): boolean {
  reached.add(sql);
  return careful.has(sql);
}

/**
 * Does work that has transactions of its own, for one item of a loop outside of them. If it fails, the failure is
 * counted and the loop goes on; false then. Throws if the database is away.
 */
export async function attemptApart(pool: pg.Pool, item: Item, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!mayBeOfOneItem(error) && classifyFault(error) !== 'retry') throw error;
    await noteFailureOf(pool, item, error);
    return false;
  }
}

/** Counts, logs and stores the failure of an item that a loop handled by itself, outside of a transaction. */
export function noteFailureOf(pool: pg.Pool, item: Item, error: unknown): Promise<void> {
  return noteFailureIn(sqlOf(pool), pool, item, error);
}

/** The same in a transaction on a connection of the pool. */
export async function noteFailureIn(sql: Sql, pool: pg.Pool, item: Item, error: unknown): Promise<void> {
  reporterOf(pool).report(item, error);
  await addFailure(sql, item, textOf(error));
}

/**
 * Works on one item of a transaction by `transactionByItem`. If that fails when items are attempted one by one, its
 * changes are undone, the failure is counted, and `otherwise` takes its place. What is final ends the transaction.
 */
export async function attempt<Result>(
  sql: Sql,
  item: Item,
  work: () => Promise<Result>,
  otherwise: () => Promise<Result> | Result,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<Result> {
  reached.add(sql);
  const reporter = careful.get(sql);
  if (reporter === undefined) return work();
  try {
    return await withSavepoint(sql, work);
  } catch (error) {
    if (isFinal(error) || !mayBeOfOneItem(error)) throw error;
    reporter.report(item, error);
    await noteFailure(sql, item, error);
    return otherwise();
  }
}

/**
 * Works on all items at once. Where that failed for one of them, on each by itself: those that fail again are left out
 * of what is returned.
 */
export async function attemptAll<Subject>(
  sql: Sql,
  subjects: readonly Subject[],
  itemOf: (subject: Subject) => Item,
  work: (subjects: readonly Subject[]) => Promise<unknown>,
): Promise<readonly Subject[]> {
  if (!isCareful(sql)) {
    if (subjects.length > 0) await work(subjects);
    return subjects;
  }
  const done: Subject[] = [];
  for (const subject of subjects) {
    const succeed = () => work([subject]).then(() => true);
    if (await attempt(sql, itemOf(subject), succeed, () => false)) done.push(subject);
  }
  return done;
}

/** What fails again and again is shown to the operator. That it cannot be stored must take no neighbour along. */
async function noteFailure(sql: Sql, item: Item, error: unknown): Promise<void> {
  await withSavepoint(sql, () => addFailure(sql, item, textOf(error))).catch(failure => {
    if (!mayBeOfOneItem(failure)) throw failure;
  });
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, errorMax);
}
