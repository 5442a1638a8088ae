import type { CheckKind, CheckStatus } from '#shared/check-result.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { ResultRow } from './result.ts';
import { joinParts, type ReadParts, type Shape } from './shape.ts';
import { dayOf } from './shape-book.ts';
import { findShapes } from './shape-store.ts';

/** Filters of the history; one that is left out does not filter. */
export type HistoryFilter = {
  monitorId: string;
  fromMs?: number | undefined;
  toMs?: number | undefined;
  /** The slot. */
  atMs?: number | undefined;
  region?: string | undefined;
  kind?: CheckKind | undefined;
  status?: CheckStatus | undefined;
};

type StoredRow = Omit<ResultRow, 'agent_id' | 'detail'> & ReadParts;

/** A page of the history, newest first. The id in a page's key is the rest of the primary key, in its order. */
export async function listResults(sql: Sql, filter: HistoryFilter, page: Page): Promise<ResultRow[]> {
  const [afterMs = null, afterKey = ''] = page.after ?? [];
  const [region = '', kind = '', attempt = ''] = afterKey.split('/');
  const rows = await sql.rows<StoredRow>`
    select
      monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version, started_at,
      completed_at, received_at, latency_ms, status_code, detail, shape, figures
    from check_results
    where monitor_id = ${filter.monitorId}
      and scheduled_at >= coalesce(${instant(filter.fromMs ?? null)}::timestamptz, '-infinity')
      and scheduled_at < coalesce(${instant(filter.toMs ?? null)}::timestamptz, 'infinity')
      and scheduled_at >= coalesce(${instant(filter.atMs ?? null)}::timestamptz, '-infinity')
      and scheduled_at <= coalesce(${instant(filter.atMs ?? null)}::timestamptz, 'infinity')
      and (${filter.region ?? null}::text is null or region = ${filter.region ?? null}::text)
      and (${filter.kind ?? null}::text is null or kind = ${filter.kind ?? null}::text)
      and (${filter.status ?? null}::text is null or status = ${filter.status ?? null}::text)
      and scheduled_at <= coalesce(${instant(afterMs)}::timestamptz, 'infinity')
      and (
        ${instant(afterMs)}::timestamptz is null
        or (scheduled_at, region, kind, attempt)
          < (${instant(afterMs)}::timestamptz, ${region}, ${kind}, ${Number(attempt) || 0}::smallint)
      )
    order by scheduled_at desc, region desc, kind desc, attempt desc
    limit ${page.limit + 1}`;
  const shapes = await shapesOf(sql, filter.monitorId, rows);
  return rows.map(({ shape, figures, ...row }) => ({
    ...row,
    ...joinParts({ ...row, shape, figures }, shapes.get(shape ?? -1)),
  }));
}

async function shapesOf(sql: Sql, monitorId: string, rows: readonly StoredRow[]): Promise<Map<number, Shape>> {
  const hashes = [...new Set(rows.flatMap(row => row.shape ?? []))];
  if (hashes.length === 0) return new Map();
  // A page is in the order of its slots.
  const [newest, oldest] = [rows[0]?.scheduled_at ?? 0, rows.at(-1)?.scheduled_at ?? 0];
  return findShapes(sql, monitorId, { fromDay: dayOf(oldest), toDay: dayOf(newest), hashes });
}

/** The key of a row for `listResults`. */
export function historyKey(row: ResultRow): readonly [number, string] {
  return [row.scheduled_at, `${row.region}/${row.kind}/${row.attempt}`];
}
