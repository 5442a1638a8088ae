import type { ExecutionContext } from 'ava';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import type { Clock } from '#shared/clock.ts';
import { type Api, apiOf, createTenant, type Reply, startReplica, withSql } from './control-plane.ts';
import { sharedReplica } from './shared-replica.ts';

/** A project on the file's replica, or on its own with `options`, and short ways to its events. */
export type EventWorld = {
  replica: RunningControlPlane;
  projectId: string;
  token: string;
  api: Api;
  send(body: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** The project's events in the database, in order of their ids. */
  stored(): Promise<StoredEvent[]>;
};

export type StoredEvent = {
  id: string;
  name: string;
  type: string;
  external_user_id: string | null;
  props: Record<string, unknown> | null;
  timestamp: number;
};

export async function openEventWorld(
  t: ExecutionContext,
  databaseUrl: string,
  options?: { clock?: Clock; changes?: Parameters<typeof startReplica>[1] },
): Promise<EventWorld> {
  const replica = await (options === undefined
    ? sharedReplica(databaseUrl)
    : startReplica(databaseUrl, options.changes, options.clock));
  if (options !== undefined) t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseUrl);
  const api = apiOf(replica.url, token);
  return {
    replica,
    projectId,
    token,
    api,
    send: (body, headers) => api('POST', '/v0/events', body, headers),
    stored: () =>
      withSql(
        databaseUrl,
        sql =>
          sql.rows<StoredEvent>`
            select id, name, type, external_user_id, props, timestamp
            from events
            where project_id = ${projectId}
            order by id`,
      ),
  };
}

/** Raises a project's limits so far that nothing is refused. */
export function raiseLimits(databaseUrl: string, projectId: string): Promise<unknown> {
  return withSql(
    databaseUrl,
    sql =>
      sql.run`update projects set sustained_per_second = 1000000, burst_per_second = 2000000 where id = ${projectId}`,
  );
}

/** From now on the limiter's clock stands still until it is set again; returns how to set it. */
export async function stopLimiterClock(databaseUrl: string): Promise<(ms: number) => Promise<unknown>> {
  const set = (ms: number) =>
    withSql(databaseUrl, sql => sql.run`update limiter_clock set at = ${new Date(ms).toISOString()}`);
  await withSql(databaseUrl, async sql => {
    await sql.run`create table limiter_clock (at timestamptz not null)`;
    await sql.run`insert into limiter_clock values ('2026-01-01T00:00:00Z')`;
    await sql.run`
      create or replace function ingest_clock() returns timestamptz language sql volatile as
      'select at from limiter_clock'`;
  });
  return set;
}
