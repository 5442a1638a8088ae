import { wait } from '#shared/wait.ts';
import { makeEvent, openProject, postRequest, startSenders } from '../../bench/load/event-senders.ts';
import type { Site } from '../../bench/site.ts';
import { until, withSql } from '../../support/control-plane.ts';

/** Senders of events that repeat what was not accepted, with its dedup_ids, until it is. */
export type EventLoad = {
  /** Waits until more requests are accepted. */
  more(): Promise<void>;
  /** Stops once nothing is left to repeat. */
  stop(): Promise<void>;
  /** What of it is stored. */
  audit(): Promise<EventAudit>;
  /** Answers by status; null for none. */
  answers(): Record<string, number>;
};

/** `lost`: answered with 202 and not stored. `twice`: stored more than once. */
export type EventAudit = { acknowledged: number; lost: number; twice: number };

export type EventLoadOptions = {
  connections: number;
  batch: number;
  /** Between an answer and the next request of its connection. */
  pauseMs: number;
  /** Whether the first of each batch has no dedup_id. It is never repeated. */
  plain: boolean;
};

const moreWithinMs = 90_000;

export async function openEventLoad(site: Site, options: EventLoadOptions): Promise<EventLoad> {
  const { connections, batch, pauseMs, plain } = options;
  const { projectId, token } = await openProject(site.databaseUrl);
  const acknowledged = new Set<string>();
  const statuses = new Map<number | null, number>();
  let [next, accepted, draining] = [0, 0, false];
  const sending: (string[] | null)[] = Array.from({ length: connections }, () => null);
  const requestOf = (connection: number): Uint8Array => {
    const keys = sending[connection] ?? Array.from({ length: batch }, () => `d${next++}`);
    if (plain) keys[0] = `p${next++}`;
    sending[connection] = keys;
    return postRequest(
      token,
      keys.map((key, index) => ({
        ...makeEvent(index),
        ...(key.startsWith('p') ? {} : { dedup_id: key }),
        props: { key },
      })),
    );
  };
  const senders = startSenders(
    Number(new URL(site.url).port),
    connections,
    requestOf,
    async (status, _, connection) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 202) return wait(100);
      for (const key of sending[connection] ?? []) acknowledged.add(key);
      sending[connection] = null;
      accepted += 1;
      await wait(draining ? 50 : pauseMs);
    },
  );
  const more = async () => {
    const before = accepted;
    await until(
      async () => accepted,
      now => now > before + connections,
      moreWithinMs,
    );
  };
  return {
    more,
    stop: async () => {
      draining = true;
      await more();
      await senders.stop();
    },
    answers: () => Object.fromEntries(statuses),
    audit: async () => {
      const stored = await withSql(
        site.databaseUrl,
        sql => sql.rows<{ key: string; count: number }>`
          select props ->> 'key' as key, count(*) as count
          from events
          where project_id = ${projectId}
          group by 1`,
      );
      const found = new Map(stored.map(row => [row.key, row.count]));
      return {
        acknowledged: acknowledged.size,
        lost: [...acknowledged].filter(key => !found.has(key)).length,
        twice: [...found.values()].filter(count => count > 1).length,
      };
    },
  };
}
