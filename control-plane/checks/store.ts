import type { WireResult } from '#shared/check-result.ts';
import { instants, integers, jsons, reals, smallints, texts } from '../db/binary-array.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { VersionRules } from './accept.ts';
import { binCount } from './latency-bins.ts';
import type { ResultRow } from './result.ts';

/** A result about to be stored; `detail` is JSON text. `bin` is null when its latency does not count. */
export type NewResult = WireResult & {
  region: string;
  agentId: string;
  receivedAt: number;
  bin: number | null;
  detail: string;
};

const bins = Array.from({ length: binCount }, (_, index) => index);
const oneOf = (place: number) => `'{${bins.map(bin => (bin === place ? 1 : 0)).join(',')}}'::smallint[]`;
const sumCounts =
  'ok = held.ok + excluded.ok, warn = held.warn + excluded.warn, err = held.err + excluded.err, latency_sum = held.latency_sum + excluded.latency_sum, latency_max = greatest(held.latency_max, excluded.latency_max)';
const itsBin = 'coalesce(array_position(excluded.latency_bins, 1::smallint), 1)';

/** Rows that are alone in their hour, as nearly all of a batch are, touch one bin: 3 µs of 23 a row less than adding all 48. */
const insertResults = `
with input as (
  select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::smallint[], $6::text[], $7::text[], $8::text[], $9::integer[],
    $10::timestamptz[], $11::timestamptz[], $12::real[], $13::smallint[], $14::json[], $15::smallint[], $16::smallint[]) with ordinality
    as i (monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version, started_at, completed_at, latency_ms,
      status_code, detail, bin, in_hour, place)
), stored as (
  insert into check_results (monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version, started_at,
    completed_at, received_at, latency_ms, status_code, detail)
  select monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version, started_at, completed_at, $17::timestamptz,
    latency_ms, status_code, detail from input order by monitor_id, scheduled_at, region, kind, attempt
  on conflict do nothing
  returning monitor_id, scheduled_at, region, kind, attempt
), fresh as (
  select input.* from stored join input using (monitor_id, scheduled_at, region, kind, attempt)
), rolled_alone as (
  insert into checks_hourly as held (monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins)
  select monitor_id, date_bin('1 hour', scheduled_at, '2000-01-01Z'), region, (status = 'ok')::integer, (status = 'warn')::integer,
    (status = 'err')::integer, case when bin is null then 0 else latency_ms end, case when bin is null then 0 else latency_ms end,
    coalesce(one.bins, ${oneOf(-1)})
  from fresh left join (values ${bins.map(bin => `(${bin}::smallint, ${oneOf(bin)})`).join(', ')}) as one (bin, bins) using (bin)
  where in_hour = 1 order by 1, 2, 3
  on conflict (monitor_id, hour, region) do update set ${sumCounts},
    latency_bins[${itsBin}] = held.latency_bins[${itsBin}] + excluded.latency_bins[${itsBin}]
), rolled_together as (
  insert into checks_hourly as held (monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins)
  select monitor_id, date_bin('1 hour', scheduled_at, '2000-01-01Z'), region, count(*) filter (where status = 'ok'), count(*) filter (where status = 'warn'),
    count(*) filter (where status = 'err'), coalesce(sum(latency_ms) filter (where bin is not null), 0),
    coalesce(max(latency_ms) filter (where bin is not null), 0),
    array[${bins.map(bin => `count(*) filter (where bin = ${bin})`).join(', ')}]::smallint[]
  from fresh where in_hour > 1 group by 1, 2, 3 order by 1, 2, 3
  on conflict (monitor_id, hour, region) do update set ${sumCounts},
    latency_bins = array[${bins.map(bin => `held.latency_bins[${bin + 1}] + excluded.latency_bins[${bin + 1}]`).join(', ')}]::smallint[]
)
select count(*)::integer as stored, case when count(*) = $18 then null else array_agg(place::integer - 1) end as places from fresh`;

/**
 * Stores results once and keeps the hourly roll-up, in one statement. Returns the places of those that were new;
 * the others were there already. Sorted by key, so that overlapping writers never wait for each other in a circle.
 */
export async function storeResults(sql: Sql, results: readonly NewResult[], receivedAt: number): Promise<number[]> {
  const row = await sql.row<{ stored: number; places: number[] | null }>(insertResults, [
    texts(results.map(result => result.monitor_id)),
    instants(results.map(result => result.scheduled_at)),
    texts(results.map(result => result.region)),
    texts(results.map(result => result.kind)),
    smallints(results.map(result => result.attempt)),
    texts(results.map(result => result.status)),
    texts(results.map(result => result.failure_source)),
    texts(results.map(result => result.agentId)),
    integers(results.map(result => result.config_version)),
    instants(results.map(result => result.started_at)),
    instants(results.map(result => result.completed_at)),
    reals(results.map(result => result.latency_ms)),
    smallints(results.map(result => result.status_code)),
    jsons(results.map(result => result.detail)),
    smallints(results.map(result => result.bin)),
    smallints(countInHours(results)),
    instant(receivedAt),
    results.length,
  ]);
  if (row === null || row.stored === 0) return [];
  return row.places ?? results.map((_, place) => place);
}

const hourMs = 3_600_000;

