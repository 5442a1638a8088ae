import type pg from 'pg';
import { dayMs } from '#shared/duration.ts';
import { isUniqueViolation } from '../../../platform/db/errors.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { transactionByItem } from '../../../platform/failures/by-item.ts';
import type { StateCache } from '../../monitors/state/state-cache.ts';
import type { CheckHooks } from '../hooks.ts';
import { addResults } from '../roll-up/add-results.ts';
import type { CountedFailure } from '../roll-up/failure-store.ts';
import { insertResults } from '../storage/insert-store.ts';
import type { TemplateDictionary } from '../storage/template-dictionary.ts';
import { decideChanged } from './decide-changed.ts';
import { decideP95 } from './decide-p95.ts';
import type { ExpiringSet } from './expiring-set.ts';
import { findExcess } from './limit-rows.ts';
import type { Accepted } from './prepare.ts';

export type StoreServices = {
  pool: pg.Pool;
  hooks: CheckHooks;
  templates: TemplateDictionary;
  /** Agents that sent results again lately. */
  repeating: ExpiringSet;
  states: StateCache;
};

/** What else commits with the results. */
export type InSameTransaction = (sql: Sql) => Promise<void>;

/**
 * Stores accepted results, those that are new, rolls them up and judges them, in one transaction. `excess` is what its
 * hour has no room for. Nearly always all of a batch is new. If part of it is stored already, as after a lost
 * acknowledgement, it is stored again result by result, and for a while that is how results of these agents are stored.
 */
export async function storeBatch(
  services: StoreServices,
  accepted: readonly Accepted[],
  nowMs: number,
  alongside?: InSameTransaction,
) {
  const { pool, repeating } = services;
  const commit = (mayRepeat: boolean) =>
    transactionByItem(
      pool,
      async sql => {
        await alongside?.(sql);
        return storeAccepted(sql, services, accepted, nowMs, mayRepeat);
      },
      { isFinal: error => !mayRepeat && isUniqueViolation(error) },
    );
  const passed = performance.now();
  const agents = new Set(accepted.map(({ result }) => result.agentId));
  const mayRepeat =
    agents.values().some(agent => repeating.has(agent, passed)) ||
    accepted.some(({ result }) => result.scheduled_at < nowMs - dayMs);
  if (mayRepeat) return commit(true);
  try {
    return await commit(false);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return commit(true);
  }
}

async function storeAccepted(
  sql: Sql,
  services: StoreServices,
  accepted: readonly Accepted[],
  nowMs: number,
  mayRepeat: boolean,
) {
  const monitorIds = new Set(accepted.map(({ result }) => result.monitor_id));
  const { states, ownVersion } = await services.states.lock(sql, [...monitorIds]);
  const excess = await findExcess(sql, states, accepted);
  const arrived = await services.hooks.arrived(sql, states, accepted);
  const taken = excess.size === 0 ? arrived : arrived.filter(item => !excess.has(item));
  const decided = await decideP95(sql, await decideChanged(sql, taken));
  const results = decided.map(({ result }) => result);
  const { indexes, templates } = await insertResults(sql, results, services.templates, mayRepeat);
  const fresh = indexes.length === decided.length ? decided : freshOf(decided, indexes, services.repeating);
  const counted = await addResults(sql, states, fresh.map(toCount), nowMs);
  const judged = await services.hooks.recorded(sql, counted, fresh, nowMs);
  return { ...judged, stored: fresh.length, excess, templates, ownVersion };
}

/** The result itself, copied only where its reason depends on what its version says of assertions. */
function toCount({ result, version: { warnOn } }: Accepted): CountedFailure {
  return result.status === 'err' && warnOn.length > 0 ? { ...result, warnOn } : result;
}

/** What was not stored before; the agents of the rest repeat. */
function freshOf(decided: readonly Accepted[], indexes: readonly number[], repeating: ExpiringSet): Accepted[] {
  const isNew = new Set(indexes);
  for (const [index, { result }] of decided.entries())
    if (!isNew.has(index)) repeating.add(result.agentId, performance.now());
  return indexes.flatMap(index => decided[index] ?? []);
}
