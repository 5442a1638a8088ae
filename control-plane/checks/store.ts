import type { WireResult } from '#shared/check-result.ts';
import { hourMs } from '#shared/duration.ts';
import { bigints, byteas, instants, integers, jsons, reals, smallints, texts } from '../db/binary-array.ts';
import { fragment, instant, type Sql } from '../db/sql.ts';
import { deleteHoursOf, rollUp } from './hourly-store.ts';
import type { StoredParts } from './shape.ts';
import { deleteShapesOf } from './shape-store.ts';
import { deleteDays } from './tally-store.ts';
import type { Sample, Window } from './window-p95.ts';

/** A result about to be stored. `bin` is null if its latency does not count. */
export type NewResult = WireResult & { region: string; agentId: string; receivedAt: number; bin: number | null };

const keyColumns = fragment`monitor_id, scheduled_at, region, kind, attempt`;
const resultColumns = fragment`
  ${keyColumns}, status, failure_source, agent_id, config_version, started_at, completed_at, received_at, latency_ms,
  status_code, detail, shape, figures`;

/**
 * Stores results once and adds them to the hourly roll-up, in one statement. Returns the indexes of those that were
 * new; `parts` are theirs. Rows are written in key order, so that concurrent writers cannot deadlock.
 */
export async function storeResults(
  sql: Sql,
  results: readonly NewResult[],
  parts: readonly StoredParts[],
  receivedAt: number,
): Promise<number[]> {
  const row = await sql.row<{ stored: number; indexes: number[] | null }>`
    with input as (
      select ${resultColumns}, bin, in_hour, index
      from unnest(
        ${texts(results.map(result => result.monitor_id))}::text[],
        ${instants(results.map(result => result.scheduled_at))}::timestamptz[],
        ${texts(results.map(result => result.region))}::text[],
        ${texts(results.map(result => result.kind))}::text[],
        ${smallints(results.map(result => result.attempt))}::smallint[],
        ${texts(results.map(result => result.status))}::text[],
        ${texts(results.map(result => result.failure_source))}::text[],
        ${texts(parts.map(part => part.agentId))}::text[],
        ${integers(results.map(result => result.config_version))}::integer[],
        ${instants(results.map(result => result.started_at))}::timestamptz[],
        ${instants(results.map(result => result.completed_at))}::timestamptz[],
        ${reals(results.map(result => result.latency_ms))}::real[],
        ${smallints(results.map(result => result.status_code))}::smallint[],
        ${jsons(parts.map(part => part.detail))}::json[],
        ${bigints(parts.map(part => part.shape))}::bigint[],
        ${byteas(parts.map(part => part.figures))}::bytea[],
        ${smallints(results.map(result => result.bin))}::smallint[],
        ${smallints(countInHours(results))}::smallint[]
      ) with ordinality as result (
        ${keyColumns}, status, failure_source, agent_id, config_version, started_at, completed_at, latency_ms,
        status_code, detail, shape, figures, bin, in_hour, index
      )
      cross join (values (${instant(receivedAt)}::timestamptz)) as batch (received_at)
    ), stored as (
      insert into check_results (${resultColumns})
      select ${resultColumns}
      from input
      order by ${keyColumns}
      on conflict do nothing
      returning ${keyColumns}
    ), fresh as (
      select monitor_id, scheduled_at, region, status, latency_ms, bin, in_hour, index
      from stored
      join input using (${keyColumns})
    ), ${rollUp}
    select
      count(*)::integer as stored,
      case when count(*) = ${results.length} then null else array_agg(index::integer - 1) end as indexes
    from fresh`;
  if (row === null || row.stored === 0) return [];
  return row.indexes ?? results.map((_, index) => index);
}

/**
 * For each result how many results of the batch share its row of the roll-up, itself included; 0 if it does not count.
 */
function countInHours(results: readonly NewResult[]): number[] {
  const counts = new Map<string, number>();
  const keys = results.map(({ kind, attempt, monitor_id, region, scheduled_at }) => {
    if (kind !== 'scheduled' || attempt !== 1) return null;
    const key = `${monitor_id} ${region} ${Math.floor(scheduled_at / hourMs)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return key;
  });
  return keys.map(key => (key === null ? 0 : (counts.get(key) ?? 0)));
}

/** More than three regions yield in a day at the shortest interval. */
const samplesMax = 30_000;

/**
 * Samples with `scheduled_at` in (after, until] besides those of `except`; the newest if there are very many. As two
 * texts, since a row per sample takes our side ten times as long.
 */
export async function samplesIn(
  sql: Sql,
  monitorId: string,
  { afterMs, untilMs }: Window,
  except: readonly NewResult[],
): Promise<Sample[]> {
  const row = await sql.row<{ instants: string | null; latencies: string | null }>`
    select
      string_agg((extract(epoch from scheduled_at) * 1000)::bigint::text, ' ') as instants,
      string_agg(latency_ms::text, ' ') as latencies
    from (
      select scheduled_at, latency_ms
      from check_results r
      where monitor_id = ${monitorId}
        and scheduled_at > ${instant(afterMs)}
        and scheduled_at <= ${instant(untilMs)}
        and kind = 'scheduled'
        and status in ('ok', 'warn')
        and latency_ms is not null
        and (scheduled_at, region, attempt) not in (
          select e.scheduled_at, e.region, e.attempt
          from unnest(
            ${instants(except.map(result => result.scheduled_at))}::timestamptz[],
            ${texts(except.map(result => result.region))}::text[],
            ${smallints(except.map(result => result.attempt))}::smallint[]
          ) as e (scheduled_at, region, attempt)
        )
      order by scheduled_at desc
      limit ${samplesMax}
    ) as newest`;
  const latencies = numbersIn(row?.latencies);
  return numbersIn(row?.instants).map((at, index) => ({ scheduled_at: at, latency_ms: latencies[index] ?? 0 }));
}

function numbersIn(text: string | null | undefined): number[] {
  return text === null || text === undefined ? [] : text.split(' ').map(Number);
}

/** An hour of a monitor in a region; `hour` is its start. */
export type HourOfRegion = { monitorId: string; region: string; hour: number };

/** How many results are stored in each hour, counted up to `max`. */
export async function countRows(
  sql: Sql,
  hours: readonly HourOfRegion[],
  max: number,
): Promise<(HourOfRegion & { rows: number })[]> {
  return sql.rows<HourOfRegion & { rows: number }>`
    select h.monitor_id as "monitorId", h.region, h.hour, counted.rows
    from unnest(
      ${hours.map(hour => hour.monitorId)}::text[],
      ${hours.map(hour => hour.region)}::text[],
      ${hours.map(hour => instant(hour.hour))}::timestamptz[]
    ) as h (monitor_id, region, hour)
    cross join lateral (
      select count(*)::integer as rows
      from (
        select 1
        from check_results r
        where r.monitor_id = h.monitor_id
          and r.region = h.region
          and r.scheduled_at >= h.hour
          and r.scheduled_at < h.hour + interval '1 hour'
        limit ${max}
      ) as found
    ) as counted`;
}

/** Deletes raw results, their shapes and the roll-up of whole monitors. */
export async function deleteResultsOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run`delete from check_results where monitor_id = any(${monitorIds}::text[])`;
  await deleteShapesOf(sql, monitorIds);
  await deleteHoursOf(sql, monitorIds);
  await deleteDays(sql, monitorIds);
}
