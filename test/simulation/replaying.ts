import { acceptedAgeMs } from '#control-plane/monitoring/checks/intake/accept.ts';
import type { MonitorState } from '#control-plane/monitoring/monitors/state/state.ts';
import {
  adoptVotes,
  disputedFrom,
  isUnchanged,
  type Replayed,
  replayHistory,
  replaySpan,
  settle,
  unmovedRows,
} from '#control-plane/monitoring/verdicts/history.ts';
import { mergeFaults } from '#control-plane/monitoring/verdicts/history-event.ts';
import { withSweep } from '#control-plane/monitoring/verdicts/judge.ts';
import { compareRows } from '#control-plane/monitoring/verdicts/row-changes.ts';
import type { StoredObservation } from '#control-plane/monitoring/verdicts/store.ts';
import type { VerdictChange } from '#control-plane/monitoring/verdicts/timeline.ts';
import type { Clock } from '#shared/clock.ts';
import { followMovedRows } from './alerting.ts';
import { stateOf } from './judging.ts';
import type { Mutation } from './mutation.ts';
import type { Process } from './process.ts';
import { faultsOf } from './quarantining.ts';
import type { Rows } from './rows.ts';
import type { World } from './world.ts';

type Replay = {
  state: MonitorState;
  before: readonly VerdictChange[];
  after: VerdictChange[];
  from: number;
  replayFrom: number | null;
  end: Replayed['end'];
  nowMs: number;
};

/** The second pass for late results, as `LateReplay` does it: it reads without a lock, then writes with one. */
export async function replayLate(world: World, process: Process, clock: Clock): Promise<void> {
  const { database, mutation } = world;
  if (mutation === 'no replay of late results') return;
  const late = [...database.rows.states.values()].filter(({ replayFrom }) => replayFrom !== null);
  for (const { monitorId } of late) {
    const replay = await database.transact(process, rows => read(rows, monitorId, clock.now(), mutation));
    if (replay === null) continue;
    world.note(
      () => `${process.name} replays monitor ${monitorId.slice(-1)} from ${(replay.from - world.startMs) / 1000}`,
    );
    await process.wait(world.random.between(1, 400));
    await database.transact(process, rows =>
      write(rows, replay, mutation === 'replay does not look whether anything changed'),
    );
  }
}

/** The history of a monitor from all that is stored, without what was judged live. */
export function historyOf(rows: Rows, monitorId: string, untilMs: number): VerdictChange[] {
  const versions = versionsOf(rows, monitorId);
  const from = (versions[0]?.at ?? 0) - 1;
  const faults = mergeFaults(faultsOf(rows, from));
  const past = { versions, faults, observations: observationsOf(rows, monitorId, 0, untilMs) };
  return replayHistory([], past, from, from, untilMs).rows;
}

function read(rows: Rows, monitorId: string, nowMs: number, mutation: Mutation | null): Replay | null {
  const state = stateOf(rows, monitorId);
  if (state.replayFrom === null) return null;
  const versions = versionsOf(rows, monitorId);
  const { from, warmUpFrom } = replaySpan(state.replayFrom, versions, nowMs - acceptedAgeMs, nowMs);
  const history = rows.changes.get(monitorId) ?? [];
  const inForce = history.findLastIndex(({ since }) => since < from);
  const atWarmUp = history.findLastIndex(({ since }) => since <= warmUpFrom);
  const first = Math.min(inForce - 1, atWarmUp);
  const before = history.slice(Math.max(0, first)).filter(({ since }) => since <= nowMs);
  const stored = observationsOf(rows, monitorId, warmUpFrom, nowMs);
  const isKind = mutation === 'replay takes warnings for good';
  const observations = isKind
    ? stored.map(seen => ({ ...seen, status: seen.status === 'warn' ? 'ok' : seen.status }))
    : stored;
  const faults = mutation === 'replay knows no quarantines' ? [] : mergeFaults(faultsOf(rows, warmUpFrom));
  const replayed = replayHistory(before, { versions, faults, observations }, warmUpFrom, from, nowMs);
  return {
    state,
    before,
    after: settle(replayed.rows, state, before.at(-1)),
    from,
    replayFrom: disputedFrom(replayed.rows, state),
    end: replayed.end,
    nowMs,
  };
}

function write(rows: Rows, { state, before, after, from, replayFrom, end, nowMs }: Replay, isBlind: boolean): void {
  const locked = stateOf(rows, state.monitorId);
  if (!isBlind && !isUnchanged(locked, state)) return;
  const changes = [...compareRows(before, after)];
  const gone = new Set(changes.flatMap(change => change.gone));
  const kept = (rows.changes.get(state.monitorId) ?? []).filter(({ since }) => !gone.has(since));
  const history = [...kept, ...changes.flatMap(({ added }) => added)];
  // The key of the table: another process has written the same.
  if (new Set(history.map(({ since }) => since)).size < history.length) throw new Error('duplicate key');
  rows.changes.put(
    state.monitorId,
    history.sort((left, right) => left.since - right.since),
  );
  const votes = adoptVotes(locked, state, end, rows.quarantined, nowMs);
  if (votes !== locked.votes) rows.judgedUnder.put(state.monitorId, rows.quarantined);
  const since = after.at(-1)?.since ?? locked.since;
  rows.states.put(state.monitorId, withSweep({ ...locked, votes, since, replayFrom }));
  const unmoved = unmovedRows(before, after, from);
  followMovedRows(rows, state.monitorId, before.slice(unmoved), after.slice(unmoved));
}

function versionsOf(rows: Rows, monitorId: string) {
  return rows.monitors.get(monitorId)?.versions.map(({ stored }) => stored) ?? [];
}

/** As `listObservations` reads them. */
function observationsOf(rows: Rows, monitorId: string, fromMs: number, untilMs: number): StoredObservation[] {
  const found: StoredObservation[] = [];
  for (const { receivedAt: received_at, ...result } of rows.results.values()) {
    const isOurs = result.monitor_id === monitorId && result.scheduled_at > fromMs - 600_000;
    if (!isOurs || result.completed_at <= fromMs || result.completed_at > untilMs) continue;
    if (result.scheduled_at <= untilMs) found.push({ ...result, received_at });
  }
  return found.sort(
    (left, right) =>
      left.completed_at - right.completed_at ||
      (left.region < right.region ? -1 : left.region > right.region ? 1 : left.attempt - right.attempt),
  );
}
