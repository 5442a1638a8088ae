import type { DatabaseSync } from 'node:sqlite';
import { numberOf, textOf } from '../draft/values.ts';
import { type Item, SourceError } from '../imported.ts';
import type { Beat, Bucket, KumaSource } from './source.ts';

/** Tables that are read as a whole; each has few rows. */
const tables = new Set([
  'monitor',
  'tag',
  'monitor_tag',
  'notification',
  'monitor_notification',
  'proxy',
  'maintenance',
  'monitor_maintenance',
  'maintenance_status_page',
  'status_page',
  'status_page_cname',
  'group',
  'monitor_group',
  'incident',
  'setting',
  'docker_host',
  'remote_browser',
]);

/** Reads a database of Uptime Kuma 1 or 2, without writing to it. Throws `SourceError`. */
export async function openDatabase(path: string): Promise<KumaSource & Disposable> {
  const sqlite = await import('node:sqlite').catch(() => {
    throw new SourceError('Reading Uptime Kuma’s database needs Node 22.13 or newer; `npm run upquorum` has it.');
  });
  let database: DatabaseSync;
  let known: Set<string>;
  try {
    database = new sqlite.DatabaseSync(path, { readOnly: true });
    known = namesOf(database);
  } catch {
    throw new SourceError(`${path} is no database of SQLite that can be read.`);
  }
  if (!known.has('monitor') || !known.has('heartbeat')) {
    database.close();
    throw new SourceError(`${path} is no database of Uptime Kuma: it has no monitors.`);
  }
  return {
    version: known.has('stat_daily') ? '2' : '1',
    rows: table => (tables.has(table) && known.has(table) ? rowsOf(database, table) : []),
    beats: (monitorId, fromMs) => beatsOf(database, monitorId, fromMs),
    buckets: (monitorId, fromMs) => [
      ...(known.has('stat_hourly') ? bucketsOf(database, 'stat_hourly', 3600, monitorId, fromMs) : []),
      ...(known.has('stat_daily') ? bucketsOf(database, 'stat_daily', 86_400, monitorId, fromMs) : []),
    ],
    [Symbol.dispose]: () => database.close(),
  };
}

function namesOf(database: DatabaseSync): Set<string> {
  const rows = database.prepare(`select name from sqlite_master where type = 'table'`).all();
  return new Set(rows.map(({ name }) => textOf(name)));
}

/** The name is one of `tables`; its columns differ between versions. */
function rowsOf(database: DatabaseSync, table: string): Item[] {
  const columns = database.prepare('select name from pragma_table_info(?)').all(table);
  const names = columns.map(({ name }) => `"${textOf(name).replaceAll('"', '""')}"`);
  return database.prepare(`select ${names.join(', ')} from "${table}" order by id`).all() as Item[];
}

function* beatsOf(database: DatabaseSync, monitorId: number, fromMs: number): Iterable<Beat> {
  const from = new Date(fromMs).toISOString().replace('T', ' ').replace('Z', '');
  const statement = database.prepare(
    'select time, status from heartbeat where monitor_id = ? and time >= ? order by time',
  );
  for (const { time, status } of statement.iterate(monitorId, from)) {
    const at = Date.parse(`${textOf(time).replace(' ', 'T').replace(/Z$/, '')}Z`);
    if (Number.isFinite(at)) yield { at, status: numberOf(status) ?? 2 };
  }
}

function bucketsOf(
  database: DatabaseSync,
  table: 'stat_hourly' | 'stat_daily',
  seconds: number,
  monitorId: number,
  fromMs: number,
): Bucket[] {
  const statement = database.prepare(
    `select timestamp, up, down from ${table}
    where monitor_id = ? and timestamp >= ? and up + down > 0 order by timestamp`,
  );
  return statement.all(monitorId, Math.floor(fromMs / 1000) - seconds).map(({ timestamp, up, down }) => ({
    at: (numberOf(timestamp) ?? 0) * 1000,
    seconds,
    up: numberOf(up) ?? 0,
    down: numberOf(down) ?? 0,
  }));
}
