import { instants, texts } from '../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import { type CountedType, type Delta, otherName } from './cell.ts';

/** Names of a type that have cells of their own in a project. */
const namesMax = 2000;

/** A name without events for so long makes room for another. */
const idleDays = 90;

type Seen = { name: string; firstAt: number; lastAt: number; arrivedOn: string };

/**
 * Admits names in the order in which they arrived while there is room, and notes when the admitted ones were seen.
 * Returns those that have cells of their own. One caller at a time for a project.
 */
export async function admitNames(
  sql: Sql,
  projectId: string,
  type: CountedType,
  deltas: readonly Delta[],
): Promise<Set<string>> {
  const seen = seenOf(deltas);
  const admitted = new Set(await listAdmitted(sql, projectId, type, [...seen.keys()]));
  const candidates = [...seen.keys()].filter(name => !admitted.has(name) && name !== otherName);
  if (candidates.length > 0) {
    const room = Math.max(0, namesMax - (await countAdmitted(sql, projectId, type)));
    for (const name of candidates.slice(0, room)) admitted.add(name);
  }
  const noted = [...seen.values()].filter(({ name }) => admitted.has(name) || name === otherName);
  if (noted.length > 0) await noteSeen(sql, projectId, type, noted);
  return admitted;
}

function seenOf(deltas: readonly Delta[]): Map<string, Seen> {
  const seen = new Map<string, Seen>();
  for (const { name, firstAt, lastAt, arrivedOn } of deltas.toSorted((left, right) => left.at - right.at)) {
    const before = seen.get(name) ?? { name, firstAt, lastAt, arrivedOn };
    seen.set(name, {
      name,
      firstAt: Math.min(before.firstAt, firstAt),
      lastAt: Math.max(before.lastAt, lastAt),
      arrivedOn: before.arrivedOn > arrivedOn ? before.arrivedOn : arrivedOn,
    });
  }
  return seen;
}

async function listAdmitted(
  sql: Sql,
  projectId: string,
  type: CountedType,
  names: readonly string[],
): Promise<string[]> {
  const rows = await sql.rows<{ name: string }>`
    select name
    from event_names
    where project_id = ${projectId}
      and type = ${type}
      and name = any(${texts(names)}::text[])
      and admitted`;
  return rows.map(row => row.name);
}

async function countAdmitted(sql: Sql, projectId: string, type: CountedType): Promise<number> {
  const row = await sql.row<{ names: number }>`
    select count(*) as names
    from event_names
    where project_id = ${projectId}
      and type = ${type}
      and admitted`;
  return row?.names ?? 0;
}

async function noteSeen(sql: Sql, projectId: string, type: CountedType, seen: readonly Seen[]): Promise<void> {
  await sql.run`
    insert into event_names as stored
      (project_id, type, name, admitted, first_seen_at, last_seen_at, last_arrived_on)
    select ${projectId}, ${type}, name, name <> ${otherName}, first_at, last_at, day::date
    from unnest(
      ${texts(seen.map(each => each.name))}::text[],
      ${instants(seen.map(each => each.firstAt))}::timestamptz[],
      ${instants(seen.map(each => each.lastAt))}::timestamptz[],
      ${texts(seen.map(each => each.arrivedOn))}::text[]
    ) as s (name, first_at, last_at, day)
    on conflict (project_id, type, name) do update set
      admitted = excluded.admitted,
      first_seen_at = least(stored.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(stored.last_seen_at, excluded.last_seen_at),
      last_arrived_on = greatest(stored.last_arrived_on, excluded.last_arrived_on)`;
}

/** Takes the place of names that no event bore for 90 days. What was counted of them stays. */
export async function releaseIdleNames(sql: Sql, today: string): Promise<number> {
  return sql.run`
    update event_names
    set admitted = false
    where admitted
      and last_arrived_on < ${today}::date - ${idleDays}::integer`;
}

/** Marks names as seen when what is left of their events was; forgets those of which nothing is left. */
export async function reviseNames(
  sql: Sql,
  projectId: string,
  names: readonly (readonly [type: string, name: string])[],
  keptFromMs: number,
): Promise<void> {
  const types = texts(names.map(([type]) => type));
  const titles = texts(names.map(([, name]) => name));
  await sql.run`
    with bounds as materialized (
      select t.type, t.name, min(c.start) as first_hour, max(c.start) as last_hour
      from unnest(${types}::text[], ${titles}::text[]) as t (type, name)
      left join event_cells c
        on c.project_id = ${projectId} and c.type = t.type and c.name = t.name and c.span = 'hour'
      group by t.type, t.name
    ), gone as (
      delete from event_names n
      using bounds b
      where n.project_id = ${projectId}
        and n.type = b.type
        and n.name = b.name
        and b.first_hour is null
    )
    update event_names n
    set first_seen_at = coalesce(seen.first_at, greatest(n.first_seen_at, b.first_hour)),
      last_seen_at = coalesce(seen.last_at, least(n.last_seen_at, b.last_hour + interval '1 hour' - interval '1 ms'))
    from bounds b
    cross join lateral (
      select
        min(e.timestamp) filter (where b.first_hour >= ${instant(keptFromMs)}::timestamptz) as first_at,
        max(e.timestamp) filter (where b.last_hour >= ${instant(keptFromMs)}::timestamptz) as last_at
      from events e
      where e.project_id = ${projectId}
        and e.type = b.type
        and e.name = b.name
        and (
          (e.timestamp >= b.first_hour and e.timestamp < b.first_hour + interval '1 hour')
          or (e.timestamp >= b.last_hour and e.timestamp < b.last_hour + interval '1 hour')
        )
    ) as seen
    where n.project_id = ${projectId}
      and n.type = b.type
      and n.name = b.name
      and b.first_hour is not null`;
}
