import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { attemptAll } from '../../../platform/failures/by-item.ts';
import { isLeftOut } from '../../../platform/failures/store.ts';
import { readCurrentHours } from '../../monitors/state/state-store.ts';
import { addCounts, countsOf, type RegionCounts } from './check-counts.ts';
import { closedUntil } from './closed-days.ts';
import { readCurrentHour } from './current-hours.ts';
import type { CountedResult } from './hour-buckets.ts';

// A counter over years of hours is too much to sum at each scrape. The hours of closed days are therefore summed once,
// and a result that comes later is added to its sum.

const monitorsPerStep = 200;

/** `regions` is null, and `through` before its first check, if no day of the monitor has been summed yet. */
type Total = { monitor_id: string; through: number; regions: RegionCounts | null };

/**
 * Sums up the closed days of some monitors and returns how many these were. Must be in a transaction of its own; it
 * leaves out monitors whose results are being stored now.
 */
export async function advanceTotals(sql: Sql, nowMs: number): Promise<number> {
  const throughMs = closedUntil(nowMs);
  const due = await sql.rows<{ monitor_id: string; project_id: string }>`
    select s.monitor_id, s.project_id
    from monitor_states s
    join monitors m on m.id = s.monitor_id
    left join check_totals t on t.monitor_id = s.monitor_id
    where (t.through is null or t.through < ${instant(throughMs)})
      and not ${isLeftOut('check-totals', fragment`s.monitor_id`, nowMs)}
    limit ${monitorsPerStep}
    for share of s skip locked`;
  if (due.length === 0) return 0;
  const itemOf = ({ monitor_id: id, project_id: projectId }: (typeof due)[number]) =>
    ({ work: 'check-totals', id, projectId, nowMs }) as const;
  const sumUp = (some: readonly (typeof due)[number][]) =>
    sumDays(
      sql,
      some.map(row => row.monitor_id),
      throughMs,
    );
  return (await attemptAll(sql, due, itemOf, sumUp)).length;
}

async function sumDays(sql: Sql, ids: readonly string[], throughMs: number): Promise<void> {
  // With the rows locked: what was added to a sum until now is in it, and what comes from now on sees the new one.
  const known = await findTotals(sql, ids);
  const summed = await sumFrom(sql, known, throughMs);
  await storeTotals(
    sql,
    ids.map(id => ({
      monitor_id: id,
      through: throughMs,
      regions: addCounts(known.get(id)?.regions ?? {}, summed.get(id) ?? {}),
    })),
  );
}

/** Adds late results to the totals that their days are part of. The states of the monitors must be locked. */
export async function addToTotals(sql: Sql, late: readonly CountedResult[]): Promise<void> {
  if (late.length === 0) return;
  const byMonitor = Map.groupBy(late, result => result.monitor_id);
  const known = await findTotals(sql, [...byMonitor.keys()]);
  const changed = [...byMonitor].flatMap(([id, ofMonitor]) => {
    const total = known.get(id);
    const summed = total === undefined ? [] : ofMonitor.filter(result => result.scheduled_at < total.through);
    if (total === undefined || total.regions === null || summed.length === 0) return [];
    return [{ ...total, regions: addCounts(total.regions, countsOf(summed)) }];
  });
  if (changed.length > 0) await storeTotals(sql, changed);
}

/** The checks of monitors of all time, by region, also those in regions that they have left. In one snapshot. */
export async function readTotals(sql: Sql, monitorIds: readonly string[]): Promise<Map<string, RegionCounts>> {
  const known = await findTotals(sql, monitorIds);
  const summed = await sumFrom(sql, known, null);
  return new Map(monitorIds.map(id => [id, addCounts(known.get(id)?.regions ?? {}, summed.get(id) ?? {})]));
}

/** Deletes the sums of whole monitors. */
export async function deleteTotalsOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`delete from check_totals where monitor_id = any(${monitorIds}::text[])`;
}

async function findTotals(sql: Sql, monitorIds: readonly string[]): Promise<Map<string, Total>> {
  const rows = await sql.rows<Total>`
    select m.id as monitor_id, coalesce(t.through, m.created_at - interval '2 days') as through, t.regions
    from unnest(${monitorIds}::text[]) as wanted (id)
    join monitors m on m.id = wanted.id
    left join check_totals t on t.monitor_id = m.id`;
  return new Map(rows.map(row => [row.monitor_id, row]));
}

/**
 * The hours of each monitor after its sum, before an instant if one is given. In one snapshot, or with the states
 * locked: a current hour becomes rows.
 */
async function sumFrom(
  sql: Sql,
  known: ReadonlyMap<string, Total>,
  beforeMs: number | null,
): Promise<Map<string, RegionCounts>> {
  if (known.size === 0) return new Map();
  const totals = [...known.values()];
  const firstMs = totals.reduce((first, { through }) => Math.min(first, through), Number.POSITIVE_INFINITY);
  // The first of all instants stands alone as well, since only a constant keeps old spans from being looked at.
  const rows = await sql.once<{ monitor_id: string; region: string; ok: number; warn: number; err: number }>`
    select h.monitor_id, h.region, sum(h.ok)::bigint as ok, sum(h.warn)::bigint as warn, sum(h.err)::bigint as err
    from unnest(
      ${totals.map(total => total.monitor_id)}::text[],
      ${totals.map(total => instant(total.through))}::timestamptz[]
    ) as wanted (id, since)
    join checks_hourly h on h.monitor_id = wanted.id and h.hour >= wanted.since
    where h.hour >= ${instant(firstMs)}
      and h.hour < ${beforeMs === null ? 'infinity' : instant(beforeMs)}
    group by h.monitor_id, h.region`;
  const sums = new Map<string, RegionCounts>();
  for (const { monitor_id: id, region, ok, warn, err } of rows)
    sums.set(id, { ...sums.get(id), [region]: [ok, warn, err] });
  for (const [id, text] of await readCurrentHours(sql, [...known.keys()])) {
    const { hour, regions } = readCurrentHour(text);
    if (hour < (known.get(id)?.through ?? 0) || (beforeMs !== null && hour >= beforeMs)) continue;
    for (const [region, { ok, warn, err }] of regions)
      sums.set(id, addCounts(sums.get(id) ?? {}, { [region]: [ok, warn, err] }));
  }
  return sums;
}

async function storeTotals(sql: Sql, totals: readonly Total[]): Promise<void> {
  await sql.run`
    insert into check_totals as known (monitor_id, through, regions)
    select monitor_id, through, regions
    from unnest(
      ${totals.map(total => total.monitor_id)}::text[],
      ${totals.map(total => instant(total.through))}::timestamptz[],
      ${totals.map(total => JSON.stringify(total.regions))}::jsonb[]
    ) as counted (monitor_id, through, regions)
    on conflict (monitor_id) do update
    set through = excluded.through, regions = excluded.regions`;
}
