import type pg from 'pg';
import { fullJitter } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { Sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import type { StoredFact } from './fact.ts';
import { claimFacts, finishFacts, postponeFact } from './store.ts';

/** What follows a fact, in the transaction that marks it done: both happen or neither. */
export type Follow = (sql: Sql, fact: StoredFact) => Promise<void>;

const batchMax = 100;

/** Takes one batch of due facts and does what follows each. Returns how many were taken. */
export async function followFacts(pool: pg.Pool, follow: Follow, clock: Clock, log: Logger): Promise<number> {
  return transaction(pool, async sql => {
    const facts = await claimFacts(sql, clock.now(), batchMax);
    const done: number[] = [];
    for (const fact of facts) {
      await sql.run('savepoint one_fact');
      try {
        await follow(sql, fact);
        done.push(fact.id);
      } catch (error) {
        await sql.run('rollback to savepoint one_fact');
        const waitMs = 1000 + fullJitter(fact.attempts, 1000, 300_000, Math.random());
        log.error({ err: error, fact: fact.id, kind: fact.kind }, 'following a fact failed, it will be tried again');
        await postponeFact(sql, fact.id, clock.now() + waitMs, (error as Error).message.slice(0, 200));
      }
    }
    if (done.length > 0) await finishFacts(sql, done, clock.now());
    return facts.length;
  });
}
