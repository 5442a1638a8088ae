import type pg from 'pg';
import { fullJitter } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { type Sql, sqlOf } from '../db/sql.ts';
import { transaction, withSavepoint } from '../db/transaction.ts';
import type { StoredFact } from './fact.ts';
import { claimFacts, finishFacts, listProjectsWithFacts, postponeFact } from './store.ts';

/** Reacts to a fact, in the transaction that marks it done: both are committed or neither. */
export type FactHandler = (sql: Sql, fact: StoredFact) => Promise<void>;

/** A turn is short, and commits by itself: what it brings about is visible before the next project has its turn. */
const turnMax = 5;
const projectsMax = 200;
const roundMs = secondMs;
const concurrency = 3;
const retryMs = secondMs;
const retryMaxMs = 5 * minuteMs;

/**
 * Dispatches due facts to the handler, project by project: each has a turn of a few facts in its order, one commit a
 * turn, and comes again after the others. A project whose facts are many or slow delays no other. Ends after a second
 * at the latest, so that projects that came meanwhile have their turn too. Returns how many facts were claimed.
 */
export async function dispatchFacts(pool: pg.Pool, handler: FactHandler, clock: Clock, log: Logger): Promise<number> {
  const projects = await listProjectsWithFacts(sqlOf(pool), clock.now(), projectsMax);
  const deadline = performance.now() + roundMs;
  let claimed = 0;
  const takeTurns = async (): Promise<void> => {
    for (let next = projects.shift(); next !== undefined; next = projects.shift()) {
      const count = await dispatchTurn(pool, next, handler, clock, log);
      claimed += count;
      if (count === turnMax && performance.now() < deadline) projects.push(next);
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: concurrency }, takeTurns));
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  return claimed;
}

/**
 * If the handler throws, its changes are rolled back to a savepoint, and the fact is tried again later, after at most
 * five minutes; its neighbours go on.
 */
function dispatchTurn(
  pool: pg.Pool,
  projectId: string | null,
  handler: FactHandler,
  clock: Clock,
  log: Logger,
): Promise<number> {
  return transaction(pool, async sql => {
    const facts = await claimFacts(sql, projectId, clock.now(), turnMax);
    const done: number[] = [];
    for (const fact of facts) {
      try {
        await withSavepoint(sql, () => handler(sql, fact));
        done.push(fact.id);
      } catch (error) {
        const waitMs = retryMs + fullJitter(fact.attempts, retryMs, retryMaxMs, Math.random());
        log.error({ err: error, fact: fact.id, kind: fact.kind }, 'a fact could not be handled, it will be retried');
        await postponeFact(sql, fact.id, clock.now() + waitMs, (error as Error).message.slice(0, 200));
      }
    }
    if (done.length > 0) await finishFacts(sql, done, clock.now());
    return facts.length;
  });
}
