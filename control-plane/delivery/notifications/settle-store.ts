import { type Fragment, fragment, instant, type Sql } from '../../platform/db/sql.ts';
import { type DeliveryChannel, type Settlement, storedName } from './delivery.ts';
import { type ClaimedDelivery, leaseMs, queueAdded } from './queue-store.ts';

/** An attempt that ended. `atMs` is when. */
export type EndedAttempt = {
  delivery: ClaimedDelivery;
  settlement: Pick<Settlement, 'state' | 'error' | 'retryInMs'>;
  atMs: number;
};

/**
 * `settled` is false when the lease ran out and the delivery was claimed again since, or it was cancelled meanwhile.
 * `released` is false while an insertion holds the recipient's queue: see `releaseQueue`. `more`: the recipient has
 * more queued deliveries.
 */
export type SettledAttempt = { settled: boolean; released: boolean; more: boolean };

/** Between two messages to one channel of alerts. */
const pacedMs = 1000;

/**
 * The queue of each delivery `o` is given back by whoever still holds the lease. Empty queues are due no more. That of
 * a channel of alerts stays leased until a second after the claim: services take about one message a second.
 */
const release = fragment`
  free as materialized (
    select q.recipient, q.channel, q.project_id, o.id, o.revision, o.leased_until
    from o
    join delivery_queues q on q.recipient = o.recipient and q.channel = o.channel and q.project_id = o.project_id
    where q.leased_until = o.leased_until
    order by q.recipient
    for update of q skip locked
  ),
  released as (
    update delivery_queues q
    set leased_until = case
        when q.channel = 'operator' then free.leased_until - ${leaseMs - pacedMs}::integer * interval '1 millisecond'
      end,
      due_at = case
        when q.revision = free.revision
          and not exists (
            select 1
            from deliveries d
            where d.recipient = free.recipient
              and d.channel = free.channel
              and d.project_id = free.project_id
              and d.state = 'queued'
              and d.id not in (select ended.id from ended)
          )
        then 'infinity'
        else q.due_at
      end
    from free
    where q.recipient = free.recipient
      and q.channel = free.channel
      and q.project_id = free.project_id
    returning free.id, q.due_at < 'infinity' as more
  )`;

/** Leased queues that `free` had to skip. */
const skipped = fragment`
  exists (
    select 1
    from delivery_queues q
    where q.recipient = o.recipient
      and q.channel = o.channel
      and q.project_id = o.project_id
      and q.leased_until = o.leased_until
  )
  and not exists (select 1 from released where released.id = o.id)`;

/**
 * Records the results of attempts and gives their recipients' queues back, in one statement. An insertion for very many
 * recipients holds their queues until it is committed; nobody waits for it here.
 */
export async function settleDeliveries(sql: Sql, attempts: readonly EndedAttempt[]): Promise<SettledAttempt[]> {
  const rows = attempts.map(({ settlement: { state, error, retryInMs }, atMs }) => ({
    state,
    error,
    dueAt: retryInMs === null ? null : instant(atMs + retryInMs),
    sentAt: state === 'sent' ? instant(atMs) : null,
    endedAt: state === 'queued' ? null : instant(atMs),
  }));
  const settled = await sql.rows<{ id: string; settled: boolean; skipped: boolean; more: boolean }>`
    with o as materialized (
      select
        ${leaseColumns}, attempts, state, error, due_at, sent_at, ended_at
      from unnest(
        ${leaseArrays(attempts.map(({ delivery }) => delivery))},
        ${attempts.map(({ delivery }) => delivery.attempts)}::integer[],
        ${rows.map(row => row.state)}::text[],
        ${rows.map(row => row.error)}::text[],
        ${rows.map(row => row.dueAt)}::timestamptz(3)[],
        ${rows.map(row => row.sentAt)}::timestamptz(3)[],
        ${rows.map(row => row.endedAt)}::timestamptz(3)[]
      ) as o (${leaseColumns}, attempts, state, error, due_at, sent_at, ended_at)
    ),
    settled as (
      update deliveries d
      set state = o.state,
        error = o.error,
        due_at = coalesce(o.due_at, d.due_at),
        leased_until = null,
        sent_at = o.sent_at,
        ended_at = o.ended_at
      from o
      where d.id = o.id
        and d.attempts = o.attempts
        and d.state = 'queued'
      returning d.id, d.state
    ),
    ended as materialized (
      select settled.id
      from settled
      where settled.state <> 'queued'
    ),
    ${release}
    select
      o.id,
      exists (select 1 from settled where settled.id = o.id) as settled,
      exists (select 1 from released where released.id = o.id and released.more) as more,
      ${skipped} as skipped
    from o`;
  const byId = new Map(settled.map(row => [row.id, row]));
  return attempts.map(({ delivery }) => {
    const row = byId.get(delivery.id);
    return { settled: row?.settled === true, released: row?.skipped !== true, more: row?.more === true };
  });
}

