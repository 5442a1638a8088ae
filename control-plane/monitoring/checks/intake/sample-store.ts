import { instants, smallints, texts } from '../../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../../platform/db/sql.ts';
import type { NewResult } from '../storage/insert-store.ts';
import type { Sample, Window } from './window-p95.ts';

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
