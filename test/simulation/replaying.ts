import { acceptedAgeMs } from '#control-plane/checks/accept.ts';
import type { MonitorState } from '#control-plane/monitors/state.ts';
import {
  disputedFrom,
  firstChange,
  isUnchanged,
  replayHistory,
  replaySpan,
  settle,
} from '#control-plane/verdicts/history.ts';
import type { StoredObservation } from '#control-plane/verdicts/store.ts';
import type { VerdictChange } from '#control-plane/verdicts/timeline.ts';
import { followMovedRows } from './alerting.ts';
import { stateOf } from './judging.ts';
import type { Process } from './process.ts';
import type { Rows } from './rows.ts';
import type { World } from './world.ts';

type Replay = {
  state: MonitorState;
  before: readonly VerdictChange[];
  after: VerdictChange[];
  from: number;
  replayFrom: number | null;
};

/** The second pass for late results, as `LateReplay` does it: it reads without a lock, then writes with one. */
export async function replayLate(world: World, process: Process, nowMs: number): Promise<void> {
  const { database, mutation } = world;
  if (mutation === 'no replay of late results') return;
  const late = [...database.rows.states.values()].filter(({ replayFrom }) => replayFrom !== null);
  for (const { monitorId } of late) {
    const replay = await database.transact(process, rows => read(rows, monitorId, nowMs));
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
  const past = { versions, faults: [], observations: observationsOf(rows, monitorId, 0, untilMs) };
  return replayHistory([], past, from, from, untilMs);
}

function read(rows: Rows, monitorId: string, nowMs: number): Replay | null {
  const state = stateOf(rows, monitorId);
  if (state.replayFrom === null) return null;
  const versions = versionsOf(rows, monitorId);
  const { from, warmUpFrom } = replaySpan(state.replayFrom, versions, nowMs - acceptedAgeMs, nowMs);
  const history = rows.changes.get(monitorId) ?? [];
  const inForce = history.findLastIndex(({ since }) => since <= from);
  const before = history.slice(Math.max(0, inForce)).filter(({ since }) => since <= nowMs);
  const observations = observationsOf(rows, monitorId, warmUpFrom, nowMs);
  const replayed = replayHistory(before, { versions, faults: [], observations }, warmUpFrom, from, nowMs);
  return { state, before, after: settle(replayed, state), from, replayFrom: disputedFrom(replayed, state) };
}

function write(rows: Rows, { state, before, after, from, replayFrom }: Replay, isBlind: boolean): void {
  const locked = stateOf(rows, state.monitorId);
  if (!isBlind && !isUnchanged(locked, state)) return;
  const first = firstChange(before, after, from);
  const kept = (rows.changes.get(state.monitorId) ?? []).filter(({ since }) => since < first);
  rows.changes.put(state.monitorId, [...kept, ...after.filter(({ since }) => since >= first)]);
  rows.states.put(state.monitorId, { ...locked, since: after.at(-1)?.since ?? locked.since, replayFrom });
  followMovedRows(rows, state.monitorId, before, after);
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
