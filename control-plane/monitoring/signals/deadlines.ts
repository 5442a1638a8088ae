import type pg from 'pg';
import type { SeriesStore } from '../../platform/db/series/series.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { attemptAll, transactionByItem } from '../../platform/failures/by-item.ts';
import type { CheckHooks } from '../checks/hooks.ts';
import { blankResult, ensureRoom, type OwnResult, recordOwn } from '../checks/record-own.ts';
import type { NewResult, Inserted as Stored } from '../checks/storage/insert-store.ts';
import type { TemplateDictionary } from '../checks/storage/template-dictionary.ts';
import { attendanceMs, attendedSince, type Gap, gapsOf, heardUntil } from '../monitors/heartbeats/away.ts';
import { afterDue, type Due, dueOf, waitsSince } from '../monitors/heartbeats/beat.ts';
import { waitOf } from '../monitors/heartbeats/configure.ts';
import { listAttendance, listDue, readBeats, type StoredBeat, writeBeats } from '../monitors/heartbeats/store.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { lockStates } from '../monitors/state/state-store.ts';

export type DeadlineServices = {
  pool: pg.Pool;
  series: SeriesStore;
  hooks: CheckHooks;
  templates: TemplateDictionary;
};

const batchMax = 200;
/**
 * Stores and judges what did not come in time. `storedUntil`: all signals that came before are stored. A heartbeat for
 * which that fails delays no other. Returns how many were looked at.
 */
export async function judgeDeadlines(services: DeadlineServices, nowMs: number, storedUntil: number): Promise<number> {
  const { pool, series, templates } = services;
  const heardMs = heardUntil(await listAttendance(sqlOf(pool), nowMs - attendanceMs), nowMs);
  const untilMs = Math.min(storedUntil, heardMs);
  if (untilMs === Number.NEGATIVE_INFINITY) return 0;
  const due = await listDue(sqlOf(pool), nowMs, untilMs, batchMax);
  if (due.length === 0) return 0;
  const slots = [...due.flatMap(({ expected_at: at }) => at ?? []), nowMs];
  await ensureRoom(series, slots);
  const ids = due.map(({ monitor_id: id }) => id).sort();
  const inserted = await transactionByItem(pool, async sql => {
    const states = await lockStates(sql, ids);
    const beats = await readBeats(sql, ids);
    const waits = [...beats.values()].map(({ beat }) => waitsSince(beat));
    const since = attendedSince(Math.min(nowMs, ...waits), nowMs);
    const gaps = gapsOf(await listAttendance(sql, since), since, nowMs);
    const added: Inserted = [];
    const itemOf = ({ monitorId: id, projectId }: MonitorState) =>
      ({ work: 'deadlines', id, projectId, nowMs }) as const;
    await attemptAll(sql, states, itemOf, async some => {
      added.push(...(await judge(sql, services, some, { beats, gaps, nowMs, untilMs })));
    });
    return added;
  });
  templates.remember(inserted);
  return due.length;
}

type Inserted = Stored['templates'][number][];
type Judging = { beats: ReadonlyMap<string, StoredBeat>; gaps: readonly Gap[]; nowMs: number; untilMs: number };

/** Of locked states. Returns what results have in common that was stored for the first time. */
async function judge(
  sql: Sql,
  services: DeadlineServices,
  states: readonly MonitorState[],
  { beats, gaps, nowMs, untilMs }: Judging,
): Promise<Inserted> {
  const changed: Parameters<typeof writeBeats>[1][number][] = [];
  const missed: OwnResult[] = [];
  for (const state of states) {
    const stored = beats.get(state.monitorId);
    if (stored === undefined) continue;
    const { beat, timing } = stored;
    const isJudged = state.rules.enabled && !state.rules.deleted;
    const next: Due = isJudged ? dueOf(beat, timing, gaps, untilMs) : { type: 'wait', at: null };
    const after = afterDue(beat, next);
    const dueAt = next.type === 'wait' ? next.at : waitOf(after, timing).at;
    changed.push({ monitorId: state.monitorId, beat: after, dueAt });
    if (next.type === 'wait') continue;
    missed.push({ state, result: resultOf(state, next, nowMs), cast: 'now' });
  }
  await writeBeats(sql, changed);
  if (missed.length === 0) return [];
  return [...(await recordOwn(sql, services, missed, nowMs))];
}

function resultOf({ monitorId, rules }: MonitorState, due: Exclude<Due, { type: 'wait' }>, nowMs: number): NewResult {
  const { deadline } = due;
  const by = new Date(deadline).toISOString();
  const error =
    due.type === 'missed'
      ? { code: 'heartbeat_missed' as const, message: `no success came by ${by}` }
      : {
          code: 'run_too_long' as const,
          message: `the run that began at ${new Date(due.run.at).toISOString()} goes on`,
        };
  return {
    ...blankResult,
    monitor_id: monitorId,
    config_version: rules.configVersion,
    kind: 'missed',
    attempt: 1,
    scheduled_at: Math.floor(due.type === 'missed' ? due.expectedAt : deadline),
    started_at: Math.floor(deadline),
    completed_at: Math.floor(deadline),
    status: 'err',
    error,
    failure_source: 'target',
    region: 'heartbeat',
    agentId: 'heartbeat',
    receivedAt: Math.floor(nowMs),
  };
}
