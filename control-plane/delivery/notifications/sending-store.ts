import { instant, type Sql } from '../../platform/db/sql.ts';

/** Since when nothing is sent, and why. */
export type SendingPause = { since: number; reason: string };

/** Null while emails, webhooks and Slack messages are sent. */
export function findSendingPause(sql: Sql): Promise<SendingPause | null> {
  return sql.row<SendingPause>`
    select since, reason
    from sending_hold`;
}

/** Lets everything that would be sent wait, on all control planes. What is being sent already is finished. */
export async function pauseSending(sql: Sql, reason: string, nowMs: number): Promise<void> {
  await sql.run`
    insert into sending_hold (since, reason)
    values (${instant(nowMs)}, ${reason})
    on conflict (only_one) do update
    set reason = excluded.reason`;
}

/** False if nothing was paused. */
export async function resumeSending(sql: Sql): Promise<boolean> {
  return (await sql.run`delete from sending_hold`) > 0;
}

/** What waits to be sent, and what is on hold until it is replayed. */
export async function countUnsent(sql: Sql): Promise<{ queued: number; held: number }> {
  const row = await sql.row<{ queued: number; held: number }>`
    select
      count(*) filter (where state = 'queued') as queued,
      count(*) filter (where state = 'held') as held
    from deliveries
    where state in ('queued', 'held')`;
  return row ?? { queued: 0, held: 0 };
}

/** Puts everything that is queued on hold until it is replayed: it may have been sent already. */
export async function putQueuedOnHold(sql: Sql, reason: string, nowMs: number): Promise<void> {
  await sql.run`
    update deliveries
    set state = 'held', error = ${reason}, leased_until = null, ended_at = ${instant(nowMs)}
    where state = 'queued'`;
  await sql.run`update delivery_queues set leased_until = null, due_at = 'infinity'`;
}
