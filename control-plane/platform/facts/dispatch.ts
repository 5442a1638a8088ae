import type pg from 'pg';
import { fullJitter } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';
import { takeTurns } from '#shared/fairness/take-turns.ts';
import { type Sql, sqlOf } from '../db/sql.ts';
import { transaction, withSavepoint } from '../db/transaction.ts';
import { noteFailureIn } from '../failures/by-item.ts';
import { type Item, mayBeOfOneItem } from '../failures/failure.ts';
import type { StoredFact } from './fact.ts';
import { claimFacts, finishFacts, listProjectsWithFacts, postponeFact } from './store.ts';

/** Reacts to a fact, in the transaction that marks it done: both are committed or neither. */
export type FactHandler = (sql: Sql, fact: StoredFact) => Promise<void>;

/** A turn is short, and commits by itself: what it brings about is visible before the next project has its turn. */
const turnMax = 5;
const projectsMax = 200;
const roundMs = secondMs;
const concurrency = 3;
/** How often projects are listed again while one has a turn that takes long. */
const listAgainMs = 250;
const retryMs = secondMs;
const retryMaxMs = 5 * minuteMs;

type DispatchOptions = {
  /** No turn begins once it aborts. */
  signal?: AbortSignal;
  /** Called after each commit. */
  committed?: () => void;
};

/**
 * Dispatches due facts to the handler, project by project: each has a turn of a few facts in its order, one commit a
 * turn, and comes again after the others. After a second no project comes again, so that those that came meanwhile have
 * their turn. While a turn takes long, the others go to what has come: a project whose facts are many or slow delays no
 * other. Returns how many facts were claimed, when no turn is under way.
 */
export async function dispatchFacts(
  pool: pg.Pool,
  handler: FactHandler,
  clock: Clock,
  { signal, committed }: DispatchOptions = {},
): Promise<number> {
  return takeTurns(
    () => listProjectsWithFacts(sqlOf(pool), clock.now(), projectsMax),
    async project => {
      const count = await dispatchTurn(pool, project, handler, clock);
      committed?.();
      return count;
    },
    { concurrency, turnMax, roundMs, listAgainMs, signal },
  );
}

/**
 * If the handler throws, its changes are rolled back to a savepoint, and the fact is tried again later, after at most
 * five minutes; its neighbours go on.
 */
function dispatchTurn(pool: pg.Pool, projectId: string | null, handler: FactHandler, clock: Clock): Promise<number> {
  return transaction(pool, async sql => {
    const facts = await claimFacts(sql, projectId, clock.now(), turnMax);
    const done: number[] = [];
    for (const fact of facts) {
      try {
        await withSavepoint(sql, () => handler(sql, fact));
        done.push(fact.id);
      } catch (error) {
        const waitMs = retryMs + fullJitter(fact.attempts, retryMs, retryMaxMs, Math.random());
        if (mayBeOfOneItem(error)) await noteFailureIn(sql, pool, itemOf(fact, clock.now()), error);
        await postponeFact(sql, fact.id, clock.now() + waitMs, (error as Error).message.slice(0, 200));
      }
    }
    if (done.length > 0) await finishFacts(sql, done, clock.now());
    return facts.length;
  });
}

function itemOf({ id, kind, projectId }: StoredFact, nowMs: number): Item {
  return { work: 'facts', id: `${kind} ${id}`, projectId, nowMs };
}
