import { bigints, byteas, instants, texts } from '../../platform/db/binary-array.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { actorsOf } from '../links/actor-store.ts';
import { decodeSet, encodeSet, type UserSet } from '../user-sets/user-set.ts';
import type { CountedType, Delta } from './cell.ts';
import type { ProjectDelta } from './deltas.ts';

/** Hours of an arrival day: the events that are counted together. */
export type HourOfDay = Pick<Delta, 'hour' | 'arrivedOn'>;

/** Projects with events to count, hours to count again, or days that are due for it. */
export async function listProjectsWithWork(sql: Sql, nowMs: number): Promise<string[]> {
  const rows = await sql.rows<{ project_id: string }>`
    select distinct project_id from event_cell_deltas
    union
    select distinct project_id from event_cell_recounts
    union
    select distinct project_id from event_cell_days where due_at <= ${instant(nowMs)}`;
  return rows.map(row => row.project_id);
}

/** Allows one count per project across replicas, until this transaction ends. False if another one runs. */
export async function lockCells(sql: Sql, projectId: string): Promise<boolean> {
  const row = await sql.row<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`event cells ${projectId}`}, 0)) as locked`;
  return row?.locked === true;
}

type DeltaRow = {
  type: CountedType;
  name: string;
  hour: number;
  arrived_on: string;
  events: number;
  first_at: number;
  last_at: number;
  at: number;
};

/** Leaves deltas to the next count: part of the statement or transaction that stores their events. */
export function insertDeltas(deltas: readonly ProjectDelta[]): Fragment {
  return fragment`
      insert into event_cell_deltas
        (project_id, type, name, hour, arrived_on, events, users, first_at, last_at, at)
      select project_id, type, name, hour, (day at time zone 'UTC')::date, events, users, first_at, last_at, at
      from unnest(
        ${texts(deltas.map(delta => delta.projectId))}::text[],
        ${texts(deltas.map(delta => delta.type))}::text[],
        ${texts(deltas.map(delta => delta.name))}::text[],
        ${instants(deltas.map(delta => delta.hour))}::timestamptz[],
        ${instants(deltas.map(delta => Date.parse(delta.arrivedOn)))}::timestamptz[],
        ${bigints(deltas.map(delta => delta.events))}::bigint[],
        ${byteas(deltas.map(delta => encodeSet(delta.users)))}::bytea[],
        ${instants(deltas.map(delta => delta.firstAt))}::timestamptz[],
        ${instants(deltas.map(delta => delta.lastAt))}::timestamptz[],
        ${instants(deltas.map(delta => delta.at))}::timestamptz[]
      ) as d (project_id, type, name, hour, day, events, users, first_at, last_at, at)`;
}

/** Takes at most `limit` deltas, the oldest first. They return to the queue if this transaction fails. */
export async function takeDeltas(sql: Sql, projectId: string, limit: number): Promise<Delta[]> {
  const rows = await sql.rows<DeltaRow & { users: Buffer }>`
    delete from event_cell_deltas
    where ctid = any(array(
      select ctid
      from event_cell_deltas
      where project_id = ${projectId}
      order by at
      limit ${limit}
    ))
    returning type, name, hour, arrived_on::text as arrived_on, events, users, first_at, last_at, at`;
  return rows.map(({ users, ...row }) => toDelta(row, decodeSet(users)));
}

/**
 * Counts the stored events of an hour and arrival day, and takes the deltas of just these events: both are read as of
 * one instant.
 */
export async function countHour(sql: Sql, projectId: string, { hour, arrivedOn }: HourOfDay): Promise<Delta[]> {
  const actors = await actorsOf(sql, projectId);
  const rows = await sql.rows<DeltaRow & { actors: (number | string)[] }>`
    with counted_before as (
      delete from event_cell_deltas
      where project_id = ${projectId}
        and hour = ${instant(hour)}::timestamptz
        and arrived_on = ${arrivedOn}::date
    )
    select
      type,
      name,
      ${instant(hour)}::timestamptz as hour,
      ${arrivedOn}::text as arrived_on,
      count(*) as events,
      coalesce(array_agg(distinct actor) filter (where actor is not null), '{}') as actors,
      min(timestamp) as first_at,
      max(timestamp) as last_at,
      min(ingested_at) as at
    from ${actors.events()}
    where project_id = ${projectId}
      and type in ('track', 'error')
      and timestamp >= ${instant(hour)}::timestamptz
      and timestamp < ${instant(hour)}::timestamptz + interval '1 hour'
      and ingested_at >= ${arrivedOn}::date
      and ingested_at < ${arrivedOn}::date + 1
    group by type, name
    order by type, min(ingested_at), name`;
  return rows.map(({ actors, ...row }) => toDelta(row, { kind: 'exact', users: new Set(actors.map(Number)) }));
}

/** Takes at most `limit` hours to count again, of the newest arrivals first. */
export async function takeRecounts(sql: Sql, projectId: string, limit: number): Promise<HourOfDay[]> {
  const rows = await sql.rows<{ hour: number; arrived_on: string }>`
    delete from event_cell_recounts
    where (project_id, arrived_on, hour) in (
      select project_id, arrived_on, hour
      from event_cell_recounts
      where project_id = ${projectId}
      order by arrived_on desc, hour desc
      limit ${limit}
    )
    returning hour, arrived_on::text as arrived_on`;
  return rows.map(row => ({ hour: row.hour, arrivedOn: row.arrived_on }));
}

/** Takes the newest day that is due and asks for each of its hours to be counted again. False if none is due. */
export async function expandDueDay(sql: Sql, projectId: string, nowMs: number): Promise<boolean> {
  const taken = await sql.row<{ arrived_on: string; is_counted: boolean }>`
    delete from event_cell_days
    where (project_id, arrived_on, due_at) in (
      select project_id, arrived_on, due_at
      from event_cell_days
      where project_id = ${projectId}
        and due_at <= ${instant(nowMs)}
      order by arrived_on desc
      limit 1
    )
    returning arrived_on::text as arrived_on, is_counted`;
  if (taken === null) return false;
  await sql.run`
    insert into event_cell_recounts (project_id, hour, arrived_on, is_counted)
    select distinct ${projectId}, date_trunc('hour', timestamp), ${taken.arrived_on}::date, ${taken.is_counted}::boolean
    from events
    where project_id = ${projectId}
      and type in ('track', 'error')
      and ingested_at >= ${taken.arrived_on}::date
      and ingested_at < ${taken.arrived_on}::date + 1
    on conflict do nothing`;
  return true;
}

/** Asks for hours of arrival days to be counted again. `isCounted`: only whose the events are has changed. */
export async function requestRecounts(
  sql: Sql,
  projectId: string,
  hours: readonly HourOfDay[],
  isCounted = false,
): Promise<void> {
  await sql.run`
    insert into event_cell_recounts (project_id, hour, arrived_on, is_counted)
    select ${projectId}, hour, (day at time zone 'UTC')::date, ${isCounted}::boolean
    from unnest(
      ${instants(hours.map(({ hour }) => hour))}::timestamptz[],
      ${instants(hours.map(({ arrivedOn }) => Date.parse(arrivedOn)))}::timestamptz[]
    ) as h (hour, day)
    order by day, hour
    on conflict do nothing`;
}

/** Asks for all hours of arrival days to be counted again, from a day until now: whose the events are has changed. */
export async function requestDays(sql: Sql, projectId: string, fromDayMs: number, nowMs: number): Promise<void> {
  await sql.run`
    insert into event_cell_days (project_id, arrived_on, due_at, is_counted)
    select ${projectId}, (day at time zone 'UTC')::date, ${instant(nowMs)}::timestamptz, true
    from generate_series(${instant(fromDayMs)}::timestamptz, ${instant(nowMs)}::timestamptz, interval '24 hours') as day
    on conflict do nothing`;
}

/** Whether hours of the project wait to be counted again. */
export async function hasRecounts(sql: Sql, projectId: string): Promise<boolean> {
  const row = await sql.row<{ found: boolean }>`
    select exists (select from event_cell_recounts where project_id = ${projectId}) as found`;
  return row?.found === true;
}

/** When the oldest event was stored that is in no cell yet; null if all are counted. */
export async function findOldestDelta(sql: Sql, projectId: string): Promise<number | null> {
  const row = await sql.row<{ at: number | null }>`
    select min(at) as at from event_cell_deltas where project_id = ${projectId}`;
  return row?.at ?? null;
}

/** From when on the cells of a project are complete; null if from its beginning. `dayMs`: the newest day that waits. */
export async function findStart(
  sql: Sql,
  projectId: string,
  nowMs: number,
): Promise<{ completeFrom: number | null; waitingDay: number | null }> {
  const row = await sql.row<{ complete_from: number | null; waiting: number | null }>`
    select
      (select complete_from from event_cell_starts where project_id = ${projectId}) as complete_from,
      greatest(
        (
          select max(arrived_on)
          from event_cell_days
          where project_id = ${projectId}
            and due_at <= ${instant(nowMs)}
            and not is_counted
        ),
        (select max(arrived_on) from event_cell_recounts where project_id = ${projectId} and not is_counted)
      )::timestamptz as waiting`;
  return { completeFrom: row?.complete_from ?? null, waitingDay: row?.waiting ?? null };
}

/** The oldest arrivals of any project that wait to be counted; their events are kept until then. Null without any. */
export async function findOldestUncounted(sql: Sql, nowMs: number): Promise<number | null> {
  const row = await sql.row<{ day: number | null }>`
    select least(
      (select min(arrived_on) from event_cell_days where due_at <= ${instant(nowMs)}),
      (select min(arrived_on) from event_cell_recounts)
    )::timestamptz as day`;
  return row?.day ?? null;
}

/** Days of arrivals that wait to be counted, of all projects. */
export async function countWaitingDays(sql: Sql, nowMs: number): Promise<number> {
  const row = await sql.row<{ days: number }>`
    select count(*) as days
    from (
      select project_id, arrived_on from event_cell_days where due_at <= ${instant(nowMs)}
      union
      select project_id, arrived_on from event_cell_recounts
    ) as waiting`;
  return row?.days ?? 0;
}

/** Forgets what waits to be counted of a project. */
export async function deleteCellWorkOfProject(sql: Sql, projectId: string): Promise<void> {
  await sql.run`delete from event_cell_deltas where project_id = ${projectId}`;
  await sql.run`delete from event_cell_recounts where project_id = ${projectId}`;
  await sql.run`delete from event_cell_days where project_id = ${projectId}`;
}

function toDelta({ arrived_on, first_at, last_at, ...row }: DeltaRow, users: UserSet): Delta {
  return { ...row, users, arrivedOn: arrived_on, firstAt: first_at, lastAt: last_at };
}
