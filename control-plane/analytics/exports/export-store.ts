import { bigints, instants, texts } from '../../platform/db/binary-array.ts';
import { instant, type Sql } from '../../platform/db/sql.ts';
import type { EventType } from '../events/event.ts';
import { belongsTo, type SessionOwner } from '../links/link-store.ts';

export type ExportRow = {
  id: string;
  name: string;
  type: EventType;
  timestamp: number;
  ingested_at: number;
  external_user_id: string | null;
  session_id: string | null;
  props: Record<string, unknown> | null;
};

/** Where an event is in an export, and how an index finds it. */
export type ExportKey = Pick<ExportRow, 'id' | 'timestamp' | 'ingested_at'> & { actor: number | null };

/** What an export has: events in [fromMs, toMs) that arrived since `arrivedMs`; of any name if it is null. */
export type ExportRange = {
  projectId: string;
  arrivedMs: number;
  fromMs: number;
  toMs: number;
  types: readonly EventType[];
  name: string | null;
};

/** The last event of what was read before. */
export type ExportPosition = Pick<ExportKey, 'timestamp' | 'id'>;

/**
 * The next keys of a range by time and id. No index has this order, so that each call reads all events of the range:
 * many keys at a time.
 */
export async function listExportKeys(
  sql: Sql,
  { projectId, arrivedMs, fromMs, toMs, types, name }: ExportRange,
  after: ExportPosition | null,
  limit: number,
): Promise<ExportKey[]> {
  const [afterMs, afterId] = after === null ? [fromMs, ''] : [after.timestamp, after.id];
  return sql.rows<ExportKey>`
    select id, timestamp, ingested_at, actor
    from events
    where project_id = ${projectId}
      and ingested_at >= ${instant(arrivedMs)}::timestamptz
      and timestamp >= ${instant(afterMs)}::timestamptz
      and timestamp < ${instant(toMs)}::timestamptz
      and (timestamp, id) > (${instant(afterMs)}::timestamptz, ${afterId}::text)
      and type = any(${types}::text[])
      and (${name}::text is null or name = ${name}::text)
    order by timestamp, id
    limit ${limit}`;
}

/** The events of these keys, by time and id. What was deleted meanwhile is left out. */
export async function readExported(sql: Sql, projectId: string, keys: readonly ExportKey[]): Promise<ExportRow[]> {
  const arrivals = keys.map(key => key.ingested_at);
  return sql.rows<ExportRow>`
    select e.id, e.name, e.type, e.timestamp, e.ingested_at, e.external_user_id, e.session_id, e.props
    from unnest(
      ${texts(keys.map(key => key.id))}::text[],
      ${instants(keys.map(key => key.timestamp))}::timestamptz[],
      ${instants(arrivals)}::timestamptz[],
      ${bigints(keys.map(key => key.actor))}::bigint[]
    ) as k (id, timestamp, ingested_at, actor)
    cross join lateral (
      select id, name, type, timestamp, ingested_at, external_user_id, session_id, props
      from events
      where project_id = ${projectId}
        and actor = k.actor
        and timestamp = k.timestamp
        and id = k.id
        and ingested_at = k.ingested_at
        and ingested_at >= ${instant(Math.min(...arrivals))}::timestamptz
        and ingested_at <= ${instant(Math.max(...arrivals))}::timestamptz
      union all
      select id, name, type, timestamp, ingested_at, external_user_id, session_id, props
      from events
      where k.actor is null
        and project_id = ${projectId}
        and actor is null
        and timestamp = k.timestamp
        and id = k.id
        and ingested_at = k.ingested_at
        and ingested_at >= ${instant(Math.min(...arrivals))}::timestamptz
        and ingested_at <= ${instant(Math.max(...arrivals))}::timestamptz
    ) as e
    order by e.timestamp, e.id`;
}

/** The next events of a user, and of linked sessions, that arrived since `arrivedMs`, by time and id. */
export async function listOfUser(
  sql: Sql,
  user: SessionOwner & { arrivedMs: number },
  after: ExportPosition | null,
  limit: number,
): Promise<ExportRow[]> {
  return sql.rows<ExportRow>`
    select e.id, e.name, e.type, e.timestamp, e.ingested_at, e.external_user_id, e.session_id, e.props
    from (
      select ${user.actor}::bigint as actor, ${user.externalId}::text as user_id, null::text as session_id
      union all
      select l.session_actor, null, l.session_id from session_links l where ${belongsTo(user)}
    ) as own
    cross join lateral (
      select id, name, type, timestamp, ingested_at, external_user_id, session_id, props
      from events
      where project_id = ${user.projectId}
        and actor = own.actor
        and external_user_id is not distinct from own.user_id
        and (own.session_id is null or session_id = own.session_id)
        and ingested_at >= ${instant(user.arrivedMs)}::timestamptz
        and timestamp >= coalesce(${instant(after?.timestamp ?? null)}::timestamptz, '-infinity')
        and (
          ${after?.id ?? null}::text is null
          or (timestamp, id) > (${instant(after?.timestamp ?? null)}::timestamptz, ${after?.id ?? null}::text)
        )
      order by timestamp, id
      limit ${limit}
    ) as e
    order by e.timestamp, e.id
    limit ${limit}`;
}

/** The time of an event that arrived since `arrivedMs`; null if there is none, or no more. */
export async function findPosition(
  sql: Sql,
  projectId: string,
  id: string,
  arrivedMs: number,
): Promise<ExportPosition | null> {
  return sql.row<ExportPosition>`
    select id, timestamp
    from events
    where project_id = ${projectId}
      and id = ${id}
      and ingested_at >= ${instant(arrivedMs)}::timestamptz`;
}
