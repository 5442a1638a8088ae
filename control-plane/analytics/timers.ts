import { toTimestamp } from '#shared/clock.ts';
import { dayMs } from '#shared/duration.ts';
import { Rests } from '#shared/fairness/rests.ts';
import type { SeriesStore } from '../platform/db/series/series.ts';
import { type Sql, sqlOf } from '../platform/db/sql.ts';
import type { Services } from '../platform/services.ts';
import { drain, draining, type Timer } from '../platform/timers/timers.ts';
import { releaseIdleNames } from './cells/name-store.ts';
import { countWaitingDays, findOldestUncounted } from './cells/queue-store.ts';
import { rollUpCells } from './cells/roll-up.ts';
import { runErasures } from './erasures/erase.ts';
import type { ErasureHooks } from './erasures/hooks.ts';
import { countRunning } from './erasures/store.ts';
import {
  deleteIngestLeftovers,
  deleteOfShorterPlans,
  dropExpiredEvents,
  unrolledPatienceMs,
} from './events/retention.ts';
import { findOldestPendingOfAll } from './flows/roll-up/queue-store.ts';
import { rollUp, rollUpLagSeconds } from './flows/roll-up/roll-up.ts';
import { endLinks, linkSessions } from './linking/link.ts';

type EventServices = Services & { series: SeriesStore };

/** Far below the 60 seconds within which events must be in reports. */
const rollUpMs = 3000;
/** A cell takes up to 16 KB: written less often, but well within 60 seconds. */
const cellsMs = 10_000;
const erasuresMs = 3000;
/**
 * A roll-up reads the current hour again, of all users who sent anything. With many events that is dear, and as dear
 * after three seconds as after thirty.
 */
const rest = { times: 10, maxMs: 30_000 };

/** What a worker does by time for events. */
export function analyticsTimers(services: EventServices, hooks: ErasureHooks): Timer[] {
  const { pools, clock, metrics } = services;
  const pool = pools.background;
  const rests = new Rests<string>(rest);
  const roll = (isSlow: boolean) => async () =>
    Number(await rollUp(pool, { nowMs: clock.now(), isSlow, rests: isSlow ? undefined : rests }));
  return [
    { name: 'roll-up', everyMs: rollUpMs, run: draining(metrics.commits, 'funnels', roll(false)) },
    { name: 'roll-up-slow', everyMs: rollUpMs, run: signal => drain(signal, roll(true)) },
    {
      name: 'event-cells',
      everyMs: cellsMs,
      run: signal => drain(signal, async () => Number(await rollUpCells(pool, clock.now()))),
    },
    {
      name: 'session-links',
      everyMs: cellsMs,
      run: signal => drain(signal, async () => Number(await linkSessions(pool, clock.now()))),
    },
    {
      name: 'event-erasures',
      everyMs: erasuresMs,
      run: signal => drain(signal, async () => Number(await runErasures(pool, hooks, clock.now()))),
    },
    {
      name: 'roll-up-lag',
      everyMs: 10_000,
      run: async () => {
        metrics.rollUpLag.set(await rollUpLagSeconds(sqlOf(pool), clock.now()));
        metrics.erasuresRunning.set(await countRunning(sqlOf(pool)));
        metrics.eventCellsPending.set(await countWaitingDays(sqlOf(pool), clock.now()));
      },
    },
    { name: 'events-housekeeping', everyMs: 60_000, leaseMs: 600_000, run: () => dropExpired(services) },
    {
      name: 'events-of-shorter-plans',
      everyMs: 600_000,
      restMs: dayMs,
      leaseMs: dayMs / 2,
      run: () => deleteByPlanRetention(services),
    },
  ];
}

/** Drops partitions of events that every plan has outlived, once they are rolled up. */
async function dropExpired({ pools, series, clock, log }: EventServices): Promise<void> {
  const sql = sqlOf(pools.background);
  const unrolledMs = await findOldestUnrolled(sql, clock.now());
  const dropped = await dropExpiredEvents(sql, series, clock.now(), unrolledMs);
  if (dropped.length > 0) log.info({ dropped }, 'raw events past their retention were dropped');
  await deleteIngestLeftovers(sql, clock.now());
}

/** Deletes the events of projects whose plan keeps them for less time than the partitions live. */
async function deleteByPlanRetention({ pools, clock, log }: EventServices): Promise<void> {
  const sql = sqlOf(pools.background);
  const unrolledMs = await findOldestUnrolled(sql, clock.now());
  await endLinks(pools.background, clock.now());
  await releaseIdleNames(sql, toTimestamp(clock.now()).slice(0, 10));
  if (unrolledMs !== null && unrolledMs < clock.now() - unrolledPatienceMs)
    log.error(
      { since: new Date(unrolledMs).toISOString() },
      'events have not been rolled up for a week: they will be deleted a week after their retention, counted or not',
    );
  const deleted = await deleteOfShorterPlans(sql, clock.now(), unrolledMs);
  if (deleted > 0) log.info({ deleted }, 'raw events past the retention of their plan were deleted');
}

/** When the oldest event arrived that a flow or a cell does not count yet; null without any. */
async function findOldestUnrolled(sql: Sql, nowMs: number): Promise<number | null> {
  const waiting = [await findOldestPendingOfAll(sql), await findOldestUncounted(sql, nowMs)];
  const known = waiting.filter(ms => ms !== null);
  return known.length === 0 ? null : Math.min(...known);
}
