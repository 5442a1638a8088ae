import type pg from 'pg';
import { dayMs, dayOf, hourMs } from '#shared/duration.ts';
import { takeTurns } from '#shared/fairness/take-turns.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { attemptApart } from '../../platform/failures/by-item.ts';
import { findProject } from '../../platform/projects/store.ts';
import { addStored, type CountedType, cellsOf, countedTypes, type Delta, dayCellsOf } from './cell.ts';
import { deleteCells, findCells, listCellsOfArrival, saveCells } from './cell-store.ts';
import { linkDeltas } from './link-deltas.ts';
import { admitNames } from './name-store.ts';
import {
  countHour,
  expandDueDay,
  type HourOfDay,
  listProjectsWithWork,
  lockCells,
  takeDeltas,
  takeRecounts,
} from './queue-store.ts';

const projectsAtOnce = 2;
/** Of one turn: well under a second of work, and a delta has up to 16 KB of users. */
const deltasMax = 1000;
const recountsMax = 12;

/**
 * Counts what was stored into cells, and counts hours again that were asked for: a bounded part of each project's work,
 * projects in turns. Any number of replicas may run it. Returns whether work is left.
 */
export async function rollUpCells(pool: pg.Pool, nowMs: number): Promise<boolean> {
  const withMore = await takeTurns(
    () => listProjectsWithWork(sqlOf(pool), nowMs),
    async projectId => {
      let hasMore = false;
      await attemptApart(pool, { work: 'event-cells', id: projectId, projectId, nowMs }, async () => {
        hasMore = await transaction(pool, sql => rollUpProject(sql, projectId, nowMs));
      });
      return hasMore ? 1 : 0;
    },
    { concurrency: projectsAtOnce, turnMax: 1 },
  );
  return withMore > 0;
}

async function rollUpProject(sql: Sql, projectId: string, nowMs: number): Promise<boolean> {
  const project = await findProject(sql, projectId);
  if (project === null || !(await lockCells(sql, projectId))) return false;
  const recounts = await takeRecounts(sql, projectId, recountsMax);
  const keptFromMs = nowMs - project.event_retention_days * dayMs;
  const kept = recounts.filter(({ arrivedOn }) => Date.parse(arrivedOn) >= keptFromMs);
  for (const hour of kept) await recountHour(sql, projectId, hour);
  await recountDays(sql, projectId, kept);
  const deltas = await takeDeltas(sql, projectId, deltasMax);
  if (deltas.length > 0)
    await addDeltas(sql, projectId, project.link_sessions ? await linkDeltas(sql, projectId, deltas) : deltas);
  const expanded = recounts.length === 0 && (await expandDueDay(sql, projectId, nowMs));
  return expanded || recounts.length > 0 || deltas.length === deltasMax;
}

/** Replaces the cells of an hour whose arrivals of that day are all kept. */
async function recountHour(sql: Sql, projectId: string, { hour, arrivedOn }: HourOfDay): Promise<void> {
  const counted = await countHour(sql, projectId, { hour, arrivedOn });
  const cells = [...cellsOf(counted, await admit(sql, projectId, counted)).values()];
  await deleteCells(sql, projectId, { span: 'hour', fromMs: hour, toMs: hour + hourMs, arrivedOn });
  await saveCells(
    sql,
    projectId,
    cells.filter(({ span }) => span === 'hour'),
  );
}

/** Replaces the cells of the days of these hours by what the cells of all their hours amount to. */
async function recountDays(sql: Sql, projectId: string, hours: readonly HourOfDay[]): Promise<void> {
  const days = new Map(
    hours.map(({ hour, arrivedOn }) => [`${dayOf(hour)} ${arrivedOn}`, { fromMs: dayOf(hour), arrivedOn }]),
  );
  for (const { fromMs, arrivedOn } of days.values()) {
    const range = { fromMs, toMs: fromMs + dayMs, arrivedOn };
    const cells = dayCellsOf(await listCellsOfArrival(sql, projectId, { ...range, span: 'hour' }));
    await deleteCells(sql, projectId, { ...range, span: 'day' });
    await saveCells(sql, projectId, cells);
  }
}

async function addDeltas(sql: Sql, projectId: string, deltas: readonly Delta[]): Promise<void> {
  const cells = cellsOf(deltas, await admit(sql, projectId, deltas));
  addStored(cells, await findCells(sql, projectId, [...cells.values()]));
  await saveCells(sql, projectId, [...cells.values()]);
}

async function admit(
  sql: Sql,
  projectId: string,
  deltas: readonly Delta[],
): Promise<(type: CountedType, name: string) => boolean> {
  const admitted = new Map<CountedType, Set<string>>();
  for (const type of countedTypes) {
    const ofType = deltas.filter(delta => delta.type === type);
    admitted.set(type, ofType.length === 0 ? new Set() : await admitNames(sql, projectId, type, ofType));
  }
  return (type, name) => admitted.get(type)?.has(name) === true;
}
