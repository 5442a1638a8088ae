import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import { hourMs, minuteMs, secondMs } from '#shared/duration.ts';
import { takeTurns } from '#shared/fairness/take-turns.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { noteFailureOf } from '../../platform/failures/by-item.ts';
import { mayBeOfOneItem } from '../../platform/failures/failure.ts';
import { acceptedAgeMs } from '../checks/intake/accept.ts';
import { findState, lockStates, writeStates } from '../monitors/state/state-store.ts';
import {
  adoptVotes,
  beginReplay,
  disputedFrom,
  endReplay,
  isUnchanged,
  type Replayed,
  replayEvents,
  replaySpan,
  settle,
  unmovedRows,
} from './history.ts';
import { eventsOf, mergeFaults, type Past } from './history-event.ts';
import type { VerdictHooks } from './hooks.ts';
import { withSweep } from './judge.ts';
import { type LateMonitor, listLate } from './late-store.ts';
import { listFaults, readQuarantines } from './region-fault-store.ts';
import { compareRows, type RowChanges } from './row-changes.ts';
import { listChanges, listObservations, listVersions, replaceChanges } from './store.ts';
import type { VerdictChange } from './timeline.ts';

const batchMax = 50;
const windowMs = 6 * hourMs;
/** Some 20 ms of work: between two slices the process turns to what waits. */
const sliceEvents = 2000;
const retryMs = minuteMs;
const disputedMs = 10 * secondMs;

/** Recomputes the history of monitors with late results. Opens and resolves no alert, and sends no notification. */
export class LateReplay {
  readonly #pool: pg.Pool;
  readonly #hooks: VerdictHooks;
  /** Monitors that are replayed again, with the time of that, so that one cannot block the others. */
  readonly #postponed = new Map<string, number>();
  /** The last project that had its turn. */
  #turn = '';

  constructor(pool: pg.Pool, hooks: VerdictHooks) {
    this.#pool = pool;
    this.#hooks = hooks;
  }

  /**
   * Replays one monitor of each project, of up to 50 projects in turn, and returns how many it finished. A failed one
   * is retried after a minute.
   */
  async run(now: () => number): Promise<number> {
    const startMs = now();
    for (const [id, dueMs] of this.#postponed) if (dueMs <= startMs) this.#postponed.delete(id);
    return takeTurns(
      () => this.#nextProjects(),
      async late => ((await this.#replay(late, now)) ? 1 : 0),
      { concurrency: 1, turnMax: 1 },
    );
  }

  /** A late monitor of each. */
  async #nextProjects(): Promise<LateMonitor[]> {
    const late = await listLate(sqlOf(this.#pool), this.#turn, [...this.#postponed.keys()], batchMax);
    this.#turn = late.length < batchMax ? '' : (late.at(-1)?.project_id ?? '');
    return late;
  }

  async #replay({ monitor_id: id, project_id: projectId }: LateMonitor, now: () => number): Promise<boolean> {
    try {
      const outcome = await replayMonitor(this.#pool, this.#hooks, id, now);
      if (outcome === 'disputed') this.#postponed.set(id, now() + disputedMs);
      return outcome === 'written';
    } catch (error) {
      this.#postponed.set(id, now() + retryMs);
      if (!mayBeOfOneItem(error)) throw error;
      await noteFailureOf(this.#pool, { work: 'replay', id, projectId, nowMs: now() }, error);
      return false;
    }
  }
}

/**
 * Reads and computes without the row lock, which results wait for; writes only if nothing it builds on changed. A
 * history whose end live judging disputes is computed again when that has caught up.
 */
async function replayMonitor(
  pool: pg.Pool,
  hooks: VerdictHooks,
  monitorId: string,
  now: () => number,
): Promise<'written' | 'disputed' | 'none'> {
  const sql = sqlOf(pool);
  const state = await findState(sql, monitorId);
  if (state === null || state.replayFrom === null) return 'none';
  // Not before the state was read: rows that live judging wrote until then are replaced, and would be lost.
  const nowMs = Math.max(now(), state.since);
  const versions = await listVersions(sql, monitorId);
  const { from, warmUpFrom } = replaySpan(state.replayFrom, versions, nowMs - acceptedAgeMs, nowMs);
  const regions = [...new Set(versions.flatMap(version => version.rules.regions))];
  const [inForce] = await listChanges(sql, monitorId, from - 1, from);
  // With the row before: what replaces the one in force may join it.
  const listed = Math.min(warmUpFrom, (inForce?.since ?? from) - 1);
  const before = await listChanges(sql, monitorId, listed, nowMs + 1);
  const past = { versions, faults: mergeFaults(await listFaults(sql, state.projectId, regions, warmUpFrom)) };
  const replayed = await replayInWindows(sql, monitorId, before, past, warmUpFrom, from, nowMs);
  const rows = settle(replayed.rows, state, before.at(-1));
  const replayFrom = disputedFrom(replayed.rows, state);
  const portions = await compareInTurns(before, rows);
  return transaction(pool, async tx => {
    const [locked] = await lockStates(tx, [monitorId]);
    if (locked === undefined || !isUnchanged(locked, state)) return 'none';
    for (const changes of portions) await replaceChanges(tx, locked, changes);
    const quarantined = (await readQuarantines(tx)).of(state.projectId);
    const votes = adoptVotes(locked, state, replayed.end, quarantined, nowMs);
    await writeStates(tx, [withSweep({ ...locked, votes, since: rows.at(-1)?.since ?? locked.since, replayFrom })]);
    const unmoved = unmovedRows(before, rows, from);
    await hooks.historyMoved(tx, monitorId, before.slice(unmoved), rows.slice(unmoved));
    return replayFrom === null ? 'written' : 'disputed';
  });
}

/** Without the lock, too: a month of a monitor that flaps has a quarter of a million rows, and few of them change. */
async function compareInTurns(
  before: readonly VerdictChange[],
  rows: readonly VerdictChange[],
): Promise<readonly RowChanges[]> {
  const portions: RowChanges[] = [];
  for (const changes of compareRows(before, rows)) {
    if (changes.gone.length + changes.added.length > 0) portions.push(changes);
    await setImmediate();
  }
  return portions;
}

/** Six hours at a time, so that memory stays that of their results for a month of many regions. */
async function replayInWindows(
  sql: Sql,
  monitorId: string,
  before: readonly VerdictChange[],
  past: Omit<Past, 'observations'>,
  warmUpFrom: number,
  from: number,
  untilMs: number,
): Promise<Replayed> {
  let progress = beginReplay(before, past, warmUpFrom, from);
  for (let start = warmUpFrom; start < untilMs && progress !== null; start += windowMs) {
    const end = Math.min(start + windowMs, untilMs);
    const observations = await listObservations(sql, monitorId, start, end);
    const events = eventsOf({ ...past, observations }, start, end);
    for (let index = 0; index < events.length; index += sliceEvents) {
      progress = replayEvents(progress, events.slice(index, index + sliceEvents));
      await setImmediate();
    }
  }
  return progress === null ? { rows: [...before], end: null } : endReplay(progress, untilMs);
}
