import type { Accepted, Reported } from '#control-plane/monitoring/checks/intake/prepare.ts';
import { blankResult } from '#control-plane/monitoring/checks/record-own.ts';
import { gapsOf, heardUntil } from '#control-plane/monitoring/monitors/heartbeats/away.ts';
import { afterDue, type Due, dueOf, noBeat, readSignal } from '#control-plane/monitoring/monitors/heartbeats/beat.ts';
import { waitOf } from '#control-plane/monitoring/monitors/heartbeats/configure.ts';
import type { Timing } from '#control-plane/monitoring/monitors/heartbeats/expected.ts';
import { resultOfSignal } from '#control-plane/monitoring/signals/receive.ts';
import type { Receiver } from '#control-plane/monitoring/signals/store.ts';
import { judge, stateOf } from './judging.ts';
import { keyOf, type Rows } from './rows.ts';
import type { World } from './world.ts';

/** A success as a front takes it. `draw` distinguishes signals of one millisecond. */
export function successOf(rows: Rows, monitorId: string, draw: number, at: number): Reported {
  const { rules } = stateOf(rows, monitorId);
  const receiver = { monitor_id: monitorId, config_version: rules.configVersion } as Receiver;
  const signal = { type: 'success', exit_code: null, source: 'hb' } as const;
  const reported = resultOfSignal(receiver, { signal, rid: null, latencyMs: null }, null, at);
  return { ...reported, result: { ...reported.result, attempt: draw } };
}

/** Takes what signals say in the transaction that stores them, as `followSignals` does. */
export function followSignals(world: World, rows: Rows, accepted: readonly Accepted[]): readonly Accepted[] {
  return accepted.map(item => {
    const { kind, monitor_id: id, scheduled_at: at } = item.result;
    if (kind !== 'signal') return item;
    const timing = timingOf(world, id);
    const { beat, says } = readSignal(
      rows.beats.get(id)?.beat ?? noBeat,
      timing,
      { type: 'success', at, rid: null },
      [],
    );
    rows.beats.put(id, { beat, dueAt: waitOf(beat, timing).at });
    return { ...item, cast: says === 'late' ? 'late' : 'now' };
  });
}

export function hasDue(rows: Rows, nowMs: number): boolean {
  return rows.beats.values().some(({ dueAt }) => dueAt !== null && dueAt <= nowMs);
}

/** Stores and judges what did not come in time, as `judgeDeadlines` does. */
export function judgeDeadlines(world: World, rows: Rows, nowMs: number, storedUntil: number): void {
  const isHasty = world.mutation === 'deadlines are judged while signals wait';
  const heardMs = isHasty ? nowMs : heardUntil([...rows.attendance.values()], nowMs);
  const untilMs = Math.min(storedUntil, heardMs);
  for (const [id, { beat, dueAt }] of [...rows.beats.entries()]) {
    if (dueAt === null || dueAt > untilMs) continue;
    const timing = timingOf(world, id);
    const since = beat.lastSuccessAt ?? nowMs;
    const isBlind = world.mutation === 'deadlines go on while nobody takes signals';
    const gaps = isBlind ? [] : gapsOf([...rows.attendance.values()], since, nowMs);
    const due = dueOf(beat, timing, gaps, untilMs);
    const after = afterDue(beat, due);
    rows.beats.put(id, { beat: after, dueAt: due.type === 'wait' ? due.at : waitOf(after, timing).at });
    if (due.type === 'missed') miss(world, rows, id, due, nowMs);
  }
}

function miss(world: World, rows: Rows, id: string, due: Extract<Due, { type: 'missed' }>, nowMs: number): void {
  const { rules } = stateOf(rows, id);
  const { intervalMs, timeoutMs, regions, configVersion } = rules;
  const result: Accepted['result'] = {
    ...blankResult,
    monitor_id: id,
    config_version: configVersion,
    kind: 'missed',
    attempt: 1,
    scheduled_at: due.expectedAt,
    started_at: due.deadline,
    completed_at: due.deadline,
    status: 'err',
    error: { code: 'heartbeat_missed', message: '' },
    failure_source: 'target',
    region: 'heartbeat',
    agentId: 'heartbeat',
    receivedAt: nowMs,
  };
  const key = keyOf(result);
  world.note(() => `misses ${id.slice(-1)} at ${(due.deadline - world.startMs) / 1000}`);
  if (rows.results.get(key) !== undefined) return;
  rows.results.put(key, result);
  const version = { projectId: 'proj_1', atMs: 0, regions, intervalMs, timeoutMs, p95: [], warning: null, warnOn: [] };
  judge(rows, [{ result, version, index: 0, isPrivate: false }], nowMs, world.mutation);
}

function timingOf({ scenario }: World, monitorId: string): Timing {
  const plan = scenario.jobs.find(({ monitor }) => monitor.id === monitorId);
  const [intervalSeconds, graceSeconds] = [plan?.monitor.intervalMs ?? 0, plan?.graceMs ?? 0].map(ms => ms / 1000);
  return { cron: null, timezone: 'UTC', maxRunSeconds: null, intervalSeconds, graceSeconds } as Timing;
}
