import type pg from 'pg';
import { countedAttemptMax } from '#shared/check-result.ts';
import type { SeriesStore } from '../../platform/db/series/series.ts';
import { type Sql, sqlOf } from '../../platform/db/sql.ts';
import { attemptAll, transactionByItem } from '../../platform/failures/by-item.ts';
import type { CheckHooks } from '../checks/hooks.ts';
import { blankResult, ensureRoom, recordOwn } from '../checks/record-own.ts';
import type { NewResult, Inserted as Stored } from '../checks/storage/insert-store.ts';
import type { TemplateDictionary } from '../checks/storage/template-dictionary.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { lockStates } from '../monitors/state/state-store.ts';
import { listLookups, listUndelivered, markDelivered, type StoredLookup } from '../rdap/lookup-store.ts';
import { type Standing, sayingOf } from '../rdap/standing.ts';
import { listMonitorsOf, listUnheard } from './store.ts';

export type DeliveryServices = {
  pool: pg.Pool;
  series: SeriesStore;
  hooks: CheckHooks;
  templates: TemplateDictionary;
};

const namesMax = 50;
const monitorsMax = 200;

/** What registries said, for the monitors of a name: `at` is the time of the result. */
type Delivery = { ids: readonly string[]; standing: Standing; lookedUpAt: number; at: number };

/**
 * Stores what lookups came to as a result of each monitor of the name, and judges it. A monitor for which that fails
 * delays no other. Returns how many lookups were delivered.
 */
export async function deliverLookups(services: DeliveryServices, nowMs: number): Promise<number> {
  const sql = sqlOf(services.pool);
  const lookups = await listUndelivered(sql, namesMax);
  for (const lookup of lookups) {
    await deliverToAll(services, lookup, nowMs);
    await markDelivered(sql, lookup);
  }
  await deliverToUnheard(services, nowMs);
  return lookups.length;
}

async function deliverToAll(services: DeliveryServices, lookup: StoredLookup, nowMs: number): Promise<void> {
  const { name, standing, lookedUpAt } = lookup;
  if (standing === null || lookedUpAt === null) return;
  for (let after = ''; ; ) {
    const ids = await listMonitorsOf(sqlOf(services.pool), name, after, monitorsMax);
    const last = ids.at(-1);
    if (last === undefined) return;
    await deliver(services, { ids, standing, lookedUpAt, at: lookedUpAt }, nowMs);
    after = last;
  }
}

async function deliverToUnheard(services: DeliveryServices, nowMs: number): Promise<void> {
  const sql = sqlOf(services.pool);
  const unheard = Map.groupBy(await listUnheard(sql, nowMs, monitorsMax), ({ name }) => name);
  const lookups = await listLookups(sql, [...unheard.keys()]);
  for (const [name, monitors] of unheard) {
    const { standing = null, lookedUpAt = null } = lookups.get(name) ?? {};
    if (standing === null || lookedUpAt === null) continue;
    const ids = monitors.map(({ id }) => id);
    await deliver(services, { ids, standing, lookedUpAt, at: nowMs }, nowMs);
  }
}

async function deliver(
  { pool, series, hooks, templates }: DeliveryServices,
  delivery: Delivery,
  nowMs: number,
): Promise<void> {
  const { ids, at } = delivery;
  await ensureRoom(series, [at]);
  const inserted = await transactionByItem(pool, async sql => {
    const states = await lockStates(sql, ids);
    const added: Inserted = [];
    const itemOf = ({ monitorId: id, projectId }: MonitorState) =>
      ({ work: 'deadlines', id, projectId, nowMs }) as const;
    await attemptAll(sql, states, itemOf, async some => {
      added.push(...(await judge(sql, { hooks, templates }, some, delivery, nowMs)));
    });
    return added;
  });
  templates.remember(inserted);
}

type Inserted = Stored['templates'][number][];

/** Of locked states. Returns what results have in common that was stored for the first time. */
async function judge(
  sql: Sql,
  services: Pick<DeliveryServices, 'hooks' | 'templates'>,
  states: readonly MonitorState[],
  delivery: Delivery,
  nowMs: number,
): Promise<Inserted> {
  const judged = states.filter(({ rules }) => rules.enabled && !rules.deleted);
  if (judged.length === 0) return [];
  const { cast } = sayingOf(delivery.standing, delivery.lookedUpAt);
  const casts = cast ? ('now' as const) : ('none' as const);
  const results = judged.map(state => ({ state, result: resultOf(state, delivery, nowMs), cast: casts }));
  return [...(await recordOwn(sql, services, results, nowMs))];
}

function resultOf(
  { monitorId, rules }: MonitorState,
  { standing, lookedUpAt, at }: Delivery,
  nowMs: number,
): NewResult {
  const { status, code, source, cast } = sayingOf(standing, lookedUpAt);
  const { message, facts } = standing;
  const time = Math.floor(at);
  return {
    ...blankResult,
    monitor_id: monitorId,
    config_version: rules.configVersion,
    kind: 'lookup',
    attempt: cast ? 1 : countedAttemptMax + 1,
    scheduled_at: time,
    started_at: time,
    completed_at: time,
    status,
    error: code === null ? null : { code, message: message ?? code },
    failure_source: source,
    ...(facts === null ? {} : { facts: { domain: facts } }),
    region: 'registry',
    agentId: 'registry',
    receivedAt: Math.floor(nowMs),
  };
}