/** Gives back the queue of a settled delivery. False while an insertion holds it. */
export async function releaseQueue(sql: Sql, delivery: ClaimedDelivery): Promise<boolean> {
  const row = await sql.row<{ skipped: boolean }>`
    with o as materialized (
      select ${leaseColumns}
      from unnest(${leaseArrays([delivery])}) as o (${leaseColumns})
    ),
    ended as materialized (
      select o.id
      from o
      where false
    ),
    ${release}
    select ${skipped} as skipped
    from o`;
  return row?.skipped !== true;
}

const leaseColumns = fragment`id, recipient, channel, project_id, leased_until, revision`;

/** Arrays, because the planner expects fewer rows from them than from JSON, and looks each up by its index. */
function leaseArrays(deliveries: readonly ClaimedDelivery[]): Fragment {
  return fragment`
    ${deliveries.map(delivery => delivery.id)}::text[],
    ${deliveries.map(delivery => delivery.recipient)}::text[],
    ${deliveries.map(delivery => storedName(delivery.channel))}::text[],
    ${deliveries.map(delivery => delivery.project_id)}::text[],
    ${deliveries.map(delivery => instant(delivery.leased_until))}::timestamptz(3)[],
    ${deliveries.map(delivery => delivery.revision)}::bigint[]`;
}

/**
 * Puts every due delivery of a channel that is not configured on hold; they can be replayed later. Leaves alone what
 * is being sent. Returns their number.
 */
export async function putDueOnHold(sql: Sql, channel: DeliveryChannel, error: string, nowMs: number): Promise<number> {
  const now = instant(nowMs);
  const row = await sql.row<{ count: number }>`
    with due as materialized (
      select q.recipient, q.channel, q.project_id, q.revision
      from delivery_queues q
      where q.channel = ${storedName(channel)}
        and q.due_at < 'infinity'
        and q.due_at <= ${now}
        and (q.leased_until is null or q.leased_until <= ${now})
      limit 10000
    ),
    emptied as (
      update delivery_queues q
      set leased_until = null,
        due_at = case
          when q.revision = due.revision then coalesce(
            (
              select min(d.due_at)
              from deliveries d
              where d.recipient = due.recipient
                and d.channel = due.channel
                and d.project_id = due.project_id
                and d.state = 'queued'
                and d.due_at > ${now}
            ),
            'infinity'
          )
          else q.due_at
        end
      from due
      where q.recipient = due.recipient
        and q.channel = due.channel
        and q.project_id = due.project_id
    ),
    suspended as (
      update deliveries d
      set state = 'held', error = ${error}, ended_at = ${now}
      from due
      where d.recipient = due.recipient
        and d.channel = due.channel
        and d.project_id = due.project_id
        and d.state = 'queued'
        and d.due_at <= ${now}
      returning d.id
    )
    select count(*) as count
    from suspended`;
  return row?.count ?? 0;
}

/**
 * Makes every queued delivery known to its recipient's queue: an older version may have inserted some while this one
 * was being installed.
 */
export async function restoreQueues(sql: Sql): Promise<void> {
  await sql.run`
    with added as (
      select d.channel, d.project_id, d.recipient, min(d.due_at) as due_at
      from deliveries d
      where d.state = 'queued'
      group by d.channel, d.project_id, d.recipient
    )
    ${queueAdded}`;
}

/** Deletes the empty queues of deleted subscribers and webhooks. */
export async function deleteOrphanedQueues(sql: Sql): Promise<void> {
  await sql.run`
    delete from delivery_queues q
    where q.due_at = 'infinity'
      and (q.leased_until is null or q.leased_until < now() - interval '1 hour')
      and q.channel <> 'slack'
      and not exists (select 1 from subscribers s where s.id = q.recipient)
      and not exists (select 1 from webhooks w where w.id = q.recipient)`;
}
