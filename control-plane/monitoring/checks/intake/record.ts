import type pg from 'pg';
import { dayMs } from '#shared/duration.ts';
import type { Confirmation } from '#shared/vocabulary.ts';
import { isUniqueViolation } from '../../../platform/db/errors.ts';
import type { SeriesStore } from '../../../platform/db/series/series.ts';
import { type Sql, sqlOf } from '../../../platform/db/sql.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { transactionByItem } from '../../../platform/failures/by-item.ts';
import type { StateCache } from '../../monitors/state/state-cache.ts';
import type { CheckHooks } from '../hooks.ts';
import { type Accepted, decideP95 } from '../roll-up/decide-p95.ts';
import type { ExpiringSet } from '../roll-up/expiring-set.ts';
import { addToHours } from '../roll-up/hourly-store.ts';
import { countInHours } from '../roll-up/open-hours.ts';
import { forgetLateDays } from '../roll-up/tally-store.ts';
import { addLateToTotals } from '../roll-up/total-store.ts';
import { addFailures } from '../storage/failure-store.ts';
import { insertNew, insertOnce, type NewResult } from '../storage/insert-store.ts';
import type { StoredParts } from '../storage/shape.ts';
import { dayOf, type ShapeBook } from '../storage/shape-book.ts';
import { insertShapes } from '../storage/shape-store.ts';
import type { RefusalReason, VersionRules } from './accept.ts';
import type { AskedChecks } from './asked-checks.ts';
import { findExcess } from './limit-rows.ts';
import { prepareBatch, type Reported } from './prepare.ts';
import type { VersionBook } from './version-book.ts';
import { findVersions } from './version-store.ts';

/** What else commits with the results. */
export type InSameTransaction = (sql: Sql) => Promise<void>;

/** The refusal of each result in order, null if it is stored now or was before; `stored` counts the new ones. */
export type Recorded = { refusals: (RefusalReason | null)[]; stored: number };

export type RecordServices = {
  pool: pg.Pool;
  series: SeriesStore;
  hooks: CheckHooks;
  versions: VersionBook;
  shapes: ShapeBook;
  /** Agents that sent results again lately. */
  repeating: ExpiringSet;
  states: StateCache;
  asked: AskedChecks;
  /** Asks other regions to check at once, after the commit. Must not throw. */
  confirm(confirmations: readonly Confirmation[]): Promise<void>;
};

/**
 * Stores a batch once, judges the new results, and returns after the commit. Throws the database's error; then nothing
 * of the batch is stored.
 */
export async function recordResults(
  services: RecordServices,
  reported: readonly Reported[],
  nowMs: number,
  alongside?: InSameTransaction,
): Promise<Recorded> {
  const versions = await versionsOf(services, reported);
  const { refusals, accepted } = prepareBatch(reported, versions, services.asked, nowMs);
  if (accepted.length === 0) {
    if (alongside !== undefined) await transaction(services.pool, alongside);
    return { refusals, stored: 0 };
  }
  const scheduled = accepted.map(({ result }) => result.scheduled_at);
  await services.series.ensure('check_results', scheduled);
  await services.series.ensure('checks_hourly', scheduled);
  await services.series.ensure('check_shapes', scheduled.map(dayOf));
  const done = await storeOnce(services, accepted, nowMs, alongside);
  services.shapes.remember(done.shapes);
  services.states.keep(done.written, done.ownVersion);
  for (const { index } of done.excess) refusals[index] = 'too_many';
  await services.confirm(done.confirmations);
  return { refusals, stored: done.stored };
}

/**
 * Nearly always all of a batch is new. If part of it is stored already, as after a lost acknowledgement, it is stored
 * again result by result, and for a while that is how results of these agents are stored.
 */
async function storeOnce(
  services: RecordServices,
  accepted: readonly Accepted[],
  nowMs: number,
  alongside?: InSameTransaction,
) {
  const { pool, repeating } = services;
  const inTransaction = (storeResults: Store) =>
    transactionByItem(
      pool,
      async sql => {
        await alongside?.(sql);
        return store(sql, services, accepted, nowMs, storeResults);
      },
      { isFinal: error => storeResults === storeAll && isUniqueViolation(error) },
    );
  const passed = performance.now();
  const agents = new Set(accepted.map(({ result }) => result.agentId));
  const mayRepeat =
    agents.values().some(agent => repeating.has(agent, passed)) ||
    accepted.some(({ result }) => result.scheduled_at < nowMs - dayMs);
  if (mayRepeat) return inTransaction(storeEach);
  try {
    return await inTransaction(storeAll);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return inTransaction(storeEach);
  }
}

/** Stores results and returns the indexes of those that were not stored before. */
type Store = (
  sql: Sql,
  results: readonly NewResult[],
  parts: readonly StoredParts[],
  services: RecordServices,
) => Promise<readonly number[]>;

const storeAll: Store = async (sql, results, parts) => {
  await insertNew(sql, results, parts);
  return [...results.keys()];
};

const storeEach: Store = async (sql, results, parts, { repeating }) => {
  const indexes = await insertOnce(sql, results, parts);
  const isNew = new Set(indexes);
  for (const [index, { agentId }] of results.entries())
    if (!isNew.has(index)) repeating.add(agentId, performance.now());
  return indexes;
};

async function store(
  sql: Sql,
  services: RecordServices,
  accepted: readonly Accepted[],
  nowMs: number,
  storeResults: Store,
) {
  const monitorIds = new Set(accepted.map(({ result }) => result.monitor_id));
  const { states, ownVersion } = await services.states.lock(sql, [...monitorIds]);
  const excess = await findExcess(sql, states, accepted);
  const decided = await decideP95(sql, excess.size === 0 ? accepted : accepted.filter(item => !excess.has(item)));
  const results = decided.map(({ result }) => result);
  const { parts, shapes } = services.shapes.divide(results);
  await insertShapes(sql, shapes);
  const indexes = await storeResults(sql, results, parts, services);
  const fresh = indexes.length === decided.length ? decided : indexes.flatMap(index => decided[index] ?? []);
  const counted = fresh.map(({ result }) => result);
  const hours = countInHours(states, counted);
  await addToHours(sql, hours.cells);
  await addFailures(sql, counted);
  await addLateToTotals(sql, counted, nowMs);
  // Also the days of hours that were open until now: version 0.7.4 may have kept them without.
  const closed = hours.cells.map(cell => ({ monitor_id: cell.monitorId, scheduled_at: cell.hour }));
  await forgetLateDays(sql, [...results, ...closed], nowMs);
  const judged = await services.hooks.recorded(sql, hours.states, fresh, nowMs);
  return { ...judged, stored: fresh.length, excess, shapes, ownVersion };
}

/** The version of each result, undefined if there is none. */
async function versionsOf(
  { pool, versions }: RecordServices,
  reported: readonly Reported[],
): Promise<(VersionRules | undefined)[]> {
  const find = ({ result }: Reported) => versions.get(result.monitor_id, result.config_version);
  const found = reported.map(find);
  if (!found.includes(undefined)) return found;
  const unknown = new Map<string, readonly [string, number]>();
  for (const [index, { result }] of reported.entries()) {
    const { monitor_id: id, config_version: version } = result;
    if (found[index] === undefined) unknown.set(`${id} ${version}`, [id, version]);
  }
  versions.makeRoom();
  for (const { monitorId, version, rules } of await findVersions(sqlOf(pool), [...unknown.values()]))
    versions.set(monitorId, version, rules);
  return reported.map((report, index) => found[index] ?? find(report));
}
