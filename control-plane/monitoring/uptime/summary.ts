import { dayMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { readRecentLatency } from '../checks/roll-up/recent-store.ts';
import type { Summary } from '../monitors/monitor.ts';
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
  const latencies = await readRecentLatency(sql, ids, hours, nowMs);
  return new Map(
    ids.map(id => {
      const latency = latencies.get(id);
      const uptime = uptimes.get(id) ?? null;
      return [
        id,
        { uptime_30d: uptime, p95_ms: latency?.p95Ms ?? null, hourly_latency_ms: latency?.averagesMs ?? none },
      ];
    }),
  );
}
