import { type Item, SourceError } from '../imported.ts';

/** One check of Uptime Kuma: 0 down, 1 up, 2 pending, 3 maintenance; milliseconds since 1970. */
export type Beat = { at: number; status: number };

/** The checks of an hour or a day from `at` on, of which Kuma kept only the counts. */
export type Bucket = { at: number; seconds: number; up: number; down: number };

/** What an importer reads of Uptime Kuma, wherever it comes from. */
export type KumaSource = {
  version: string | null;
  /** The rows of a table in the order of their ids; none of a table that is not there. */
  rows(table: string): readonly Item[];
  /** Ascending. */
  beats(monitorId: number, fromMs: number): Iterable<Beat>;
  buckets(monitorId: number, fromMs: number): readonly Bucket[];
};

/** The JSON backup of Uptime Kuma 1 as tables. It has no history, pages or windows. Throws `SourceError`. */
export function readBackup(path: string, text: string): KumaSource {
  const backup = parsed(text);
  if (!Array.isArray(backup?.monitorList))
    throw new SourceError(`${path} is no backup of Uptime Kuma: it has no \`monitorList\`.`);
  const monitors = (backup.monitorList as Item[]).map(toRow);
  const tags = monitors.flatMap(({ id, tags }) =>
    (Array.isArray(tags) ? (tags as Item[]) : []).map(tag => ({ ...tag, monitor_id: id })),
  );
  const links = monitors.flatMap(({ id, notifications }) =>
    Object.entries((notifications ?? {}) as Item)
      .filter(([, isOn]) => isOn === true)
      .map(([notification_id]) => ({ monitor_id: id, notification_id: Number(notification_id) })),
  );
  const tables: Readonly<Record<string, readonly Item[]>> = {
    monitor: monitors,
    monitor_tag: tags,
    tag: tags.map((tag: Item) => ({ id: tag.tag_id, name: tag.name })),
    notification: Array.isArray(backup.notificationList) ? (backup.notificationList as Item[]).map(toRow) : [],
    monitor_notification: links,
    proxy: Array.isArray(backup.proxyList) ? (backup.proxyList as Item[]).map(toRow) : [],
  };
  return {
    version: typeof backup.version === 'string' ? backup.version : null,
    rows: table => tables[table] ?? [],
    beats: () => [],
    buckets: () => [],
  };
}

/** Names of the backup as columns: `retryInterval` is `retry_interval`. */
function toRow(given: Item): Item {
  if (typeof given !== 'object' || given === null) return {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const column = name.replaceAll(/(?<=[a-z])([A-Z])/g, '_$1').toLowerCase();
      if (column === 'accepted_statuscodes') return ['accepted_statuscodes_json', value];
      return [column === 'notification_idlist' ? 'notifications' : column, value];
    }),
  );
}

function parsed(text: string): Item | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Item) : null;
  } catch {
    return null;
  }
}
