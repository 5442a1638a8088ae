import { instant, type Sql } from '../db/sql.ts';

export type HourRow = {
  hour: number;
  ok: number;
  warn: number;
  err: number;
  latency_max: number;
  latency_bins: number[];
};

/** The hourly roll-up of a monitor, its regions apart, in [from, to). */
export async function listHours(sql: Sql, monitorId: string, fromMs: number, toMs: number): Promise<HourRow[]> {
  return sql.rows<HourRow>(
    'select hour, ok, warn, err, latency_max, latency_bins from checks_hourly where monitor_id = $1 and hour >= $2 and hour < $3',
    [monitorId, instant(fromMs), instant(toMs)],
  );
}
