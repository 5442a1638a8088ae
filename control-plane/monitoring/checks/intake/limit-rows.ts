import { hourMs } from '#shared/duration.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { MonitorState } from '../../monitors/state/state.ts';
import type { Accepted } from './prepare.ts';
import { countRows, type HourOfRegion } from './row-count-store.ts';

/** Both attempts of a slot every ten seconds, and as many confirmations. */
const rowsPerHourMax = (2 * 2 * hourMs) / 10_000;

/**
 * The results of private regions' agents for which there is no room in their hour. The slots of the version in force
 * bound themselves; confirmations and results of earlier versions are counted with what is stored.
 */
export async function findExcess(
  sql: Sql,
  states: readonly MonitorState[],
  accepted: readonly Accepted[],
): Promise<ReadonlySet<Accepted>> {
  const inForce = new Map(states.map(state => [state.monitorId, state.rules.configVersion]));
  const counted = accepted.filter(
    ({ isPrivate, result }) =>
      isPrivate && (result.kind === 'confirm' || result.config_version !== inForce.get(result.monitor_id)),
  );
  if (counted.length === 0) return new Set();
  const hours = [...new Map(counted.map(item => [keyOf(hourOf(item)), hourOf(item)])).values()];
  const stored = new Map((await countRows(sql, hours, rowsPerHourMax)).map(({ rows, ...hour }) => [keyOf(hour), rows]));
  return excessOf(counted, stored);
}

/** Pure: what comes after the last row that an hour has room for. `stored` holds the rows by hour. */
export function excessOf(counted: readonly Accepted[], stored: ReadonlyMap<string, number>): ReadonlySet<Accepted> {
  const rows = new Map(stored);
  return new Set(
    counted.filter(item => {
      const key = keyOf(hourOf(item));
      const before = rows.get(key) ?? 0;
      rows.set(key, before + 1);
      return before >= rowsPerHourMax;
    }),
  );
}

function hourOf({ result }: Accepted): HourOfRegion {
  return {
    monitorId: result.monitor_id,
    region: result.region,
    hour: Math.floor(result.scheduled_at / hourMs) * hourMs,
  };
}

function keyOf({ monitorId, region, hour }: HourOfRegion): string {
  return `${monitorId} ${region} ${hour}`;
}
