import type pg from 'pg';
import type { Logger } from '#shared/log.ts';
import { acceptedAgeMs } from '../checks/accept.ts';
import { type Sql, sqlOf } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { type MonitorState, voteLifetimeMs } from '../monitors/state.ts';
import { findState, lockStates, writeStates } from '../monitors/state-store.ts';
import type { VerdictStages } from './stages.ts';
import {
  listBallots,
  listChanges,
  listFaults,
  listLate,
  listVersions,
  replaceChanges,
  type StoredBallot,
  type StoredVersion,
} from './store.ts';
import {
  addChange,
  advance,
  count,
  type Judged,
  reconfigure,
  requarantine,
  type Standing,
  type VerdictChange,
} from './timeline.ts';
import { toBallot } from './vote.ts';

const batchMax = 50;
const windowMs = 86_400_000;
const againMs = 60_000;

/** All that a stretch of history follows from. */
export type Past = {
  ballots: readonly StoredBallot[];
  versions: readonly StoredVersion[];
  faults: readonly { region: string; since: number; until: number | null }[];
};

/** Computes the history again where results came late. Nothing is opened, resolved or told. */
export class LateReplay {
  readonly #pool: pg.Pool;
  readonly #stages: VerdictStages;
  readonly #log: Logger;
  /** Monitors whose replay failed, and when to try again: one must not hold up the others. */
  readonly #failed = new Map<string, number>();

  constructor(pool: pg.Pool, stages: VerdictStages, log: Logger) {
    this.#pool = pool;
    this.#stages = stages;
    this.#log = log;
  }

