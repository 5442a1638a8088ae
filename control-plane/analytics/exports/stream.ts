import type { Transact } from '../../platform/http/endpoint/endpoint.ts';
import {
  type ExportKey,
  type ExportPosition,
  type ExportRange,
  type ExportRow,
  listExportKeys,
  listOfUser,
  readExported,
} from './export-store.ts';
import type { Format } from './lines.ts';

/** About 4 MB of keys. */
const keysAtOnce = 20_000;
/** An event has at most 32 KiB. */
const rowsAtOnce = 100;

/** Reads on as the client does: no transaction waits for it, and a few events are in memory at once. */
export async function* writeEvents(format: Format, portions: AsyncIterable<ExportRow[]>): AsyncGenerator<string> {
  if (format.start !== '') yield format.start;
  let count = 0;
  for await (const rows of portions) {
    count += rows.length;
    if (rows.length > 0) yield rows.map(format.write).join('');
  }
  const end = format.end(count);
  if (end !== '') yield end;
}

/** All events of a range after a position, by time and id. */
export async function* readRange(
  transact: Transact,
  range: ExportRange,
  start: ExportPosition | null,
  keysMax = keysAtOnce,
): AsyncGenerator<ExportRow[]> {
  for (let after = start; ; ) {
    const keys: ExportKey[] = await transact(sql => listExportKeys(sql, range, after, keysMax));
    for (let first = 0; first < keys.length; first += rowsAtOnce) {
      const portion = keys.slice(first, first + rowsAtOnce);
      yield await transact(sql => readExported(sql, range.projectId, portion));
    }
    const last = keys.at(-1);
    if (keys.length < keysMax || last === undefined) return;
    after = last;
  }
}

/** All events of a user, by time and id. */
export async function* readUser(
  transact: Transact,
  user: Parameters<typeof listOfUser>[1],
): AsyncGenerator<ExportRow[]> {
  for (let after: ExportPosition | null = null; ; ) {
    const position: ExportPosition | null = after;
    const rows: ExportRow[] = await transact(sql => listOfUser(sql, user, position, rowsAtOnce));
    yield rows;
    const last = rows.at(-1);
    if (rows.length < rowsAtOnce || last === undefined) return;
    after = last;
  }
}
