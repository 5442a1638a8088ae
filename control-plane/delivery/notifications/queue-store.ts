import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { type Delivery, type DeliveryChannel, storedName } from './delivery.ts';

// A recipient's queue: its row is leased by whoever sends the recipient's next delivery, so each has one under way.

/** How long a claimed delivery stays with its claimer: longer than any attempt takes, short enough to wait for. */
export const leaseMs = 30_000;

/** A delivery with the lease on its recipient's queue. */
export type ClaimedDelivery = Delivery & { leased_until: number; revision: number };

/** How many deliveries a claim may take for one project. */
export type ProjectCapacity = { project_id: string; capacity: number };

export type ClaimRequest = {
  channel: DeliveryChannel;
  /** Most deliveries in all. */
  limit: number;
  /** Most of one project, unless `capacities` says another number. */
  perProject: number;
  capacities: readonly ProjectCapacity[];
  /** Recipients that must wait. */
  leftOut: readonly string[];
};

/** Columns of a Delivery, whose queue and kind are named as `storedName` reads backwards. */
export const deliveryColumns = fragment`
  d.id, d.project_id, case d.kind when 'operator' then 'alert_channel' else d.kind end as kind,
  case d.channel when 'operator' then 'alert_channel' else d.channel end as channel, d.subject, d.recipient,
  d.incident_id, d.thread, d.payload, d.attempts, d.created_at, d.alert_id, d.group_id, d.channel_id, d.channel_type,
  d.route_id, d.step`;

/**
 * Queues deliveries that were just inserted for their recipients: put `added`, the insert that returns its rows, in
 * front. Recipients are locked in order, so that two insertions cannot wait for each other.
 */
export const queueAdded = fragment`
  insert into delivery_queues as q (channel, project_id, recipient, due_at)
  select channel, project_id, recipient, due_at
  from added
  order by recipient
  on conflict (recipient, channel, project_id) do update
  set due_at = least(q.due_at, excluded.due_at), revision = q.revision + 1`;

/**
 * Claims due deliveries: one per recipient, none of a recipient that has one under way, in order within a thread.
 * Projects take turns, each with its oldest recipient first. Nothing is claimed while sending is paused. The cost does
 * not depend on how many deliveries are queued.
 */
export async function claimDeliveries(sql: Sql, request: ClaimRequest, nowMs: number): Promise<ClaimedDelivery[]> {
  const queues = await leaseQueues(sql, request, nowMs);
  if (queues.length === 0) return [];
  // A statement of its own: it must see whatever was inserted before the lease was taken.
  const claimed = await takeNext(sql, request.channel, queues, nowMs);
  const taken = new Map(claimed.map(delivery => [queueKey(delivery), delivery]));
  const without = queues.filter(queue => !taken.has(queueKey(queue)));
  if (without.length > 0) await parkQueues(sql, request.channel, without, nowMs);
  return queues.flatMap(queue => {
    const delivery = taken.get(queueKey(queue));
    return delivery === undefined ? [] : [{ ...delivery, leased_until: nowMs + leaseMs, revision: queue.revision }];
  });
}

/** Of channels as they are stored, those with anything in a queue, due or not: a look at an index for each. */
export async function listQueuedChannels(sql: Sql, channels: readonly string[]): Promise<string[]> {
  const rows = await sql.rows<{ channel: string }>`
    select asked.channel
    from unnest(${channels}::text[]) as asked (channel)
    where exists (select from delivery_queues q where q.channel = asked.channel and q.due_at < 'infinity')`;
  return rows.map(({ channel }) => channel);
}

/**
 * Since when the recipient that waits longest for its turn has waited, by channel as metrics name it. Later attempts
 * are not due yet.
 */
export function listLongestWaits(sql: Sql, nowMs: number): Promise<{ channel: string; due_at: number }[]> {
  const now = instant(nowMs);
  return sql.rows<{ channel: string; due_at: number }>`
    select channel, min(due_at) as due_at
    from delivery_queues
    where due_at < ${now} and (leased_until is null or leased_until < ${now})
    group by channel`;
}

type LeasedQueue = { project_id: string; recipient: string; revision: number };

const queueKey = ({ project_id, recipient }: { project_id: string; recipient: string }) => `${project_id} ${recipient}`;

