import { fragment, instant, type Sql } from '../../../platform/db/sql.ts';
import { forgiveFailures, type WronglyFailed } from '../../../publishing/subscribers/failure-store.ts';
import { togetherMs } from '../../transports/email/smtp-answer.ts';

/** A refusal of a delivery; the hashes are of the answer and of the address. */
export type Refusal = { deliveryId: string; answer: Buffer; recipient: Buffer };

/** Notes the start of an email that the relay accepted. */
export async function markAccepted(sql: Sql, startedMs: number): Promise<void> {
  await sql.run`
    update email_relay
    set accepted_at = ${instant(startedMs)}
    where accepted_at is null or accepted_at < ${instant(startedMs)}`;
}

/** Notes that the relay fails, and since when: the last email that it accepted ends a failure. */
export async function markRelayFailed(sql: Sql, error: string, nowMs: number): Promise<void> {
  const now = instant(nowMs);
  await sql.run`
    update email_relay
    set failing_since = case when failed_at is null or accepted_at > failed_at then ${now} else failing_since end,
      failed_at = ${now},
      error = ${error}`;
}

/** Lets one refusal after the other be judged: the later sees the earlier. Returns when an email was last accepted. */
export async function lockRelay(sql: Sql): Promise<number | null> {
  const row = await sql.row<{ accepted_at: number | null }>`
    select accepted_at
    from email_relay
    for update`;
  return row?.accepted_at ?? null;
}

/** Stores a refusal. Returns when the delivery got this answer first. */
export async function insertRefusal(
  sql: Sql,
  { deliveryId, answer, recipient }: Refusal,
  nowMs: number,
): Promise<number> {
  const row = await sql.row<{ refused_at: number }>`
    insert into email_refusals as r (delivery_id, answer_hash, recipient_hash, refused_at)
    values (${deliveryId}, ${answer}, ${recipient}, ${instant(nowMs)})
    on conflict (delivery_id) do update
    set answer_hash = excluded.answer_hash,
      refused_at = case when r.answer_hash = excluded.answer_hash then r.refused_at else excluded.refused_at end
    returning refused_at`;
  return row?.refused_at ?? nowMs;
}

/** When a delivery was refused first, and the last accepted email began. */
export type Seen = { refusedAt: number; acceptedAt: number | null };

const together = (answer: Buffer, { refusedAt, acceptedAt }: Seen) => fragment`
  answer_hash = ${answer}
  and refused_at between ${instant(refusedAt - togetherMs)} and ${instant(refusedAt + togetherMs)}
  and refused_at > ${instant(acceptedAt ?? 0)}`;

/** How many recipients got the answer within a minute of an instant, after the last accepted email. */
export async function countRefused(sql: Sql, answer: Buffer, seen: Seen): Promise<number> {
  const row = await sql.row<{ count: number }>`
    select count(distinct recipient_hash)::integer as count
    from email_refusals
    where ${together(answer, seen)}`;
  return row?.count ?? 0;
}

/** Those refusals are a burst, also the ones that were judged before it was one. */
export async function markBurst(sql: Sql, answer: Buffer, seen: Seen): Promise<void> {
  await sql.run`
    update email_refusals
    set in_burst = true
    where ${together(answer, seen)}
      and not in_burst`;
}

/** A delivery that failed although the relay was to blame. */
export type Forgiven = { id: string; project_id: string };

/**
 * Takes deliveries that failed since an instant by an answer that turned out to be the relay's: it came before enough
 * others had it. Their recipients’ failures are undone, and quarantines by them end.
 */
export async function forgiveRefusals(sql: Sql, sinceMs: number, nowMs: number): Promise<Forgiven[]> {
  const taken = await sql.rows<Forgiven>`
    with wrong as materialized (
      select r.delivery_id, d.project_id
      from email_refusals r
      join deliveries d on d.id = r.delivery_id and d.state = 'failed'
      where r.in_burst
        and r.forgiven_at is null
        and r.refused_at > ${instant(sinceMs)}
      order by r.delivery_id
      limit 200
      for update of r skip locked
    )
    update email_refusals r
    set forgiven_at = ${instant(nowMs)}
    from wrong
    where r.delivery_id = wrong.delivery_id
    returning r.delivery_id as id, wrong.project_id`;
  if (taken.length > 0)
    await undoFailures(
      sql,
      taken.map(({ id }) => id),
    );
  return taken;
}

async function undoFailures(sql: Sql, deliveryIds: readonly string[]): Promise<void> {
  const undone = await sql.rows<WronglyFailed>`
    select d.recipient as id, count(*)::integer as failures, min(r.refused_at) as since
    from deliveries d
    join email_refusals r on r.delivery_id = d.id
    where d.id = any(${deliveryIds}::text[])
      and d.channel = 'email'
      and d.kind in ('incident_update', 'maintenance_update')
    group by d.recipient`;
  await forgiveFailures(sql, undone);
}

/** Forgets refusals; deliveries are retried for a day. */
export async function deleteRefusalsBefore(sql: Sql, beforeMs: number): Promise<void> {
  await sql.run`
    delete from email_refusals
    where refused_at < ${instant(beforeMs)}`;
}

/** Since when the SMTP server fails, and its last answer; null if it accepted an email since. */
export async function findFailingRelay(sql: Sql): Promise<{ failing_since: number; error: string } | null> {
  return sql.row`
    select failing_since, error
    from email_relay
    where failing_since is not null
      and (accepted_at is null or accepted_at <= failed_at)`;
}
