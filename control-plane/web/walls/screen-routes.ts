import type Router from '@koa/router';
import type Koa from 'koa';
import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { minuteMs } from '#shared/duration.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { CallerKey } from '../../platform/http/limits/caller-address.ts';
import { chargeRequest } from '../../platform/http/limits/rate-limit.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { RequestBulkheads } from '../../platform/project-limits/request-bulkheads.ts';
import { hashBearer, isBearer } from '../../platform/secrets/bearer.ts';
import { parseSelector } from '../../platform/selectors/parse.ts';
import { viewScreen } from './screen.ts';
import { readScreen } from './screen-store.ts';
import { findWallBySecret, touchWall } from './store.ts';
import type { WallRow } from './wall.ts';

export type ScreenServices = {
  /** `front` finds the wall, `api` is restricted to its project. */
  pools: { front: pg.Pool; api: pg.Pool };
  bulkheads: RequestBulkheads;
  clock: Clock;
  callerKey: CallerKey;
  /** Identifies the files of the page that is shown. */
  pageVersion(): Promise<string>;
};

/** A screen reads every five seconds; many of them may share one address. */
const addressLimit = { perMinute: 600, burst: 600 };
const wallLimit = { perMinute: 300, burst: 300 };
const touchEveryMs = minuteMs;
const limits = { monitors: 400, incidents: 5 };

/** What screens read. The secret of a link opens this address alone; it is no token of the API. */
export function addScreenRoutes(router: Router, services: ScreenServices): void {
  router.get('/wall/data', context => answer(context, services));
}

async function answer(context: Koa.Context, services: ScreenServices): Promise<void> {
  const { pools, bulkheads, clock, callerKey } = services;
  context.set('Cache-Control', 'no-store');
  const front = sqlOf(pools.front);
  await chargeRequest(front, `screen ${callerKey(context.req)}`, addressLimit);
  const wall = await findWall(context.get('authorization'), services);
  await chargeRequest(front, `wall ${wall.id}`, wallLimit);
  const nowMs = clock.now();
  if (wall.last_seen_at === null || wall.last_seen_at < nowMs - touchEveryMs) await touchWall(front, wall.id, nowMs);
  const { project_id: projectId, selector } = wall;
  const shown = { projectId, selector: selector === null ? null : parseSelector(selector), nowMs };
  const signal = AbortSignal.timeout(minuteMs);
  const facts = await bulkheads.api.connections.run(
    projectId,
    () => transaction(pools.api, sql => readScreen(sql, shown, limits), projectId),
    signal,
  );
  context.type = 'application/json';
  context.body = JSON.stringify(viewScreen(wall, facts, await services.pageVersion(), nowMs));
}

/** Throws a 401 problem: a revoked link is as unknown as one that never was. */
async function findWall(header: string, { pools }: ScreenServices): Promise<WallRow> {
  if (header === '') throw new Problem('missing_token');
  const secret = /^Bearer +([^\s]+)$/i.exec(header.trim())?.[1];
  if (secret === undefined || !isBearer('upw', secret)) throw new Problem('invalid_token');
  const wall = await findWallBySecret(sqlOf(pools.front), hashBearer(secret));
  if (wall === null) throw new Problem('invalid_token');
  return wall;
}
