import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '#shared/clock.ts';
import type { Logger } from '#shared/log.ts';
import type { Gateway } from './agents/gateway.ts';
import { markGone } from './agents/store.ts';
import { escalateAlerts } from './alerts/escalate.ts';
import type { Distributor } from './assignments/distribute.ts';
import { deleteResultsOf } from './checks/store.ts';
import { failureTeller } from './db/failure-teller.ts';
import { leaseHolder } from './db/lease.ts';
import type { Pools } from './db/pool.ts';
import type { SeriesStore } from './db/series.ts';
import { sqlOf } from './db/sql.ts';
import { transaction } from './db/transaction.ts';
import {
  deleteIngestLeftovers,
  deleteOfShorterPlans,
  dropExpiredEvents,
  unrolledPatienceMs,
} from './events/retention.ts';
import { followFacts } from './facts/follow.ts';
import { deleteFactsDoneBefore } from './facts/store.ts';
import { rollUp } from './flows/roll-up.ts';
import { findOldestPendingOfAll } from './flows/work-store.ts';
import { deleteAnswersBefore } from './http/idempotency.ts';
import { deleteIdleBuckets } from './http/rate-limit.ts';
import { revivalDays } from './monitors/monitor.ts';
import { deleteMonitors, listExpired } from './monitors/store.ts';
import { deleteVersionsBefore } from './monitors/version-store.ts';
import { deleteDeliveriesEndedBefore } from './notifications/store.ts';
import type { Stages } from './stages.ts';
import { publishDue } from './status-pages/publish.ts';
import type { PublishedPages } from './status-pages/published-pages.ts';
import { deleteUnconfirmed } from './subscribers/store.ts';
import { watchRegions } from './verdicts/region-fault.ts';
import { LateReplay } from './verdicts/replay.ts';
import { sweepExpiries } from './verdicts/sweep.ts';

export type TimerServices = {
  pools: Pools;
  series: SeriesStore;
  stages: Stages;
  gateway: Gateway;
  distributor: Distributor;
  pages: PublishedPages;
  /** Where the public reaches the pages. */
  baseUrl: string;
  clock: Clock;
  log: Logger;
  /** How long after a start, or after the database came back, no vote expires: agents must have had time to report. */
  sweepHoldMs: number;
};

const leaseNames = ['liveness', 'regions', 'housekeeping', 'events-housekeeping', 'events-of-shorter-plans'] as const;
const dayMs = 86_400_000;
const rawRetentionMs = 30 * dayMs;
const factsKeptMs = 7 * dayMs;
const versionsKeptMs = 31 * dayMs;
const deliveriesKeptMs = 90 * dayMs;
const unconfirmedKeptMs = 7 * dayMs;
const agentGraceMs = 10_000;
const agentDeadMs = 45_000;
const livenessHoldMs = 15_000;
/** Far below the 60 seconds within which events must be in reports. */
const rollUpMs = 3000;

/** Everything that happens by time. Each line runs by itself, never twice at once, and goes on after a failure. */
export function startTimers(services: TimerServices): { stop(): Promise<void> } {
  const { pools, stages, clock, log } = services;
  const abort = new AbortController();
  const sql = sqlOf(pools.background);
  const leases = leaseHolder(sql);
  const alone = (name: (typeof leaseNames)[number], forMs: number, work: () => Promise<unknown>) => async () => {
    if ((await leases.take(name, forMs)) !== null) await work();
  };
  const sweep = heldSweep(services);
  const replay = new LateReplay(pools.background, stages.verdicts, log);
  const takeShares = heldAfterGap(livenessHoldMs, () => markGone(sql, clock.now(), agentGraceMs, agentDeadMs));
  const lines = [
    every(250, 'sweep', sweep),
    every(1000, 'replay', () => drain(() => replay.run(clock.now()), abort.signal)),
    every(250, 'facts', () => drain(() => followFacts(pools.background, stages.follow, clock, log), abort.signal)),
    every(250, 'publishing', () =>
      drain(async () => Number(await publishDue(pools.background, services.baseUrl, clock.now(), log)), abort.signal),
    ),
    every(5000, 'pages', () => services.pages.sync()),
    every(1000, 'configuration', () => services.distributor.refresh()),
    every(5000, 'heartbeat', () => services.gateway.heartbeat()),
    every(2000, 'liveness', alone('liveness', 10_000, takeShares)),
    every(
      5000,
      'regions',
      alone('regions', 20_000, () => watchRegions(pools.background, stages.verdicts, clock.now())),
    ),
    every(rollUpMs, 'roll-up', async () => {
      while ((await rollUp(pools.background, clock.now())) && !abort.signal.aborted);
    }),
    every(1000, 'escalation', () => escalateAlerts(pools.background, clock.now())),
    every(
      60_000,
      'housekeeping',
      alone('housekeeping', 120_000, () => keepHouse(services)),
    ),
    every(
      60_000,
      'events-housekeeping',
      alone('events-housekeeping', 600_000, () => keepEvents(services)),
    ),
    every(
      600_000,
      'events-of-shorter-plans',
      daily(alone('events-of-shorter-plans', dayMs / 2, () => deleteShorter(services))),
    ),
  ];

  function every(ms: number, name: string, work: () => Promise<unknown>): Promise<void> {
    return repeat(ms, work, abort.signal, failureTeller(log, 'a timer failed and will try again', { timer: name }));
  }

  return {
    stop: async () => {
      abort.abort();
      await Promise.allSettled(lines);
      // Another replica takes over at once instead of when the lease runs out.
      await Promise.allSettled(leaseNames.map(name => leases.release(name)));
    },
  };
}

