import type pg from 'pg';
import { minuteMs, secondMs } from '#shared/duration.ts';
import { takeTurns } from '#shared/fairness/take-turns.ts';
import type { SeriesStore } from '../../platform/db/series/series.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { attemptApart } from '../../platform/failures/by-item.ts';
import type { CheckHooks } from '../checks/hooks.ts';
import { blankResult, ensureRoom, recordOwn } from '../checks/record-own.ts';
import type { NewResult } from '../checks/storage/insert-store.ts';
import type { TemplateDictionary } from '../checks/storage/template-dictionary.ts';
import { judgeMeasured, type Measured } from '../monitors/measures/judge.ts';
import { measureAt } from '../monitors/measures/measure.ts';
import type { Meter } from '../monitors/measures/meter.ts';
import { lockStates } from '../monitors/state/state-store.ts';
import { countDue, type Due, listDue } from './store.ts';

export type EvaluationServices = {
  pool: pg.Pool;
  series: SeriesStore;
  hooks: CheckHooks;
  templates: TemplateDictionary;
  meter: Meter;
  /** Until when everything that had arrived is stored. */
  storedUntil(nowMs: number): Promise<number>;
  clock: { now(): number };
};

const dueMax = 1000;
const projectsAtOnce = 2;
/** Of one turn: a count takes up to ten seconds, and two are made against the week before. */
const turnMax = 2;
const roundMs = 30 * secondMs;
/** An instant that waits for longer is late. */
const lateMs = minuteMs;

/** Judges what is due, projects in turns. Any replica may run it: an instant of a monitor is stored once. */
export async function evaluateDue(services: EvaluationServices, signal: AbortSignal): Promise<void> {
  const { pool, clock } = services;
  const nowMs = clock.now();
  const due = Map.groupBy(
    await listDue(sqlOf(pool), await services.storedUntil(nowMs), nowMs, dueMax),
    ({ project_id }) => project_id,
  );
  await takeTurns(
    async () => [...due.keys()],
    async projectId => {
      const some = due.get(projectId)?.splice(0, turnMax) ?? [];
      for (const one of some) {
        const item = { work: 'deadlines', id: one.id, projectId, nowMs } as const;
        await attemptApart(pool, item, () => evaluate(services, one));
      }
      return some.length;
    },
    { concurrency: projectsAtOnce, turnMax, roundMs, signal },
  );
}

/** Instants that are due for longer than they should be. */
export function countLate({ pool, clock }: Pick<EvaluationServices, 'pool' | 'clock'>): Promise<number> {
  return countDue(sqlOf(pool), clock.now() - lateMs, clock.now());
}

async function evaluate(services: EvaluationServices, due: Due): Promise<void> {
  const { pool, series, meter, clock, templates } = services;
  const { id, project_id: projectId, own, at: atMs } = due;
  const nowMs = clock.now();
  const measured = await measureAt(work => transaction(pool, work), meter, { projectId, own, atMs }, nowMs);
  await ensureRoom(series, [atMs]);
  const added = await transaction(pool, async sql => {
    const [state] = await lockStates(sql, [id]);
    if (state === undefined || !state.rules.enabled || state.rules.deleted) return [];
    // What was counted by other settings says nothing now.
    if (state.rules.configVersion !== due.config_version) return [];
    return recordOwn(sql, services, [{ state, result: resultOf(due, measured, nowMs) }], nowMs);
  });
  templates.remember(added);
}

/** Of a new monitor it counts from then on. */
function resultOf(due: Due, measured: Measured, nowMs: number): NewResult {
  const { status, source, assertions } = judgeMeasured(measured, due.own.min_sample, due.assertions);
  const seenAt = Math.max(due.at, due.configured_at);
  return {
    ...blankResult,
    monitor_id: due.id,
    config_version: due.config_version,
    kind: 'evaluated',
    attempt: 1,
    scheduled_at: due.at,
    started_at: seenAt,
    completed_at: seenAt,
    status,
    failure_source: source,
    assertions,
    facts: { measured: measured.facts },
    region: 'events',
    agentId: 'events',
    receivedAt: Math.floor(nowMs),
  };
}
