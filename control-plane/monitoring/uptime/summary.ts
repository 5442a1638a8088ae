import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { readRecentChecks } from '../checks/roll-up/recent-store.ts';
import type { Summary } from '../monitors/shown.ts';
import { readUptimeRatios } from './ratio-store.ts';

const hours = 24;
const uptimeDays = 30;

const none: null[] = new Array<null>(hours).fill(null);

/** What a list shows of each monitor beside its state, by id. */
export async function summarise(
  sql: Sql,
  projectId: string,
  ids: readonly string[],
  nowMs: number,
): Promise<Map<string, Summary>> {
  const uptimes = await readUptimeRatios(sql, projectId, ids, uptimeDays * dayMs, nowMs);
  const checks = await readRecentChecks(sql, ids, hours, nowMs);
  return new Map(
    ids.map(id => {
      const { p95Ms = null, averagesMs = none, errorRates = none } = checks.get(id) ?? {};
      const latency = { p95_ms: p95Ms, hourly_latency_ms: averagesMs };
      return [id, { uptime_30d: uptimes.get(id) ?? null, ...latency, hourly_error_rate: errorRates }];
    }),
  );
}
