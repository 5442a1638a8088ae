import { toTimestamp } from '#shared/clock.ts';
import type { ExportRow } from './export-store.ts';

export const lineType = 'application/x-ndjson';
export const csvType = 'text/csv';

const columns = [
  'id',
  'name',
  'type',
  'timestamp',
  'ingested_at',
  'external_user_id',
  'session_id',
  'props',
] as const satisfies readonly (keyof ExportRow)[];

/** How events are written: one text for each, and what comes before and after them. */
export type Format = { start: string; write(row: ExportRow): string; end(count: number): string };

export const ndjson: Format = {
  start: '',
  write: row => {
    const times = { timestamp: toTimestamp(row.timestamp), ingested_at: toTimestamp(row.ingested_at) };
    const { id, name, type, external_user_id, session_id, props } = row;
    return `${JSON.stringify({ id, name, type, ...times, external_user_id, session_id, props })}\n`;
  },
  end: count => `${JSON.stringify({ complete: true, count })}\n`,
};

/** RFC 4180. Values are as they are: what a spreadsheet takes for a formula is not changed. */
export const csv: Format = {
  start: `${columns.join()}\r\n`,
  write: row => `${columns.map(column => field(textOf(row, column))).join()}\r\n`,
  end: () => '',
};

function textOf(row: ExportRow, column: (typeof columns)[number]): string {
  const value = row[column];
  if (typeof value === 'number') return toTimestamp(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? '');
}

function field(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