/** `due` is materialised: joined, it would be evaluated again for each row and the limit would be none. */
function leaseQueues(sql: Sql, request: ClaimRequest, nowMs: number): Promise<LeasedQueue[]> {
  const { limit, perProject, capacities, leftOut } = request;
  const channel = storedName(request.channel);
  const now = instant(nowMs);
  return sql.rows<LeasedQueue>`
    with recursive projects_with_queues as (
      (
        select q.project_id
        from delivery_queues q
        where q.channel = ${channel}
          and q.due_at < 'infinity'
          and not exists (select 1 from sending_hold)
        order by q.project_id
        limit 1
      )
      union all
      select next.project_id
      from projects_with_queues p
      cross join lateral (
        select q.project_id
        from delivery_queues q
        where q.channel = ${channel}
          and q.due_at < 'infinity'
          and q.project_id > p.project_id
        order by q.project_id
        limit 1
      ) next
    ),
    due as materialized (
      select oldest.project_id, oldest.recipient, oldest.due_at, oldest.turn
      from projects_with_queues p
      left join unnest(
        ${capacities.map(each => each.project_id)}::text[],
        ${capacities.map(each => each.capacity)}::integer[]
      ) as own (project_id, capacity)
        on own.project_id = p.project_id
      cross join lateral (
        select q.project_id, q.recipient, q.due_at, row_number() over (order by q.due_at, q.recipient) as turn
        from (
          select candidate.project_id, candidate.recipient, candidate.due_at
          from delivery_queues candidate
          where candidate.channel = ${channel}
            and candidate.project_id = p.project_id
            and candidate.due_at < 'infinity'
            and candidate.due_at <= ${now}
            and (candidate.leased_until is null or candidate.leased_until <= ${now})
            and candidate.recipient <> all(${leftOut}::text[])
          order by candidate.due_at
          limit coalesce(own.capacity, ${perProject}::integer)
        ) q
      ) oldest
      order by oldest.turn, oldest.due_at
      limit ${limit}::integer
    ),
    free as materialized (
      select q.recipient, q.project_id
      from due
      join delivery_queues q on q.recipient = due.recipient and q.channel = ${channel} and q.project_id = due.project_id
      where q.due_at <= ${now}
        and (q.leased_until is null or q.leased_until <= ${now})
      order by q.recipient
      for update of q skip locked
    )
    update delivery_queues q
    set leased_until = ${instant(nowMs + leaseMs)}
    from free
    where q.recipient = free.recipient
      and q.channel = ${channel}
      and q.project_id = free.project_id
    returning q.project_id, q.recipient, q.revision`;
}

/** The first delivery of each thread of the recipient `q`, found by the index, however many wait behind it. */
const headsOfThreads = fragment`
  heads as (
    (
      select d.id, d.due_at, d.thread
      from deliveries d
      where d.recipient = q.recipient
        and d.channel = q.channel
        and d.project_id = q.project_id
        and d.state = 'queued'
      order by d.thread, d.sequence
      limit 1
    )
    union all
    select next.id, next.due_at, next.thread
    from heads
    cross join lateral (
      select d.id, d.due_at, d.thread
      from deliveries d
      where d.recipient = q.recipient
        and d.channel = q.channel
        and d.project_id = q.project_id
        and d.state = 'queued'
        and d.thread > heads.thread
      order by d.thread, d.sequence
      limit 1
    ) next
  )`;

/** Takes the next delivery of each leased queue that has one, and counts the attempt. */
function takeNext(
  sql: Sql,
  channel: DeliveryChannel,
  queues: readonly LeasedQueue[],
  nowMs: number,
): Promise<Delivery[]> {
  return sql.rows<Delivery>`
    update deliveries d
    set attempts = d.attempts + 1, leased_until = ${instant(nowMs + leaseMs)}
    from (
      select leased.recipient, leased.project_id, ${storedName(channel)}::text as channel
      from unnest(${queues.map(queue => queue.recipient)}::text[], ${queues.map(queue => queue.project_id)}::text[])
        as leased (recipient, project_id)
    ) q
    cross join lateral (
      with recursive ${headsOfThreads}
      select heads.id
      from heads
      where heads.due_at <= ${instant(nowMs)}
      limit 1
    ) ready
    where d.id = ready.id
      and d.state = 'queued'
    returning ${deliveryColumns}`;
}

/** Gives back queues of which nothing is due: they are due with their next delivery, or empty. */
async function parkQueues(
  sql: Sql,
  channel: DeliveryChannel,
  queues: readonly LeasedQueue[],
  nowMs: number,
): Promise<void> {
  await sql.run`
    update delivery_queues q
    set leased_until = null,
      due_at = case when q.revision = parked.revision then coalesce(parked.due_at, 'infinity') else q.due_at end
    from (
      select q.recipient, q.project_id, q.channel, q.revision, first.due_at
      from (
        select leased.recipient, leased.project_id, ${storedName(channel)}::text as channel, leased.revision
        from unnest(
          ${queues.map(queue => queue.recipient)}::text[],
          ${queues.map(queue => queue.project_id)}::text[],
          ${queues.map(queue => queue.revision)}::bigint[]
        ) as leased (recipient, project_id, revision)
      ) q
      cross join lateral (
        with recursive ${headsOfThreads}
        select min(heads.due_at) as due_at
        from heads
      ) first
    ) parked
    where q.recipient = parked.recipient
      and q.channel = parked.channel
      and q.project_id = parked.project_id
      and q.leased_until = ${instant(nowMs + leaseMs)}`;
}
