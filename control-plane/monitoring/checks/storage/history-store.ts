import type { CheckKind, CheckStatus } from '#shared/check-result.ts';
import { dayOf } from '#shared/duration.ts';
import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { Page } from '../../../platform/http/endpoint/pagination.ts';
import type { ResultRow } from '../result.ts';
import { joinParts, type ReadParts, type Template } from './template.ts';
import { findTemplates } from './template-store.ts';

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

const storedColumns = fragment`
  monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version, started_at,
  completed_at, received_at, latency_ms, status_code, detail, shape as template, figures as metrics`;

/** A page of the history, newest first. The id in a page's key is the rest of the primary key, in its order. */
export async function listResults(sql: Sql, filter: HistoryFilter, page: Page): Promise<ResultRow[]> {
  const [afterMs = null, afterKey = ''] = page.after ?? [];
  const [region = '', kind = '', attempt = ''] = afterKey.split('/');
  const rows = await sql.rows<StoredRow>`
    select ${storedColumns}
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
  return joinRows(sql, filter.monitorId, rows);
}

async function templatesOf(sql: Sql, monitorId: string, rows: readonly StoredRow[]): Promise<Map<number, Template>> {
  const hashes = [...new Set(rows.flatMap(row => row.template ?? []))];
  if (hashes.length === 0) return new Map();
  // A page is in the order of its slots.
  const [newest, oldest] = [rows[0]?.scheduled_at ?? 0, rows.at(-1)?.scheduled_at ?? 0];
  return findTemplates(sql, monitorId, { fromDay: dayOf(oldest), toDay: dayOf(newest), hashes });
}

/** Which results: of a monitor's regions, with one of the statuses, scheduled since an instant. */
export type NewestFilter = {
  monitorId: string;
  regions: readonly string[];
  statuses: readonly string[];
  sinceMs: number;
};

/** The newest attempt that the filter lets through, as the history shows it; or null. */
export async function findNewestOf(
  sql: Sql,
  { monitorId, regions, statuses, sinceMs }: NewestFilter,
): Promise<ResultRow | null> {
  const rows = await sql.rows<StoredRow>`
    select ${storedColumns}
    from check_results
    where monitor_id = ${monitorId}
      and scheduled_at >= ${instant(sinceMs)}
      and region = any(${regions}::text[])
      and status = any(${statuses}::text[])
    order by scheduled_at desc, attempt desc
    limit 1`;
  const [newest = null] = await joinRows(sql, monitorId, rows);
  return newest;
}

/** Puts rows of one monitor together with what they have in common. */
async function joinRows(sql: Sql, monitorId: string, rows: readonly StoredRow[]): Promise<ResultRow[]> {
  const templates = await templatesOf(sql, monitorId, rows);
  return rows.map(({ template, metrics, ...row }) => ({
    ...row,
    ...joinParts({ ...row, template, metrics }, templates.get(template ?? -1)),
  }));
}

/** The key of a row for `listResults`. */
export function historyKey(row: ResultRow): readonly [number, string] {
  return [row.scheduled_at, `${row.region}/${row.kind}/${row.attempt}`];
}
