import { bigints, instants, jsons, texts } from '../db/binary-array.ts';
import { classifyFault } from '../db/errors.ts';
import { instant, type Sql } from '../db/sql.ts';
import type { NewEvent } from './event.ts';

/** What became of an event: stored, or known already under another id. */
export type Stored = { id: string; duplicate: boolean };

/** The same; null when the database refused its data, which our own rules should have found. */
export type Written = Stored | null;

const dayMs = 86_400_000;
const minuteMs = 60_000;
const inputColumns = 'project_id, id, name, type, actor, external_user_id, session_id, props, timestamp';
const input = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::json[], $9::timestamptz[])`;
const markPending =
  'pending as (insert into events_pending (project_id, minute, at) select p, m, $10::timestamptz from unnest($11::text[], $12::timestamptz[]) as w (p, m))';

const insertPlain = `
with ${markPending}
insert into events (${inputColumns}, ingested_at) select i.*, $10::timestamptz from ${input} as i (${inputColumns})`;

/** Keys are claimed in one order, so that overlapping writers never wait for each other in a circle. */
const insertOnce = `
with ${markPending},
keyed as (
  select * from unnest($1::text[], $2::text[], $13::text[], $14::text[]) as k (project_id, id, source, dedup_id)
), claimed as (
  insert into event_dedup_keys as held (project_id, source, dedup_id, event_id, at)
  select project_id, source, dedup_id, id, $10::timestamptz from keyed where dedup_id is not null order by 1, 2, 3
  on conflict (project_id, source, dedup_id) do update set event_id = excluded.event_id, at = excluded.at where held.at <= $15::timestamptz
  returning event_id
), stored as (
  insert into events (${inputColumns}, ingested_at)
  select i.*, $10::timestamptz from ${input} as i (${inputColumns})
  where i.id in (select id from keyed where dedup_id is null) or i.id in (select event_id from claimed)
)
select event_id from claimed`;

/** Stores events, each dedup_id once in 24 hours, and marks what the roll-up has to look at. In order; throws for a bad value. */
export async function storeEvents(sql: Sql, events: readonly NewEvent[], nowMs: number): Promise<Stored[]> {
  const first = new Map<string, NewEvent>();
  const fresh = events.filter(event => isFirst(first, event));
  const keyed = fresh.filter(event => event.dedupId !== null);
  const values = [...columnsOf(fresh), instant(nowMs), ...pendingOf(fresh)];
  if (keyed.length === 0) {
    await sql.run(insertPlain, values);
    return events.map(({ id }) => ({ id, duplicate: false }));
  }
  const keys = [
    texts(fresh.map(event => event.source)),
    texts(fresh.map(event => event.dedupId)),
    instant(nowMs - dayMs),
  ];
  const claimed = await sql.rows<{ event_id: string }>(insertOnce, [...values, ...keys]);
  const ids = claimed.length === keyed.length ? null : await findIds(sql, keyed);
  return events.map(event => {
    if (event.dedupId === null) return { id: event.id, duplicate: false };
    const key = keyOf(event);
    const id = ids?.get(key) ?? first.get(key)?.id ?? event.id;
    return { id, duplicate: id !== event.id };
  });
}

/** What is refused is looked for by halves, so that one bad event never takes its neighbours along. */
export async function storeByHalves(sql: Sql, events: readonly NewEvent[], nowMs: number): Promise<Written[]> {
  if (events.length === 0) return [];
  await sql.run('savepoint some_events');
  try {
    const stored = await storeEvents(sql, events, nowMs);
    await sql.run('release savepoint some_events');
    return stored;
  } catch (error) {
    if (classifyFault(error) !== 'data') throw error;
    await sql.run('rollback to savepoint some_events');
    await sql.run('release savepoint some_events');
    if (events.length === 1) return [null];
  }
  const half = Math.ceil(events.length / 2);
  const first = await storeByHalves(sql, events.slice(0, half), nowMs);
  return [...first, ...(await storeByHalves(sql, events.slice(half), nowMs))];
}

/** Group commit may bring two with the same dedup_id together: the statement must see its key once. */
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

function columnsOf(events: readonly NewEvent[]) {
  return [
    texts(events.map(event => event.projectId)),
    texts(events.map(event => event.id)),
    texts(events.map(event => event.name)),
    texts(events.map(event => event.type)),
    bigints(events.map(event => event.actor)),
    texts(events.map(event => event.externalUserId)),
    texts(events.map(event => event.sessionId)),
    jsons(events.map(event => event.props)),
    instants(events.map(event => event.timestamp)),
  ];
}

/** Each minute of each project once: only what a funnel counts. */
function pendingOf(events: readonly NewEvent[]) {
  const minutes = new Map<string, { projectId: string; minute: number }>();
  for (const { projectId, type, actor, timestamp } of events) {
    if (type !== 'track' || actor === null) continue;
    const minute = Math.floor(timestamp / minuteMs) * minuteMs;
    minutes.set(`${projectId} ${minute}`, { projectId, minute });
  }
  const pending = [...minutes.values()];
  return [texts(pending.map(one => one.projectId)), instants(pending.map(one => one.minute))];
}

/** Under which id each key is stored. Read after the claim has waited for whoever held the key. */
async function findIds(sql: Sql, keyed: readonly NewEvent[]): Promise<Map<string, string>> {
  const rows = await sql.rows<{ project_id: string; source: string; dedup_id: string; event_id: string }>(
    `select held.* from unnest($1::text[], $2::text[], $3::text[]) as k (project_id, source, dedup_id)
     join event_dedup_keys held using (project_id, source, dedup_id)`,
    [
      texts(keyed.map(event => event.projectId)),
      texts(keyed.map(event => event.source)),
      texts(keyed.map(event => event.dedupId)),
    ],
  );
  return new Map(rows.map(row => [`${row.project_id} ${row.source} ${row.dedup_id}`, row.event_id]));
}

/** What ingestion must know of a project. */
export type IngestProject = {
  id: string;
  sustained_per_second: number;
  burst_per_second: number;
  burst_seconds: number;
  allowed_origins: string[];
};

export async function findIngestProject(sql: Sql, id: string): Promise<IngestProject | null> {
  return sql.row<IngestProject>(
    'select id, sustained_per_second, burst_per_second, burst_seconds, allowed_origins from projects where id = $1',
    [id],
  );
}
