import { toTimestamp } from '#shared/clock.ts';
import { newId } from '#shared/ids.ts';
import { type Fragment, fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import type { MaintenanceState, OccurrenceView } from '../maintenance.ts';
import type { Planned } from './schedule.ts';

/** A row of `maintenance_occurrences`. Instants are milliseconds since the epoch. */
export type Occurrence = {
  id: string;
  maintenance_id: string;
  project_id: string;
  original_start: number;
  starts_at: number;
  ends_at: number;
  announced_at: number | null;
  started_at: number | null;
  ended_at: number | null;
  cancelled_at: number | null;
};
export type ShownOccurrence = Occurrence & { monitors: number };
/** The same out of JSON. */
export type OccurrenceJson = Pick<ShownOccurrence, 'id' | 'starts_at' | 'ends_at' | 'original_start' | 'monitors'>;

export const occurrenceColumns = fragment`
  o.id, o.maintenance_id, o.project_id, o.original_start, o.starts_at, o.ends_at, o.announced_at, o.started_at,
  o.ended_at, o.cancelled_at`;

/** How many monitors are, were or will be in the occurrence `o`. */
export const monitorCount = fragment`
  (
    select count(distinct b.monitor_id)
    from maintenance_members b
    where b.maintenance_id = o.maintenance_id
      and b.from_at < o.ends_at
      and (b.until_at is null or b.until_at > o.starts_at)
  )`;

const ms = (column: Fragment) => fragment`(extract(epoch from ${column}) * 1000)::bigint`;

const oneOf = (which: Fragment) => fragment`
  (
    select json_build_object('id', o.id, 'starts_at', ${ms(fragment`o.starts_at`)}, 'ends_at',
      ${ms(fragment`o.ends_at`)}, 'original_start', ${ms(fragment`o.original_start`)}, 'monitors', ${monitorCount})
    from maintenance_occurrences o
    where o.maintenance_id = m.id
      and o.cancelled_at is null
      and ${which}
    order by o.starts_at, o.id
    limit 1
  )`;

/** The occurrence of the maintenance `m` that lasts at the instant, as JSON. */
export function currentOf(nowMs: number): Fragment {
  return oneOf(fragment`o.starts_at <= ${instant(nowMs)} and o.ends_at > ${instant(nowMs)}`);
}

/** The next one that has not begun. */
export function nextOf(nowMs: number): Fragment {
  return oneOf(fragment`o.starts_at > ${instant(nowMs)}`);
}

/** The one occurrence of a one-off maintenance: a plan that moves takes it along. */
export async function planOnce(
  sql: Sql,
  maintenance: { id: string; project_id: string },
  { startsAt, endsAt }: { startsAt: number; endsAt: number },
  nowMs: number,
): Promise<void> {
  const [start, end, now] = [instant(startsAt), instant(endsAt), instant(nowMs)];
  const moved = await sql.run`
    update maintenance_occurrences o
    set original_start = ${start},
      original_end = ${end},
      starts_at = ${start},
      ends_at = ${end},
      started_at = case when ${start}::timestamptz <= ${now} then started_at end,
      ended_at = case when ${end}::timestamptz <= ${now} then ended_at end
    where o.maintenance_id = ${maintenance.id}
      and o.occurs_on is null
      and (o.original_start, o.original_end) is distinct from (${start}::timestamptz, ${end}::timestamptz)`;
  if (moved > 0) return;
  await sql.run`
    insert into maintenance_occurrences (
      id, maintenance_id, project_id, original_start, original_end, starts_at, ends_at
    )
    select ${newId('mno', nowMs)}, ${maintenance.id}, ${maintenance.project_id}, ${start}::timestamptz,
      ${end}::timestamptz, ${start}::timestamptz, ${end}::timestamptz
    where not exists (
      select
      from maintenance_occurrences
      where maintenance_id = ${maintenance.id} and occurs_on is null
    )`;
}

/** Makes these the occurrences that have not begun: they follow edits and new rules of zones, by their local dates. */
export async function planOccurrences(
  sql: Sql,
  maintenance: { id: string; project_id: string },
  planned: readonly Planned[],
  nowMs: number,
): Promise<void> {
  const now = instant(nowMs);
  const dates = planned.map(({ date }) => date);
  await sql.run`
    delete from maintenance_occurrences
    where maintenance_id = ${maintenance.id}
      and starts_at > ${now}
      and (occurs_on <> all(${dates}::date[]) or occurs_on is null and ${dates.length > 0})`;
  await sql.run`
    insert into maintenance_occurrences as o (
      id, maintenance_id, project_id, occurs_on, original_start, original_end, starts_at, ends_at
    )
    select id, ${maintenance.id}, ${maintenance.project_id}, occurs_on, starts_at, ends_at, starts_at, ends_at
    from unnest(
      ${planned.map(() => newId('mno', nowMs))}::text[],
      ${dates}::date[],
      ${planned.map(({ startsAt }) => instant(startsAt))}::timestamptz[],
      ${planned.map(({ endsAt }) => instant(endsAt))}::timestamptz[]
    ) as planned (id, occurs_on, starts_at, ends_at)
    on conflict (maintenance_id, occurs_on) do update
    set original_start = excluded.original_start,
      original_end = excluded.original_end,
      starts_at = excluded.starts_at,
      ends_at = excluded.ends_at
    where o.starts_at > ${now}
      and (o.original_start, o.original_end) is distinct from (excluded.original_start, excluded.original_end)`;
}

/**
 * Sets when each occurrence of a maintenance is due: to be announced, to start, to end. What was over when it was
 * written is past: nobody is notified of it.
 */
export async function settleDue(sql: Sql, maintenanceId: string, nowMs: number): Promise<void> {
  const now = instant(nowMs);
  await sql.run`
    update maintenance_occurrences o
    set started_at = starts_at, ended_at = ends_at
    where o.maintenance_id = ${maintenanceId}
      and o.started_at is null
      and o.ends_at <= ${now}`;
  await sql.run`
    update maintenance_occurrences o
    set due_at = case when o.cancelled_at is null and o.ended_at is null then least(
      case when m.announced and o.announced_at is null and o.started_at is null
        then o.starts_at - m.announce_before_hours * interval '1 hour' end,
      case when o.started_at is null then o.starts_at end,
      o.ends_at
    ) end
    from maintenances m
    where m.id = o.maintenance_id
      and m.id = ${maintenanceId}`;
}

/** Locks an occurrence of a maintenance: the one named, else the one that lasts, else the next if that is asked for. */
export async function lockOccurrence(
  sql: Sql,
  maintenanceId: string,
  { id, orNext }: { id: string | undefined; orNext: boolean },
  nowMs: number,
): Promise<Occurrence | null> {
  return sql.row<Occurrence>`
    select ${occurrenceColumns}
    from maintenance_occurrences o
    where o.maintenance_id = ${maintenanceId}
      and (
        o.id = ${id ?? null}
        or ${id ?? null}::text is null
        and o.cancelled_at is null
        and o.ends_at > ${instant(nowMs)}
        and (${orNext} or o.starts_at <= ${instant(nowMs)})
      )
    order by o.starts_at, o.id
    limit 1
    for update`;
}

/** Locks the occurrence due for longest, and first its maintenance, as all do; null if none is due and free. */
export async function lockDue(sql: Sql, nowMs: number): Promise<Occurrence | null> {
  return sql.row<Occurrence>`
    select ${occurrenceColumns}
    from maintenance_occurrences o
    join maintenances m on m.id = o.maintenance_id
    where o.due_at <= ${instant(nowMs)}
    order by o.due_at
    limit 1
    for update of m, o skip locked`;
}

/** Writes what was done with an occurrence. It must be locked. */
export async function writeOccurrence(sql: Sql, occurrence: Occurrence): Promise<void> {
  await sql.run`
    update maintenance_occurrences
    set ends_at = ${instant(occurrence.ends_at)},
      announced_at = ${instant(occurrence.announced_at)},
      started_at = ${instant(occurrence.started_at)},
      ended_at = ${instant(occurrence.ended_at)},
      cancelled_at = ${instant(occurrence.cancelled_at)}
    where id = ${occurrence.id}`;
}

/** Nothing is due any more: the maintenance was deleted. */
export async function clearDue(sql: Sql, maintenanceId: string): Promise<void> {
  await sql.run`update maintenance_occurrences set due_at = null where maintenance_id = ${maintenanceId}`;
}

/** Pure: the state at an instant. */
export function stateOf(
  { starts_at, ends_at, cancelled_at }: Pick<Occurrence, 'starts_at' | 'ends_at' | 'cancelled_at'>,
  nowMs: number,
): MaintenanceState {
  if (cancelled_at !== null) return 'cancelled';
  if (nowMs < starts_at) return 'scheduled';
  return nowMs < ends_at ? 'in_progress' : 'completed';
}

export function viewOccurrence(row: ShownOccurrence, nowMs: number): OccurrenceView {
  return {
    id: row.id,
    starts_at: toTimestamp(row.starts_at),
    ends_at: toTimestamp(row.ends_at),
    original_start: toTimestamp(row.original_start),
    state: stateOf(row, nowMs),
    monitors: row.monitors,
  };
}
