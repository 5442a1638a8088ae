import type { Sql } from '#control-plane/platform/db/sql.ts';
import { withSql } from '../../support/control-plane.ts';
import { withClosedHours } from '../../support/current-hours.ts';
import type { Sent } from './protocol.ts';

/** The fate of all results that were sent. All counts but the first two must be 0. */
export type Audit = {
  stored: number;
  acknowledged: number;
  /** Acknowledged, but not in the database. */
  lost: number;
  /** In the database or its roll-up more often than once. */
  twice: number;
  /** Never sent. */
  unknown: number;
  /** Hours of the roll-up that are not the sum of the raw rows. */
  hoursOff: number;
};

type StoredMessage = { region: string; scheduled_at: number; rows: number; keys: number };

function countMessages(sql: Sql): Promise<StoredMessage[]> {
  return sql.rows<StoredMessage>`
    select region, scheduled_at, count(*) as rows, count(distinct (monitor_id, kind, attempt)) as keys
    from check_results
    group by 1, 2`;
}

/** Compares the roll-up with the raw rows: hours that differ, and results that were counted more than once. */
function compareHours(sql: Sql): Promise<{ off: number; twice: number } | null> {
  return sql.row<{ off: number; twice: number }>`
    with raw as (
      select monitor_id, date_bin('1 hour', scheduled_at, '2000-01-01Z') as hour, region,
        count(*) filter (where status = 'ok') as ok,
        count(*) filter (where status = 'warn') as warn,
        count(*) filter (where status = 'err') as err,
        coalesce(sum(latency_ms::double precision) filter (where status <> 'err'), 0) as latency_sum,
        coalesce(max(latency_ms) filter (where status <> 'err'), 0) as latency_max,
        count(latency_ms) filter (where status <> 'err') as samples
      from check_results
      where kind = 'scheduled' and attempt = 1
      group by 1, 2, 3
    ),
    rolled as (
      select monitor_id, hour, region, ok, warn, err, latency_sum, latency_max,
        (select sum(bin) from unnest(latency_bins) bin) as samples
      from checks_hourly
    )
    select
      count(*) filter (
        where (raw.ok, raw.warn, raw.err, raw.samples, raw.latency_max)
            is distinct from (rolled.ok, rolled.warn, rolled.err, rolled.samples, rolled.latency_max)
          or abs(raw.latency_sum - rolled.latency_sum) > 0.0001 * (1 + raw.latency_sum)
      ) as off,
      coalesce(
        sum(greatest(rolled.ok + rolled.warn + rolled.err - coalesce(raw.ok + raw.warn + raw.err, 0), 0)),
        0
      )::bigint as twice
    from raw
    full join rolled using (monitor_id, hour, region)`;
}

/** Compares the ledger of sent messages with the database. */
export async function audit(databaseUrl: string, ledger: readonly Sent[]): Promise<Audit> {
  const messages = await withSql(databaseUrl, countMessages);
  const hours = await withClosedHours(databaseUrl, compareHours);
  const stored = new Map(messages.map(row => [`${row.region} ${row.scheduled_at}`, row]));
  const result: Audit = {
    stored: messages.reduce((sum, row) => sum + row.rows, 0),
    acknowledged: ledger.reduce((sum, sent) => sum + (sent.acknowledged ? sent.count : 0), 0),
    lost: 0,
    twice: hours?.twice ?? Number.NaN,
    unknown: 0,
    hoursOff: hours?.off ?? Number.NaN,
  };
  for (const sent of ledger) {
    const key = `${sent.region} ${sent.scheduledAt}`;
    const found = stored.get(key);
    stored.delete(key);
    if (sent.acknowledged) result.lost += Math.max(0, sent.count - (found?.keys ?? 0));
    result.twice += (found?.rows ?? 0) - (found?.keys ?? 0);
    result.unknown += Math.max(0, (found?.keys ?? 0) - sent.count);
  }
  for (const row of stored.values()) result.unknown += row.rows;
  return result;
}

/** What was acknowledged and is missing, a line each, to be compared with the times of faults. */
export async function describeLost(databaseUrl: string, ledger: readonly Sent[]): Promise<string[]> {
  const messages = await withSql(databaseUrl, countMessages);
  const stored = new Map(messages.map(row => [`${row.region} ${row.scheduled_at}`, row.keys]));
  const time = (ms: number | undefined) => (ms === undefined ? 'at an unknown time' : new Date(ms).toISOString());
  return ledger.flatMap(({ region, scheduledAt, count, acknowledged, acknowledgedAt }) => {
    const found = stored.get(`${region} ${scheduledAt}`) ?? 0;
    if (!acknowledged || found >= count) return [];
    const slot = `${region} of ${time(scheduledAt)}`;
    return `lost: ${count - found} of ${count} results of ${slot}, acknowledged ${time(acknowledgedAt)}`;
  });
}

/** Whether nothing is missing, duplicated, unknown or miscounted. */
export function isWhole({ lost, twice, unknown, hoursOff }: Audit): boolean {
  return lost === 0 && twice === 0 && unknown === 0 && hoursOff === 0;
}