async function repeat(
  ms: number,
  work: () => Promise<unknown>,
  signal: AbortSignal,
  failed: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) failed(error);
    }
    await wait(ms, undefined, { signal }).catch(() => {});
  }
}

/** Goes on while there is more, but not past a stop. */
async function drain(work: () => Promise<number>, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true && (await work()) > 0);
}

/** Once a day; what failed is tried again at the next call. */
function daily(work: () => Promise<unknown>): () => Promise<void> {
  let nextMs = 0;
  return async () => {
    if (performance.now() < nextMs) return;
    await work();
    nextMs = performance.now() + dayMs;
  };
}

/** After a failure nothing is done for a while: while the database was away nobody could write a sign of life. */
function heldAfterGap(holdMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let heldUntil = 0;
  return async () => {
    if (performance.now() < heldUntil) return;
    try {
      await work();
    } catch (error) {
      heldUntil = performance.now() + holdMs;
      throw error;
    }
  };
}

/** After a start and after each gap in which the database was away, waits before votes expire. */
function heldSweep({ pools, stages, clock, sweepHoldMs }: TimerServices): () => Promise<void> {
  let heldUntil = performance.now() + sweepHoldMs;
  return async () => {
    if (performance.now() < heldUntil) return;
    try {
      await drain(() => sweepExpiries(pools.background, stages.verdicts, clock.now()));
    } catch (error) {
      heldUntil = performance.now() + sweepHoldMs;
      throw error;
    }
  };
}

async function keepHouse({ pools, series, clock, log }: TimerServices): Promise<void> {
  const sql = sqlOf(pools.background);
  const nowMs = clock.now();
  await series.ensureAhead(nowMs);
  const dropped = await series.dropBefore('check_results', nowMs - rawRetentionMs);
  if (dropped.length > 0) log.info({ dropped }, 'raw results past their retention were dropped');
  await deleteAnswersBefore(sql, nowMs);
  await deleteFactsDoneBefore(sql, nowMs - factsKeptMs);
  await deleteVersionsBefore(sql, nowMs - versionsKeptMs);
  await deleteIdleBuckets(sql);
  await deleteDeliveriesEndedBefore(sql, nowMs - deliveriesKeptMs);
  await deleteUnconfirmed(sql, nowMs - unconfirmedKeptMs);
  await transaction(pools.background, async tx => {
    const expired = await listExpired(tx, nowMs - revivalDays * dayMs, 100);
    if (expired.length === 0) return;
    await deleteResultsOf(tx, expired);
    await deleteMonitors(tx, expired);
  });
}

async function keepEvents({ pools, series, clock, log }: TimerServices): Promise<void> {
  const sql = sqlOf(pools.background);
  const unrolledMs = await findOldestPendingOfAll(sql);
  const dropped = await dropExpiredEvents(sql, series, clock.now(), unrolledMs);
  if (dropped.length > 0) log.info({ dropped }, 'raw events past their retention were dropped');
  await deleteIngestLeftovers(sql, clock.now());
}

async function deleteShorter({ pools, clock, log }: TimerServices): Promise<void> {
  const sql = sqlOf(pools.background);
  const unrolledMs = await findOldestPendingOfAll(sql);
  if (unrolledMs !== null && unrolledMs < clock.now() - unrolledPatienceMs)
    log.error(
      { since: new Date(unrolledMs).toISOString() },
      'events were not rolled up for a week: they will go a week after their retention, counted or not',
    );
  const deleted = await deleteOfShorterPlans(sql, clock.now(), unrolledMs);
  if (deleted > 0) log.info({ deleted }, 'raw events past the retention of their plan were deleted');
}
