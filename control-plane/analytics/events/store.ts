import { dayMs, minuteMs } from '#shared/duration.ts';
import { bigints, instants, jsons, texts } from '../../platform/db/binary-array.ts';
import { classifyFault } from '../../platform/db/errors.ts';
import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { quotasOf } from '../../platform/project-limits/quota.ts';
import { commitByBisection } from '../../platform/resilience/commit-retry.ts';
import { deltasOf } from '../cells/deltas.ts';
import { insertDeltas } from '../cells/queue-store.ts';
import type { LinkMemory } from '../links/link-memory.ts';
import { insertLinks } from '../links/link-store.ts';
import type { NewEvent } from './event.ts';
import type { IngestLimits } from './limits.ts';

/** A stored event; a duplicate has the id of the event that was stored first. */
export type Stored = { id: string; duplicate: boolean };

/** Null if PostgreSQL rejected the event's data, which our own rules should have found. */
export type Written = Stored | null;

const inputColumns = fragment`project_id, id, name, type, actor, external_user_id, session_id, props, timestamp`;

/**
 * Stores each dedup_id once in 24 hours, marks the minutes for the roll-up of flows and leaves what the cells gain.
 * Outcomes in order; throws for rejected data.
 */
export async function storeEvents(
  sql: Sql,
  events: readonly NewEvent[],
  nowMs: number,
  links: LinkMemory | null = null,
): Promise<Stored[]> {
  const first = new Map<string, NewEvent>();
  const fresh = events.filter(event => isFirst(first, event));
  const keyed = fresh.filter(event => event.dedupId !== null);
  if (keyed.length === 0) {
    await insertPlain(sql, fresh, nowMs);
    await insertLinks(sql, fresh, nowMs, links);
    return events.map(({ id }) => ({ id, duplicate: false }));
  }
  const claimed = await insertOnce(sql, fresh, nowMs, links);
  const ids = claimed === keyed.length ? null : await findIds(sql, keyed);
  return events.map(event => {
    if (event.dedupId === null) return { id: event.id, duplicate: false };
    const key = keyOf(event);
    const id = ids?.get(key) ?? first.get(key)?.id ?? event.id;
    return { id, duplicate: id !== event.id };
  });
}

/** Stores in savepoints of the caller's transaction: a bad event is null in the outcomes, its neighbours are stored. */
export function storeByBisection(sql: Sql, events: readonly NewEvent[], nowMs: number): Promise<Written[]> {
  return commitByBisection<NewEvent, Written>(events, batch => storeInSavepoint(sql, batch, nowMs), null);
}

async function storeInSavepoint(sql: Sql, events: readonly NewEvent[], nowMs: number): Promise<Stored[] | null> {
  await sql.run`savepoint some_events`;
  try {
    const stored = await storeEvents(sql, events, nowMs);
    await sql.run`release savepoint some_events`;
    return stored;
  } catch (error) {
    if (classifyFault(error) !== 'data') throw error;
    await sql.run`rollback to savepoint some_events`;
    await sql.run`release savepoint some_events`;
    return null;
  }
}

/** Events without a dedup_id. */
async function insertPlain(sql: Sql, events: readonly NewEvent[], nowMs: number): Promise<void> {
  await sql.run`
    with pending as (${insertPending(events, nowMs)}),
    deltas as (${insertDeltas(deltasOf(events, nowMs))})
    insert into events (${inputColumns}, ingested_at)
    select i.*, ${instant(nowMs)}::timestamptz
    from unnest(
      ${texts(events.map(event => event.projectId))}::text[],
      ${texts(events.map(event => event.id))}::text[],
      ${otherColumns(events)}
    ) as i (${inputColumns})`;
}

/**
 * Events of which some have a dedup_id: returns how many of these are new. Keys are claimed in one order, so that
 * overlapping writers never deadlock.
 */
