import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Users } from './estimate.ts';
import type { Span } from './windows.ts';

/** Whether the project has an event at or before the instant. */
export async function hasEventUntil(sql: Sql, projectId: string, ms: number): Promise<boolean> {
  const row = await sql.row`
    select 1
    from events
    where project_id = ${projectId}
      and timestamp <= ${instant(ms)}
    limit 1`;
  return row !== null;
}

const isError = (names: readonly string[] | null) =>
  fragment`(type = 'error' and (${names}::text[] is null or name = any(${names}::text[])))`;

/** Events of users in a span, of which there is a maximum. */
const eventsOf = (projectId: string, { fromMs, toMs }: Span, limit: number) => fragment`
  select actor, type, name, timestamp
  from events
  where project_id = ${projectId}
    and type in ('track', 'error')
    and actor is not null
    and timestamp >= ${instant(fromMs)}
    and timestamp < ${instant(toMs)}
  limit ${limit}`;

/** The users of a span, and how many events were read for it, which are at most `limit`. */
export async function countUsers(
  sql: Sql,
  projectId: string,
  span: Span,
  { errors, limit }: { errors: readonly string[] | null; limit: number },
): Promise<Users & { events: number }> {
  const [row] = await sql.once<Users & { events: number }>`
    select
      count(*) as active,
      count(*) filter (where failed) as "withErrors",
      coalesce(sum(events), 0)::bigint as events
    from (
      select actor, bool_or(${isError(errors)}) as failed, count(*) as events
      from (${eventsOf(projectId, span, limit)}) e
      group by actor
    ) a`;
  return row ?? { active: 0, withErrors: 0, events: 0 };
}

export type Candidate = {
  id: string;
  version: string;
  name: string | null;
  released_at: number;
  /** The releases beside it in its environment. */
  previous: number | null;
  next: number | null;
};

const candidateColumns = fragment`r.id, r.version, r.name, r.released_at,
      (
        select max(p.released_at)
        from releases p
        where p.project_id = r.project_id and p.environment = r.environment and p.released_at < r.released_at
      ) as previous,
      (
        select min(n.released_at)
        from releases n
        where n.project_id = r.project_id and n.environment = r.environment and n.released_at > r.released_at
      ) as next`;

/** Null when the project has no such release. */
export async function findCandidate(sql: Sql, projectId: string, id: string): Promise<Candidate | null> {
  return sql.row<Candidate>`
    select ${candidateColumns}
    from releases r
    where r.project_id = ${projectId}
      and r.id = ${id}`;
}

/** Releases in the span, its end included, the latest first. */
export async function listCandidates(
  sql: Sql,
  projectId: string,
  environment: string,
  { fromMs, toMs }: Span,
  limit: number,
): Promise<Candidate[]> {
  return sql.rows<Candidate>`
    select ${candidateColumns}
    from releases r
    where r.project_id = ${projectId}
      and r.environment = ${environment}
      and r.released_at >= ${instant(fromMs)}
      and r.released_at <= ${instant(toMs)}
    order by r.released_at desc, r.id desc
    limit ${limit}`;
}

/** The users on each side of an instant of the span, and in the two parts before it. */
export async function countSides(
  sql: Sql,
  projectId: string,
  { span, atMs, lateFromMs }: { span: Span; atMs: number; lateFromMs: number },
  { errors, limit }: { errors: readonly string[] | null; limit: number },
): Promise<{ before: Users; after: Users; early: Users; late: Users; events: number }> {
  const parts = {
    before: fragment`timestamp < ${instant(atMs)}`,
    after: fragment`timestamp >= ${instant(atMs)}`,
    early: fragment`timestamp < ${instant(lateFromMs)}`,
    late: fragment`timestamp >= ${instant(lateFromMs)} and timestamp < ${instant(atMs)}`,
  };
  const [row] = await sql.once<Record<string, number>>`
    select
      count(*) filter (where b) as b, count(*) filter (where be) as be,
      count(*) filter (where a) as a, count(*) filter (where ae) as ae,
      count(*) filter (where e) as e, count(*) filter (where ee) as ee,
      count(*) filter (where l) as l, count(*) filter (where le) as le,
      coalesce(sum(events), 0)::bigint as events
    from (
      select actor, count(*) as events,
        bool_or(${parts.before}) as b, bool_or(${parts.before} and ${isError(errors)}) as be,
        bool_or(${parts.after}) as a, bool_or(${parts.after} and ${isError(errors)}) as ae,
        bool_or(${parts.early}) as e, bool_or(${parts.early} and ${isError(errors)}) as ee,
        bool_or(${parts.late}) as l, bool_or(${parts.late} and ${isError(errors)}) as le
      from (${eventsOf(projectId, span, limit)}) s
      group by actor
    ) u`;
  const { b = 0, be = 0, a = 0, ae = 0, e = 0, ee = 0, l = 0, le = 0, events = 0 } = row ?? {};
  const users = (active: number, withErrors: number): Users => ({ active, withErrors });
  return { before: users(b, be), after: users(a, ae), early: users(e, ee), late: users(l, le), events };
}

/**
 * Errors of a span that were not there in the time before it, with their users, the most frequent first; and how many
 * events were read for it, at most twice `eventsMax`.
 */
export async function listNewErrors(
  sql: Sql,
  projectId: string,
  { fromMs, toMs }: Span,
  { sinceMs, limit, eventsMax }: { sinceMs: number; limit: number; eventsMax: number },
): Promise<{ events: number; errors: { name: string; users: number }[] }> {
  const errorsIn = (span: Span) => fragment`
    select name, actor
    from events
    where project_id = ${projectId}
      and type = 'error'
      and timestamp >= ${instant(span.fromMs)}
      and timestamp < ${instant(span.toMs)}
    limit ${eventsMax}`;
  const rows = await sql.once<{ name: string | null; users: number; events: number }>`
    with seen as materialized (
      select name, count(distinct actor) as users, count(*) as events
      from (${errorsIn({ fromMs, toMs })}) e
      group by name
    ), known as materialized (
      select name, count(*) as events
      from (${errorsIn({ fromMs: sinceMs, toMs: fromMs })}) e
      group by name
    ), fresh as (
      select name, users
      from seen
      where name not in (select known.name from known)
      order by users desc, name
      limit ${limit}
    )
    select fresh.name, fresh.users, total.events
    from (
      select coalesce(sum(events), 0)::bigint as events
      from (select events from seen union all select events from known) e
    ) total
    left join fresh on true
    order by fresh.users desc, fresh.name`;
  const errors = rows.flatMap(({ name, users }) => (name === null ? [] : [{ name, users }]));
  return { events: rows[0]?.events ?? 0, errors };
}