/** For each result how many of the batch count in its row of the roll-up, itself included; 0 when it does not count. */
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

/** Computes hours of one monitor again from raw results: for repairs, never needed in normal work. */
export async function rebuildHours(sql: Sql, monitorId: string, fromMs: number, toMs: number): Promise<void> {
  const range = [monitorId, instant(fromMs), instant(toMs)];
  await sql.run('delete from checks_hourly where monitor_id = $1 and hour >= $2 and hour < $3', range);
  await sql.run(
    `insert into checks_hourly (monitor_id, hour, region, ok, warn, err, latency_sum, latency_max, latency_bins)
     select monitor_id, date_bin('1 hour', scheduled_at, '2000-01-01Z'), region, count(*) filter (where status = 'ok'),
       count(*) filter (where status = 'warn'), count(*) filter (where status = 'err'), coalesce(sum(latency_ms) filter (where status <> 'err'), 0),
       coalesce(max(latency_ms) filter (where status <> 'err'), 0),
       array[${bins.map(bin => `count(*) filter (where status <> 'err' and latency_ms is not null and ${binSql(bin)})`).join(', ')}]::smallint[]
     from check_results where monitor_id = $1 and scheduled_at >= $2 and scheduled_at < $3 and kind = 'scheduled' and attempt = 1 group by 1, 2, 3`,
    range,
  );
}

function binSql(bin: number): string {
  const position = 'ceil(log(2, greatest(latency_ms, 1)::numeric) * 3)';
  return bin === binCount - 1 ? `${position} >= ${bin}` : `${position} = ${bin}`;
}

/** Versions by `monitor version`, for results that name them. */
export async function findVersions(
  sql: Sql,
  pairs: readonly (readonly [string, number])[],
): Promise<Map<string, VersionRules>> {
  const rows = await sql.rows<{
    monitor_id: string;
    config_version: number;
    project_id: string;
    regions: string[];
    interval_ms: number;
    timeout_ms: number;
    p95_assertions: VersionRules['p95'];
  }>(
    `select v.monitor_id, v.config_version, v.project_id, v.regions, v.interval_ms, v.timeout_ms, v.p95_assertions from unnest($1::text[], $2::integer[]) as wanted (monitor_id, config_version)
     join monitor_versions v on v.monitor_id = wanted.monitor_id and v.config_version = wanted.config_version where not v.deleted`,
    [pairs.map(pair => pair[0]), pairs.map(pair => pair[1])],
  );
  return new Map(
    rows.map(row => [
      `${row.monitor_id} ${row.config_version}`,
      {
        projectId: row.project_id,
        regions: row.regions,
        intervalMs: row.interval_ms,
        timeoutMs: row.timeout_ms,
        p95: row.p95_assertions,
      },
    ]),
  );
}

/** A latency that counts for `latency_p95`. */
export type Sample = { region: string; scheduled_at: number; attempt: number; latency_ms: number };

/** Samples with `scheduled_at` in (after, until]. */
export async function samplesIn(sql: Sql, monitorId: string, afterMs: number, untilMs: number): Promise<Sample[]> {
  return sql.rows<Sample>(
    `select region, scheduled_at, attempt, latency_ms from check_results where monitor_id = $1 and scheduled_at > $2 and scheduled_at <= $3
       and kind = 'scheduled' and status in ('ok', 'warn') and latency_ms is not null`,
    [monitorId, instant(afterMs), instant(untilMs)],
  );
}

/** Filters of the history; `statuses` and `region` may be null. */
export type HistoryFilter = {
  monitorId: string;
  fromMs: number | null;
  toMs: number | null;
  region: string | null;
  status: string | null;
};

/** Newest first. The id in a page's key is the rest of the primary key, in its order. */
export async function listResults(sql: Sql, filter: HistoryFilter, page: Page): Promise<ResultRow[]> {
  const [region, kind, attempt] = (page.after?.[1] ?? '').split('/');
  return sql.rows<ResultRow>(
    `select * from check_results where monitor_id = $1 and scheduled_at >= coalesce($2::timestamptz, '-infinity')
       and scheduled_at < coalesce($3::timestamptz, 'infinity') and ($4::text is null or region = $4) and ($5::text is null or status = $5)
       and scheduled_at <= coalesce($6::timestamptz, 'infinity') and ($6 is null or (scheduled_at, region, kind, attempt) < ($6, $7, $8, $9::smallint))
     order by monitor_id desc, scheduled_at desc, region desc, kind desc, attempt desc limit $10`,
    [
      filter.monitorId,
      instant(filter.fromMs),
      instant(filter.toMs),
      filter.region,
      filter.status,
      instant(page.after?.[0] ?? null),
      region ?? '',
      kind ?? '',
      Number(attempt ?? 0) || 0,
      page.limit + 1,
    ],
  );
}

/** The key of a row for `listResults`. */
export function historyKey(row: ResultRow): readonly [number, string] {
  return [row.scheduled_at, `${row.region}/${row.kind}/${row.attempt}`];
}

export async function deleteResultsOf(sql: Sql, monitorIds: readonly string[]): Promise<void> {
  await sql.run('delete from check_results where monitor_id = any($1::text[])', [monitorIds]);
  await sql.run('delete from checks_hourly where monitor_id = any($1::text[])', [monitorIds]);
}
