import { bigints, texts } from '../../platform/db/binary-array.ts';
import { olderThan } from '../../platform/db/keyset.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { Session } from '../links/link-store.ts';
import type { EventType } from './event.ts';

export type TimelineRow = {
  id: string;
  name: string;
  type: EventType;
  timestamp: number;
  props: Record<string, unknown> | null;
  session_id: string | null;
  /** Whether the session of the event names the user, and not the event. */
  linked?: boolean;
};

/** Times of the events in [fromMs, toMs), null for open ends. Events that arrived before `arrivedMs` are left out. */
export type TimelineRange = { projectId: string; arrivedMs: number; fromMs: number | null; toMs: number | null };

const columns = fragment`id, name, type, timestamp, props, session_id`;

/**
 * Events of one user, newest first: one more than the page. The hash finds them by index, the name excludes others of
 * it.
 */
export async function listEventsOf(
  sql: Sql,
  range: TimelineRange & { actor: number; externalId: string; types: readonly EventType[] },
  page: Page,
): Promise<TimelineRow[]> {
  return sql.rows<TimelineRow>`
    select ${columns}
    from events
    where ${inRange(range, page)}
      and actor = ${range.actor}
      and external_user_id = ${range.externalId}
      and type = any(${range.types}::text[])
    order by timestamp desc, id desc
    limit ${page.limit + 1}`;
}

/** What these sessions sent without a user, newest first: one more than the page. */
export async function listEventsOfSessions(
  sql: Sql,
  range: TimelineRange & { sessions: readonly Session[]; types: readonly EventType[] },
  page: Page,
): Promise<TimelineRow[]> {
  return sql.rows<TimelineRow>`
    select s.id, s.name, s.type, s.timestamp, s.props, s.session_id, true as linked
    from unnest(
      ${bigints(range.sessions.map(session => session.actor))}::bigint[],
      ${texts(range.sessions.map(session => session.sessionId))}::text[]
    ) as own (actor, session)
    cross join lateral (
      select ${columns}
      from events
      where ${inRange(range, page)}
        and actor = own.actor
        and session_id = own.session
        and external_user_id is null
        and type = any(${range.types}::text[])
      order by timestamp desc, id desc
      limit ${page.limit + 1}
    ) as s
    order by s.timestamp desc, s.id desc
    limit ${page.limit + 1}`;
}

/** Release events of a project, newest first: one more than the page. */
export async function listReleaseEvents(sql: Sql, range: TimelineRange, page: Page): Promise<TimelineRow[]> {
  return sql.rows<TimelineRow>`
    select ${columns}
    from events
    where ${inRange(range, page)}
      and type = 'release'
    order by timestamp desc, id desc
    limit ${page.limit + 1}`;
}

/** In the range and after the page's cursor. */
function inRange({ projectId, arrivedMs, fromMs, toMs }: TimelineRange, page: Page): Fragment {
  const [afterMs = null] = page.after ?? [];
  return fragment`project_id = ${projectId}
      and ingested_at >= ${instant(arrivedMs)}::timestamptz
      and timestamp >= coalesce(${instant(fromMs)}::timestamptz, '-infinity')
      and timestamp < coalesce(${instant(toMs)}::timestamptz, 'infinity')
      and timestamp <= coalesce(${instant(afterMs)}::timestamptz, 'infinity')
      and ${olderThan(page, fragment`timestamp, id`)}`;
}
