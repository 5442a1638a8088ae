import type { ExecutionContext } from 'ava';
import { rollUpCells } from '#control-plane/analytics/cells/roll-up.ts';
import { readRetention } from '#control-plane/analytics/cohorts/retention.ts';
import { type RetentionView, retentionQuery } from '#control-plane/analytics/cohorts/schema.ts';
import { storeEvents } from '#control-plane/analytics/events/store.ts';
import { LinkMemory } from '#control-plane/analytics/links/link-memory.ts';
import { type TrendsView, trendQuery } from '#control-plane/analytics/trends/schema.ts';
import { readRange, readTrends, type TrendRequest, writeTrends } from '#control-plane/analytics/trends/trends.ts';
import type { Pools } from '#control-plane/platform/db/pool.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { createTenant } from './control-plane.ts';
import { createDatabase } from './database.ts';
import { type SentEvent, toRow } from './funnel.ts';
import { patientPools } from './patient-pools.ts';

/** A project in a database of its own, whose cells are counted when the test says so. */
export type TrendWorld = {
  projectId: string;
  pools: Pools;
  sql: Sql;
  store(events: readonly SentEvent[], arrivedMs: number): Promise<void>;
  /** Counts all that waits. */
  count(nowMs: number): Promise<void>;
  trends(query: Record<string, string>, nowMs: number): Promise<TrendsView>;
  /** The same with the lines of progress before. */
  trendLines(query: Record<string, string>, nowMs: number): AsyncIterable<string>;
  retention(query: Record<string, string>, nowMs: number): Promise<RetentionView>;
};

export const retentionDays = 90;

function trendRequest(projectId: string, parameters: Record<string, string>, nowMs: number): TrendRequest {
  const query = trendQuery.parse(parameters);
  return { projectId, query, range: readRange(query, nowMs), retentionDays, nowMs };
}

export async function openTrendWorld(t: ExecutionContext): Promise<TrendWorld> {
  const database = await createDatabase();
  const pools = patientPools(database.url);
  t.teardown(async () => {
    await pools.end();
    await database.drop();
  });
  const sql = sqlOf(pools.background);
  const { projectId } = await createTenant(database.url);
  await sql.run`update projects set event_retention_days = ${retentionDays}`;
  await sql.run`update projects set created_at = '2026-01-01Z'`;
  const edition = await sql.row<{ edition: Edition }>`select edition from storage_edition`;
  const links = new LinkMemory();
  const series = await openSeries(pools.background, sql, edition?.edition ?? 'plain');
  return {
    projectId,
    pools,
    sql,
    store: async (events, arrivedMs) => {
      await series.ensure('events', [arrivedMs]);
      const rows = events.map(event => toRow(projectId, event));
      await transaction(pools.background, inside => storeEvents(inside, rows, arrivedMs, links));
    },
    count: async nowMs => {
      while (await rollUpCells(pools.background, nowMs));
    },
    trends: (query, nowMs) =>
      transaction(pools.background, inside => readTrends(inside, trendRequest(projectId, query, nowMs))),
    trendLines: (query, nowMs) =>
      writeTrends(work => transaction(pools.background, work), trendRequest(projectId, query, nowMs)),
    retention: (query, nowMs) =>
      transaction(pools.background, inside =>
        readRetention(inside, { projectId, query: retentionQuery.parse(query), retentionDays, nowMs }),
      ),
  };
}
