import type pg from 'pg';
import { fullJitter } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import { minuteMs, secondMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
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
/** How often a free lane looks for projects while another has a turn that takes long. */
const lookMs = 250;
const retryMs = secondMs;
const retryMaxMs = 5 * minuteMs;

type Turn = { beganMs: number; ended: Promise<void> };
type DispatchOptions = {
  /** No turn begins once it aborts. */
  signal?: AbortSignal;
  /** Called after each commit. */
  committed?: () => void;
};

/**
 * Dispatches due facts to the handler, project by project: each has a turn of a few facts in its order, one commit a
 * turn, and comes again after the others. After a second no project comes again, so that those that came meanwhile have
 * their turn. While a turn takes long, the other lanes look for what has come: a project whose facts are many or slow
 * delays no other. Returns how many facts were claimed, when no turn is under way.
 */
export async function dispatchFacts(
  pool: pg.Pool,
  handler: FactHandler,
  clock: Clock,
  { signal, committed }: DispatchOptions = {},
): Promise<number> {
  const list = () => listProjectsWithFacts(sqlOf(pool), clock.now(), projectsMax);
  const deadlineMs = performance.now() + roundMs;
  const turns = new Map<string | null, Turn>();
  const failures: unknown[] = [];
  const mayGoOn = () => failures.length === 0 && signal?.aborted !== true;
  let projects = await list();
  let lookedMs = performance.now();
  let claimed = 0;
  const take = async (project: string | null): Promise<void> => {
    try {
      const count = await dispatchTurn(pool, project, handler, clock);
      committed?.();
      claimed += count;
      if (count === turnMax && performance.now() < deadlineMs) projects.push(project);
    } catch (error) {
      failures.push(error);
    }
    turns.delete(project);
  };
  for (;;) {
    while (mayGoOn() && turns.size < concurrency && projects.length > 0) {
      const [project = null] = projects.splice(0, 1);
      turns.set(project, { beganMs: performance.now(), ended: take(project) });
    }
    if (turns.size === 0) break;
    await Promise.race([...[...turns.values()].map(({ ended }) => ended), wait(lookMs, { ref: false })]);
    const nowMs = performance.now();
    const isAnyLong = [...turns.values()].some(({ beganMs }) => nowMs - beganMs >= lookMs);
    // Another worker may have its turn with what is found: it would be found again at once.
    if (!isAnyLong || turns.size === concurrency || projects.length > 0 || nowMs - lookedMs < lookMs) continue;
    lookedMs = nowMs;
    if (mayGoOn()) projects = (await list().catch(noneAfter(failures))).filter(project => !turns.has(project));
  }
  if (failures.length > 0) throw failures[0];
  return claimed;
}

function noneAfter(failures: unknown[]): (error: unknown) => [] {
  return error => {
    failures.push(error);
    return [];
  };
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
