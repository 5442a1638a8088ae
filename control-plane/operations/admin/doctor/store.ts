import { instant, type Sql } from '../../../platform/db/sql.ts';

/** What the server says of itself and of our role. */
export type ServerFacts = {
  version: string;
  number: number;
  role: string;
  owns: boolean;
  creates: boolean;
  offersTimescale: boolean;
  edition: string;
  sessions: number;
  sessionsMax: number;
  bytes: number;
};

/** How much arrives a day, and how long a stored row is. */
export type GrowthFacts = { results: number; events: number; resultBytes: number; eventBytes: number };

/** What waits, and what should be gone; ages in seconds, 0 if there is none. */
export type BacklogFacts = { factSeconds: number; deliverySeconds: number; expiredResults: boolean };

/** `streams` is 0 without a broker; `waitSeconds` is since when the one that is furthest behind was not caught up. */
export type IntakeFacts = { streams: number; waitSeconds: number; parked: number };

export type ConnectedProgram = { name: string; address: string };
export type AgentFacts = {
  name: string;
  region: string;
  version: string | null;
  online: boolean;
  clock: number | null;
};

export async function readServer(sql: Sql): Promise<ServerFacts> {
  const row = await sql.row<ServerFacts>`
    select
      current_setting('server_version') as version,
      current_setting('server_version_num')::integer as number,
      current_user::text as role,
      (select pg_get_userbyid(datdba) = current_user from pg_database where datname = current_database()) as owns,
      has_schema_privilege(current_schema(), 'create') as creates,
      exists (select from pg_available_extensions where name = 'timescaledb') as "offersTimescale",
      (select edition from storage_edition) as edition,
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as sessions,
      current_setting('max_connections')::integer as "sessionsMax",
      pg_database_size(current_database()) as bytes`;
  if (row === null) throw new Error('the database does not answer');
  return row;
}

export async function readGrowth(sql: Sql, nowMs: number): Promise<GrowthFacts> {
  const since = instant(nowMs - 86_400_000);
  const row = await sql.row<GrowthFacts>`
    select
      (select count(*) from check_results where scheduled_at > ${since}) as results,
      (select count(*) from events where ingested_at > ${since}) as events,
      (
        select coalesce(avg(pg_column_size(r)), 0)::float8
        from (select c as r from check_results c where c.scheduled_at > ${since} limit 1000) sample
      ) as "resultBytes",
      (
        select coalesce(avg(pg_column_size(r)), 0)::float8
        from (select e as r from events e where e.ingested_at > ${since} limit 1000) sample
      ) as "eventBytes"`;
  return row ?? { results: 0, events: 0, resultBytes: 0, eventBytes: 0 };
}

export async function readBacklog(sql: Sql, nowMs: number, resultsBeforeMs: number): Promise<BacklogFacts> {
  const now = instant(nowMs);
  const row = await sql.row<BacklogFacts>`
    select
      (
        select greatest(0, coalesce(extract(epoch from ${now}::timestamptz - min(due_at)), 0))::float8
        from facts
        where done_at is null
      ) as "factSeconds",
      (
        select greatest(0, coalesce(extract(epoch from ${now}::timestamptz - min(due_at)), 0))::float8
        from delivery_queues
        where due_at < 'infinity'
      ) as "deliverySeconds",
      exists (
        select from check_results where scheduled_at < ${instant(resultsBeforeMs)}
      ) as "expiredResults"`;
  return row ?? { factSeconds: 0, deliverySeconds: 0, expiredResults: false };
}

/** Our programs that are connected to the database. */
export function listPrograms(sql: Sql): Promise<ConnectedProgram[]> {
  return sql.rows<ConnectedProgram>`
    select application_name as name, coalesce(host(client_addr), 'this machine') as address
    from pg_stat_activity
    where datname = current_database() and application_name like 'upquorum _%'
    group by 1, 2
    order by 1, 2`;
}

export function readAgents(sql: Sql): Promise<AgentFacts[]> {
  return sql.rows<AgentFacts>`
    select name, region, version, online, clock_offset_ms as clock
    from agents
    where revoked_at is null
    order by region, name`;
}

/** Encrypted headers of the monitor that was changed last; null if there is no monitor. */
export function findSealed(sql: Sql): Promise<{ id: string; sealed_headers: Buffer } | null> {
  return sql.row<{ id: string; sealed_headers: Buffer }>`
    select id, sealed_headers
    from monitors
    order by updated_at desc
    limit 1`;
}

export async function readIntake(sql: Sql): Promise<IntakeFacts> {
  const row = await sql.row<IntakeFacts>`
    select count(*)::int as streams,
      coalesce(extract(epoch from max(clock_timestamp() - caught_up_at)), 0)::float8 as "waitSeconds",
      (select count(*)::int from intake_parked) as parked
    from intake_positions`;
  return row ?? { streams: 0, waitSeconds: 0, parked: 0 };
}
