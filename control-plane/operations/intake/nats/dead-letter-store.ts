import { instant, type Sql } from '../../../platform/db/sql.ts';

/** What could not be stored: a message, or a part of one, as it came. */
export type DeadLetter = { stream: string; seq: number; reason: string; body: string };

/** Stores what could not be stored as it should be, where people see it. */
export async function insertDeadLetters(sql: Sql, deadLetters: readonly DeadLetter[]): Promise<void> {
  await sql.run`
    insert into intake_parked (stream, seq, reason, body)
    select stream, seq, reason, body
    from unnest(
      ${deadLetters.map(item => item.stream)}::text[],
      ${deadLetters.map(item => item.seq)}::bigint[],
      ${deadLetters.map(item => item.reason)}::text[],
      ${deadLetters.map(item => item.body)}::text[]
    ) as p (stream, seq, reason, body)`;
}

/** Deletes dead letters of before an instant, and all but the newest `keptMax`. */
export async function deleteDeadLettersBefore(sql: Sql, beforeMs: number, keptMax: number): Promise<void> {
  await sql.run`
    delete from intake_parked
    where at < ${instant(beforeMs)}
      or id <= (select id from intake_parked order by id desc offset ${keptMax} limit 1)`;
}