  /** One round over monitors with late results. Returns how many were done. */
  async run(nowMs: number): Promise<number> {
    for (const [id, dueMs] of this.#failed) if (dueMs <= nowMs) this.#failed.delete(id);
    const ids = await listLate(sqlOf(this.#pool), [...this.#failed.keys()], batchMax);
    let done = 0;
    for (const id of ids) {
      try {
        if (await replayMonitor(this.#pool, this.#stages, id, nowMs)) done++;
      } catch (error) {
        this.#failed.set(id, nowMs + againMs);
        this.#log.error({ err: error, monitor: id }, 'a late history could not be computed, it will be tried again');
      }
    }
    return done;
  }
}

/** Reads and computes without the lock, which results wait for, and writes only if nothing moved meanwhile. */
async function replayMonitor(pool: pg.Pool, stages: VerdictStages, monitorId: string, nowMs: number): Promise<boolean> {
  const sql = sqlOf(pool);
  const state = await findState(sql, monitorId);
  if (state === null || state.replayFrom === null) return false;
  const versions = await listVersions(sql, monitorId);
  const from = Math.max(state.replayFrom, nowMs - acceptedAgeMs, versions[0]?.at ?? nowMs);
  const longest = Math.max(
    ...versions.map(version => voteLifetimeMs(version.rules.intervalMs, version.rules.timeoutMs)),
  );
  const regions = [...new Set(versions.flatMap(version => version.rules.regions))];
  const before = await listChanges(sql, monitorId, from, nowMs + 1);
  const past = { versions, faults: await listFaults(sql, regions, from - longest) };
  const rows = settle(await replayInWindows(sql, monitorId, before, past, from - longest, from, nowMs), state);
  return transaction(pool, async tx => {
    const [locked] = await lockStates(tx, [monitorId]);
    if (locked === undefined || !isUnmoved(locked, state)) return false;
    const unchanged = rows.findIndex(
      (row, place) => row.since !== before[place]?.since || row.verdict !== before[place]?.verdict,
    );
    const firstMoved = unchanged < 0 ? from : Math.min(from, rows[unchanged]?.since ?? from);
    await replaceChanges(tx, locked, firstMoved, rows);
    await writeStates(tx, [{ ...locked, since: rows.at(-1)?.since ?? locked.since, replayFrom: null }]);
    await stages.historyMoved(tx, monitorId, before, rows);
    return true;
  });
}

/** Votes go on changing while a replay computes; only what it builds on must have stayed. */
function isUnmoved(locked: MonitorState, read: MonitorState): boolean {
  return (
    locked.replayFrom === read.replayFrom &&
    locked.verdict === read.verdict &&
    locked.since === read.since &&
    locked.rules.configVersion === read.rules.configVersion
  );
}

/** A day at a time, so that a month of many regions needs no more memory than a day of them. */
async function replayInWindows(
  sql: Sql,
  monitorId: string,
  before: readonly VerdictChange[],
  past: Omit<Past, 'ballots'>,
  warmUp: number,
  from: number,
  untilMs: number,
): Promise<VerdictChange[]> {
  let progress = beginReplay(before, past, warmUp, from);
  for (let start = warmUp; start < untilMs && progress !== null; start += windowMs) {
    const end = Math.min(start + windowMs, untilMs);
    progress = replayWindow(progress, { ...past, ballots: await listBallots(sql, monitorId, start, end) }, start, end);
  }
  return progress === null ? [...before] : endReplay(progress, untilMs);
}

/** Where a replay stands between two windows. */
type Progress = {
  inForce: VerdictChange | undefined;
  from: number;
  rows: VerdictChange[];
  standing: Standing;
  quarantined: ReadonlySet<string>;
  warm: boolean;
};

/**
 * Pure: the rows from the one in force at `from` until `untilMs`. Votes are first gathered from `warmUp`, one lifetime
 * earlier, so that at `from` every vote that counted then is known; rows before `from` stand as they are.
 */
export function replayHistory(
  before: readonly VerdictChange[],
  past: Past,
  warmUp: number,
  from: number,
  untilMs: number,
): VerdictChange[] {
  const progress = beginReplay(before, past, warmUp, from);
  return progress === null ? [...before] : endReplay(replayWindow(progress, past, warmUp, untilMs), untilMs);
}

/** Null when nothing is known of that time: then the rows there are stay. */
function beginReplay(
  before: readonly VerdictChange[],
  past: Omit<Past, 'ballots'>,
  warmUp: number,
  from: number,
): Progress | null {
  const inForce = before.findLast(row => row.since <= from);
  const standing = initialStanding(past.versions, warmUp);
  if (standing === null || (inForce === undefined && before.length > 0)) return null;
  const quarantined = new Set(past.faults.filter(fault => fault.since <= warmUp).map(fault => fault.region));
  return { inForce, from, rows: inForce === undefined ? [] : [inForce], standing, quarantined, warm: false };
}

function replayWindow(progress: Progress, past: Past, startMs: number, endMs: number): Progress {
  const { inForce, from } = progress;
  let { rows, standing, quarantined, warm } = progress;
  for (const event of eventsOf(past, startMs, endMs)) {
    if (!warm && event.at >= from) {
      warm = true;
      if (inForce !== undefined) standing = { ...standing, verdict: inForce.verdict, since: inForce.since };
    }
    const judged = event.apply(standing, quarantined);
    standing = judged.standing;
    quarantined = judged.quarantined ?? quarantined;
    if (warm) for (const change of judged.changes) rows = addChange(rows, change);
  }
  return { inForce, from, rows, standing, quarantined, warm };
}

/** Votes that ran out after the last event ran out. */
function endReplay({ rows, standing, quarantined, warm }: Progress, untilMs: number): VerdictChange[] {
  if (!warm) return rows;
  return advance(standing, untilMs, quarantined).changes.reduce<VerdictChange[]>(addChange, rows);
}

/** The present is what live judging says; a history that ends otherwise is continued by it, after what was computed. */
function settle(rows: readonly VerdictChange[], state: MonitorState): VerdictChange[] {
  const last = rows.at(-1);
  if (last?.verdict === state.verdict) return [...rows];
  const since = Math.max(state.since, (last?.since ?? 0) + 1);
  return [...rows, { since, verdict: state.verdict, votes: {}, configVersion: state.rules.configVersion }];
}

type HistoryEvent = {
  at: number;
  apply(standing: Standing, quarantined: ReadonlySet<string>): Judged & { quarantined?: ReadonlySet<string> };
};

function initialStanding(versions: readonly StoredVersion[], atMs: number): Standing | null {
  const version = versions.findLast(candidate => candidate.at <= atMs) ?? versions[0];
  if (version === undefined) return null;
  const floor = versions.findLast(candidate => candidate.at <= atMs && candidate.movesFloor)?.at ?? version.at;
  return { rules: version.rules, verdict: 'undetermined', since: floor, floor, votes: {} };
}

/** What happened in (start, end], in order; of one instant rules and faults come first. */
function eventsOf(past: Past, startMs: number, endMs: number): HistoryEvent[] {
  const byVersion = new Map(past.versions.map(version => [version.rules.configVersion, version.rules]));
  const ballots = past.ballots.map(
    (ballot): HistoryEvent => ({
      at: Math.min(ballot.completed_at, ballot.received_at),
      apply: (standing, quarantined) => applyBallot(standing, ballot, byVersion, quarantined),
    }),
  );
  const versions = past.versions.map(
    (version): HistoryEvent => ({
      at: version.at,
      apply: (standing, quarantined) => reconfigure(standing, { ...version, atMs: version.at }, quarantined),
    }),
  );
  const changes = [...versions, ...past.faults.flatMap(faultEvents)].filter(
    event => event.at > startMs && event.at <= endMs,
  );
  return [...changes, ...ballots].sort((left, right) => left.at - right.at);
}

function applyBallot(
  standing: Standing,
  ballot: StoredBallot,
  byVersion: ReadonlyMap<number, Standing['rules']>,
  quarantined: ReadonlySet<string>,
): Judged {
  const rules = byVersion.get(ballot.config_version);
  if (rules === undefined || ballot.config_version !== standing.rules.configVersion) return { standing, changes: [] };
  const seen = {
    region: ballot.region,
    status: ballot.status,
    failureSource: ballot.failure_source,
    attempt: ballot.attempt,
    startedAt: ballot.started_at,
    completedAt: ballot.completed_at,
    receivedAt: ballot.received_at,
  };
  return count(standing, toBallot(seen, voteLifetimeMs(rules.intervalMs, rules.timeoutMs)), quarantined);
}

function faultEvents(fault: Past['faults'][number]): HistoryEvent[] {
  const change = (at: number, move: (regions: Set<string>) => void): HistoryEvent => ({
    at,
    apply: (standing, quarantined) => {
      const after = new Set(quarantined);
      move(after);
      return { ...requarantine(standing, at, quarantined, after), quarantined: after };
    },
  });
  const events = [change(fault.since, regions => regions.add(fault.region))];
  return fault.until === null ? events : [...events, change(fault.until, regions => regions.delete(fault.region))];
}
