import { dayMs, dayOf } from '#shared/duration.ts';
import { Fragment, fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { closedUntil } from './closed-days.ts';
import { type CurrentHour, readCurrentHour, sumRegions } from './current-hours.ts';
import { binCount } from './latency-bins.ts';

/** The checks of all regions in an hour or a day. */
export type CheckTally = {
  start: number;
  ok: number;
  warn: number;
  err: number;
  latency_max: number;
  latency_bins: number[];
};

const tallyColumns = fragment`ok, warn, err, latency_max, latency_bins`;
const binSums = new Fragment(
  [Array.from({ length: binCount }, (_, bin) => `sum(latency_bins[${bin + 1}])::integer`).join(', ')],
  [],
);
const sums = fragment`
      sum(ok)::integer as ok,
      sum(warn)::integer as warn,
      sum(err)::integer as err,
      max(latency_max) as latency_max,
      array[${binSums}] as latency_bins`;

/**
 * Rows of `start` and `tallyColumns` as one text. A list of bins for each row would take our side a hundred times as
 * long as their sum.
 */
const asText = fragment`
      string_agg(
        concat_ws(
          ' ', extract(epoch from start)::bigint, ok, warn, err, latency_max, array_to_string(latency_bins, ' ')
        ),
        ';'
      )`;

function readTallies(text: string | null | undefined): CheckTally[] {
  if (text === null || text === undefined) return [];
  return text.split(';').map(row => {
    const [start = 0, ok = 0, warn = 0, err = 0, latency_max = 0, ...latency_bins] = row.split(' ').map(Number);
    return { start: start * 1000, ok, warn, err, latency_max, latency_bins };
  });
}

/** The current hour of a monitor, read with the rows of the roll-up: it may become some at any time. */
const currentHourOf = (monitorId: string) => fragment`(
        select open_hour
        from monitor_states
        where monitor_id = ${monitorId}
      )`;

type WithCurrentHour = { open_hour: string | null };

const currentHourIn = (row: WithCurrentHour | null) =>
  row === null || row.open_hour === null ? null : readCurrentHour(row.open_hour);

/** Adds a current hour to the tally that it is part of; `start` is that of the tally, in milliseconds. */
function withCurrentHour(tallies: readonly CheckTally[], open: CurrentHour, start: number): CheckTally[] {
  const sums = sumRegions(open);
  const known = tallies.find(tally => tally.start === start);
  const sum = {
    start,
    ok: sums.ok + (known?.ok ?? 0),
    warn: sums.warn + (known?.warn ?? 0),
    err: sums.err + (known?.err ?? 0),
    latency_max: Math.max(sums.latencyMax, known?.latency_max ?? 0),
    latency_bins: sums.bins.map((count, bin) => count + (known?.latency_bins[bin] ?? 0)),
  };
  return [...tallies.filter(tally => tally !== known), sum];
}

/** The hours of a monitor in [from, to), those without checks left out. */
export async function sumHours(sql: Sql, monitorId: string, fromMs: number, toMs: number): Promise<CheckTally[]> {
  const row = await sql.row<{ tallies: string | null } & WithCurrentHour>`
    select ${asText} as tallies, ${currentHourOf(monitorId)} as open_hour
    from (
      select
        hour as start,
        ${sums}
      from checks_hourly
      where monitor_id = ${monitorId} and hour >= ${instant(fromMs)} and hour < ${instant(toMs)}
      group by hour
    ) as summed`;
  const [tallies, open] = [readTallies(row?.tallies), currentHourIn(row)];
  return open === null || open.hour < fromMs || open.hour >= toMs ? tallies : withCurrentHour(tallies, open, open.hour);
}

/**
 * The days of a monitor in [from, to), those without checks left out. Both are midnights of UTC. Days that are over are
 * read as they were summed up the first time: 90 days are 90 rows instead of 2,160 for each region.
 */
export async function sumDays(
  sql: Sql,
  monitorId: string,
  fromMs: number,
  toMs: number,
  nowMs: number,
): Promise<CheckTally[]> {
  const closedMs = Math.max(fromMs, Math.min(toMs, closedUntil(nowMs)));
  const row = await sql.row<{ kept: string | null; open: string | null } & WithCurrentHour>`
    select
      (
        select ${asText}
        from (
          select day as start, ${tallyColumns}
          from checks_daily
          where monitor_id = ${monitorId} and day >= ${instant(fromMs)} and day < ${instant(closedMs)}
        ) as kept
      ) as kept,
      (
        select ${asText}
        from (${openDays(monitorId, closedMs, toMs)}) as summed
      ) as open,
      ${currentHourOf(monitorId)} as open_hour`;
  const [kept, closed, currentHour] = [readTallies(row?.kept), readTallies(row?.open), currentHourIn(row)];
  const isOpen = currentHour !== null && currentHour.hour >= closedMs && currentHour.hour < toMs;
  const open = isOpen ? withCurrentHour(closed, currentHour, dayOf(currentHour.hour)) : closed;
  const known = new Set(kept.map(({ start }) => start));
  const missing = daysOf(fromMs, closedMs).filter(day => !known.has(day));
  if (missing.length === 0) return [...kept, ...open];
  // Also those that another request has stored since.
  const found = await sql.row<{ tallies: string | null } & WithCurrentHour>`
    select ${asText} as tallies, ${currentHourOf(monitorId)} as open_hour
    from (${sumsOf(monitorId, missing)}) as summed`;
  const [rows, lateHour] = [readTallies(found?.tallies), currentHourIn(found)];
  const lateDay = lateHour === null ? null : dayOf(lateHour.hour);
  const isLate = lateHour !== null && lateDay !== null && missing.includes(lateDay);
  const summed = isLate ? withCurrentHour(rows, lateHour, lateDay) : rows;
  const days = summed.map(({ start }) => start);
  if (days.length > 0) await keepDays(sql, monitorId, days);
  return [...kept, ...summed, ...open];
}

/** Days that are not over: one plan for the few hours since midnight. */
function openDays(monitorId: string, fromMs: number, toMs: number): Fragment {
  return fragment`
    select
      date_bin('1 day', hour, '2000-01-01Z') as start,
      ${sums}
    from checks_hourly
    where monitor_id = ${monitorId} and hour >= ${instant(fromMs)} and hour < ${instant(toMs)}
    group by 1`;
}

/** Forgets the sums of days, so that they are summed up again when they are read. */
export async function forgetDays(sql: Sql, days: readonly { monitorId: string; day: number }[]): Promise<void> {
  if (days.length === 0) return;
  await sql.run`
    delete from checks_daily
    where (monitor_id, day) in (
      select monitor_id, day
      from unnest(
        ${days.map(({ monitorId }) => monitorId)}::text[],
        ${days.map(({ day }) => instant(day))}::timestamptz[]
      ) as late (monitor_id, day)
    )`;
}

/** Deletes the sums of a monitor's days that overlap [from, to), or of all days of whole monitors. */
export async function deleteDays(
  sql: Sql,
  monitorIds: readonly string[],
  fromMs = 0,
  toMs = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  await sql.run`
    delete from checks_daily
    where monitor_id = any(${monitorIds}::text[])
      and extract(epoch from day) * 1000 > ${fromMs - dayMs}
      and extract(epoch from day) * 1000 < ${toMs}`;
}

/**
 * Sums up days that are over, unless the recorder is storing results of the monitor now. With the row locked first, the
 * sums see every result whose storing could not have forgotten them. The day of a current hour is not summed up yet.
 */
async function keepDays(sql: Sql, monitorId: string, missing: readonly number[]): Promise<void> {
  const locked = await sql.row<WithCurrentHour>`
    select open_hour
    from monitor_states
    where monitor_id = ${monitorId}
    for share skip locked`;
  if (locked === null) return;
  const open = currentHourIn(locked);
  const days = missing.filter(day => open === null || day !== dayOf(open.hour));
  if (days.length === 0) return;
  await sql.run`
    insert into checks_daily (monitor_id, day, ${tallyColumns})
    select ${monitorId}, start, ${tallyColumns}
    from (${sumsOf(monitorId, days)}) as summed
    on conflict do nothing`;
}

/** Sums of those of the days that have checks. */
function sumsOf(monitorId: string, days: readonly number[]): Fragment {
  return fragment`
    select day as start, ${tallyColumns}
    from unnest(${days.map(day => instant(day))}::timestamptz[]) as day
    cross join lateral (
      select
        ${sums}
      from checks_hourly
      where monitor_id = ${monitorId} and hour >= day and hour < day + interval '1 day'
      having count(*) > 0
    ) as summed`;
}

/** The midnights in [from, to). */
function daysOf(fromMs: number, toMs: number): number[] {
  return Array.from({ length: Math.max(0, (toMs - fromMs) / dayMs) }, (_, index) => fromMs + index * dayMs);
}