async function insertOnce(
  sql: Sql,
  events: readonly NewEvent[],
  nowMs: number,
  links: LinkMemory | null,
): Promise<number> {
  const claimed = await sql.rows<{ event_id: string }>`
    with pending as (${insertPending(events, nowMs)}),
    batch as materialized (
      select
        ${texts(events.map(event => event.projectId))}::text[] as project_ids,
        ${texts(events.map(event => event.id))}::text[] as ids
    ), keyed as (
      select k.*
      from batch, unnest(
        batch.project_ids,
        batch.ids,
        ${texts(events.map(event => event.source))}::text[],
        ${texts(events.map(event => event.dedupId))}::text[]
      ) as k (project_id, id, source, dedup_id)
    ), claimed as (
      insert into event_dedup_keys as stored_key (project_id, source, dedup_id, event_id, at)
      select project_id, source, dedup_id, id, ${instant(nowMs)}::timestamptz
      from keyed
      where dedup_id is not null
      order by project_id, source, dedup_id
      on conflict (project_id, source, dedup_id) do update
        set event_id = excluded.event_id, at = excluded.at
        where stored_key.at <= ${instant(nowMs - dayMs)}::timestamptz
      returning event_id
    ), stored as (
      insert into events (${inputColumns}, ingested_at)
      select i.*, ${instant(nowMs)}::timestamptz
      from batch, unnest(batch.project_ids, batch.ids, ${otherColumns(events)}) as i (${inputColumns})
      where i.id in (select id from keyed where dedup_id is null)
        or i.id in (select event_id from claimed)
    )
    select event_id from claimed`;
  const ids = new Set(claimed.map(row => row.event_id));
  const stored = events.filter(event => event.dedupId === null || ids.has(event.id));
  const deltas = deltasOf(stored, nowMs);
  if (deltas.length > 0) await sql.run`${insertDeltas(deltas)}`;
  await insertLinks(sql, stored, nowMs, links);
  return claimed.length;
}

/** The columns of `inputColumns` after the project and the id. */
function otherColumns(events: readonly NewEvent[]): Fragment {
  return fragment`
      ${texts(events.map(event => event.name))}::text[],
      ${texts(events.map(event => event.type))}::text[],
      ${bigints(events.map(event => event.actor))}::bigint[],
      ${texts(events.map(event => event.externalUserId))}::text[],
      ${texts(events.map(event => event.sessionId))}::text[],
      ${jsons(events.map(event => event.props))}::json[],
      ${instants(events.map(event => event.timestamp))}::timestamptz[]`;
}

/** Marks each minute of each project once, of the events that a funnel counts. */
function insertPending(events: readonly NewEvent[], nowMs: number): Fragment {
  const minutes = new Map<string, { projectId: string; minute: number }>();
  for (const { projectId, type, actor, timestamp } of events) {
    if (type !== 'track' || actor === null) continue;
    const minute = Math.floor(timestamp / minuteMs) * minuteMs;
    minutes.set(`${projectId} ${minute}`, { projectId, minute });
  }
  const pending = [...minutes.values()];
  return fragment`
      insert into events_pending (project_id, minute, at)
      select project_id, minute, ${instant(nowMs)}::timestamptz
      from unnest(
        ${texts(pending.map(row => row.projectId))}::text[],
        ${instants(pending.map(row => row.minute))}::timestamptz[]
      ) as p (project_id, minute)`;
}

/** A group commit may hold the same dedup_id twice, but the statement must see each key once. */
function isFirst(first: Map<string, NewEvent>, event: NewEvent): boolean {
  if (event.dedupId === null) return true;
  const key = keyOf(event);
  if (first.has(key)) return false;
  first.set(key, event);
  return true;
}

function keyOf(event: NewEvent): string {
  return `${event.projectId} ${event.source} ${event.dedupId}`;
}

/** The id under which each key is stored. Read after the claim has waited for other transactions that hold the key. */
async function findIds(sql: Sql, keyed: readonly NewEvent[]): Promise<Map<string, string>> {
  const rows = await sql.rows<{ project_id: string; source: string; dedup_id: string; event_id: string }>`
    select project_id, source, dedup_id, stored_key.event_id
    from unnest(
      ${texts(keyed.map(event => event.projectId))}::text[],
      ${texts(keyed.map(event => event.source))}::text[],
      ${texts(keyed.map(event => event.dedupId))}::text[]
    ) as k (project_id, source, dedup_id)
    join event_dedup_keys stored_key using (project_id, source, dedup_id)`;
  return new Map(rows.map(row => [`${row.project_id} ${row.source} ${row.dedup_id}`, row.event_id]));
}

/** What ingestion must know of a project: its limits and the origins whose pages may send. */
export type IngestProject = IngestLimits & { id: string; allowed_origins: string[]; link_sessions: boolean };

/** Null if there is no such project. */
export async function findIngestProject(sql: Sql, id: string): Promise<IngestProject | null> {
  const row = await sql.row<Omit<IngestProject, 'event_bytes_per_day'> & { plan: string; maximum: number | null }>`
    select id, sustained_per_second, burst_per_second, burst_seconds, allowed_origins, link_sessions, plan,
      maximum
    from projects
    left join project_quotas on project_id = id and resource = 'event_bytes_per_day'
    where id = ${id}`;
  if (row === null) return null;
  const { plan, maximum, ...project } = row;
  const { event_bytes_per_day } = quotasOf(plan, maximum === null ? {} : { event_bytes_per_day: maximum });
  return { ...project, event_bytes_per_day };
}
