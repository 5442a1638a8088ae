import type { ResultRow } from '#control-plane/monitoring/checks/result.ts';
import { listResults } from '#control-plane/monitoring/checks/storage/history-store.ts';
import { toTimestamp } from '#shared/clock.ts';
import { withSql } from '../support/control-plane.ts';

/** The columns of a row that has all of a result by itself, as version 0.3.0 stored it. */
export const reportedColumns = `monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id,
  config_version, started_at, completed_at, received_at, latency_ms, status_code, detail`;

/** The newest results of each monitor, about `rowsMax` in all, with these columns in the text form of COPY. */
export function readReported(
  databaseUrl: string,
  monitorIds: readonly string[],
  rowsMax: number,
): Promise<readonly Buffer[]> {
  const limit = Math.ceil(rowsMax / monitorIds.length);
  const page = { limit: limit - 1, after: null };
  return withSql(databaseUrl, async sql => {
    const chunks: Buffer[] = [];
    for (const monitorId of monitorIds) {
      const rows = await listResults(sql, { monitorId }, page);
      chunks.push(Buffer.from(rows.map(lineOf).join('')));
    }
    return chunks;
  });
}

function lineOf(row: ResultRow): string {
  const fields = [
    row.monitor_id,
    toTimestamp(row.scheduled_at),
    row.region,
    row.kind,
    row.attempt,
    row.status,
    row.failure_source,
    row.agent_id,
    row.config_version,
    toTimestamp(row.started_at),
    toTimestamp(row.completed_at),
    toTimestamp(row.received_at),
    row.latency_ms,
    row.status_code,
    JSON.stringify(row.detail),
  ];
  return `${fields.map(textOf).join('\t')}\n`;
}

function textOf(value: string | number | null): string {
  return value === null
    ? '\\N'
    : String(value).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
