import { minuteMs, secondMs } from '#shared/duration.ts';
import type { Logger } from '#shared/log.ts';
import { warnThrottled } from '../../platform/resilience/throttled-warning.ts';
import { addChanges, type Batch, everything } from './batch.ts';
import { type ChangeRow, changeOf } from './topic.ts';

/** Called with the instant up to which everything was sent, and what changed before it. */
type Listener = (untilMs: number, batch: Batch) => void;

export type ChangeFeed = AsyncDisposable & {
  /** Calls back with each change of the project from now on. Returns the function that ends it. */
  subscribe(projectId: string, listener: Listener): () => void;
  /** What changed since an instant; everything, if that is too long ago to say. */
  since(projectId: string, sinceMs: number): Promise<Batch>;
  /** Reports next that anything may have changed: another server may lack what listeners heard of. */
  tellEverything(): void;
  /** Reads what changed now; the feed does so by itself once a second. */
  refresh(): Promise<void>;
  now(): number;
  /** Aborted when the feed ends, so that streams end with it. */
  closing: AbortSignal;
};

type Options = {
  /** At most `limit` rows of each source a project, the newest. */
  read(projectIds: readonly string[], sinceMs: number, limit: number): Promise<(ChangeRow & { project_id: string })[]>;
  now(): number;
  log: Logger;
  everyMs?: number;
};

/** A change may become visible this long after its own time: its transaction has to end first. */
export const overlapMs = 20 * secondMs;
const resumableMs = 15 * minuteMs;
const rowsMax = 500;

/**
 * Reads what changed in the projects somebody listens to, once a second for all of them together, and not at all if
 * nobody does. Changes are read by their time, again and again for as long as their transactions may last, and sent
 * once.
 */
export function createChangeFeed({ read, now, log, everyMs = secondMs }: Options): ChangeFeed {
  const listeners = new Map<string, Set<Listener>>();
  /** When each change that was sent happened to be read, by project and key. */
  const sent = new Map<string, Map<string, number>>();
  /** Each project is read from here on. */
  const readFrom = new Map<string, number>();
  /** Projects whose listeners must read all again. */
  const lost = new Set<string>();
  let reading: Promise<void> | null = null;
  const closing = new AbortController();
  const warn = warnThrottled(log, 'could not read the change feed', {});

  const readAll = async (): Promise<void> => {
    const projectIds = [...listeners.keys()];
    if (projectIds.length === 0) return;
    const startedAt = now();
    const from = Math.min(...projectIds.map(id => readFrom.get(id) ?? startedAt)) - overlapMs;
    const rows = Map.groupBy(await read(projectIds, from, rowsMax), row => row.project_id);
    for (const projectId of projectIds) {
      const found = rows.get(projectId) ?? [];
      const isUnknown = lost.delete(projectId) || isCut(found);
      const batch = isUnknown ? everything : takeNew(projectId, found, startedAt);
      readFrom.set(projectId, startedAt);
      for (const listener of listeners.get(projectId) ?? []) listener(startedAt, batch);
    }
  };
  const takeNew = (projectId: string, rows: readonly ChangeRow[], atMs: number): Batch => {
    const known = sent.get(projectId) ?? new Map<string, number>();
    sent.set(projectId, known);
    const changes = rows.map(changeOf).filter(change => change !== null);
    const fresh = changes.filter(({ key }) => !known.has(key));
    // What is still read is still known.
    for (const { key } of changes) known.set(key, atMs);
    for (const [key, at] of known) if (at < atMs) known.delete(key);
    return addChanges(new Map(), fresh);
  };
  const refresh = (): Promise<void> => {
    reading ??= readAll()
      .catch(warn)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  const timer = setInterval(refresh, everyMs);
  return {
    refresh,
    tellEverything: () => {
      sent.clear();
      for (const projectId of listeners.keys()) lost.add(projectId);
    },
    now,
    closing: closing.signal,
    subscribe: (projectId, listener) => {
      const own = listeners.get(projectId) ?? new Set();
      listeners.set(projectId, own.add(listener));
      if (own.size === 1) readFrom.set(projectId, now());
      return () => {
        own.delete(listener);
        if (own.size > 0) return;
        listeners.delete(projectId);
        readFrom.delete(projectId);
        lost.delete(projectId);
        sent.delete(projectId);
      };
    },
    since: async (projectId, sinceMs) => {
      if (sinceMs < now() - resumableMs) return everything;
      const rows = await read([projectId], sinceMs - overlapMs, rowsMax);
      if (isCut(rows)) return everything;
      return addChanges(
        new Map(),
        rows.map(changeOf).filter(change => change !== null),
      );
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      clearInterval(timer);
      await reading;
    },
  };
}

/** True if there may be more rows than were read. */
function isCut(rows: readonly ChangeRow[]): boolean {
  return (['fact', 'verdict', 'audit'] as const).some(
    source => rows.filter(row => row.source === source).length >= rowsMax,
  );
}
