import { instant, type Sql } from '../../../platform/db/sql.ts';

/** What could not be stored: a message, or a part of one, as it came. */
export type Parked = { stream: string; seq: number; reason: string; body: string };

/** Keeps what could not be stored where people see it. */
export async function insertParked(sql: Sql, parked: readonly Parked[]): Promise<void> {
  await sql.run`
    insert into intake_parked (stream, seq, reason, body)
    select stream, seq, reason, body
    from unnest(
      ${parked.map(item => item.stream)}::text[],
      ${parked.map(item => item.seq)}::bigint[],
      ${parked.map(item => item.reason)}::text[],
      ${parked.map(item => item.body)}::text[]
    ) as p (stream, seq, reason, body)`;
}

/** Deletes what was parked before an instant, and all but the newest `keptMax`. */
export async function deleteParkedBefore(sql: Sql, beforeMs: number, keptMax: number): Promise<void> {
  await sql.run`
    delete from intake_parked
    where at < ${instant(beforeMs)}
      or id <= (select id from intake_parked order by id desc offset ${keptMax} limit 1)`;
}
