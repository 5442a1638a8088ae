import { instant, type Sql } from '../../platform/db/sql.ts';

/** A subscriber whose emails failed by no fault of its address: how often, and since when (ms). */
export type WronglyFailed = { id: string; failures: number; since: number };

/** Takes failures back, and ends quarantines that came by them. */
export async function forgiveFailures(sql: Sql, wronged: readonly WronglyFailed[]): Promise<void> {
  if (wronged.length === 0) return;
  await sql.run`
    update subscribers s
    set failures = greatest(s.failures - undone.failures, 0),
      state = case when s.state = 'quarantined' and s.ended_at >= undone.since and s.state_reason is null
        then 'active' else s.state end,
      ended_at = case when s.state = 'quarantined' and s.ended_at >= undone.since and s.state_reason is null
        then null else s.ended_at end
    from unnest(
      ${wronged.map(({ id }) => id)}::text[],
      ${wronged.map(({ failures }) => failures)}::integer[],
      ${wronged.map(({ since }) => instant(since))}::timestamptz[]
    ) as undone (id, failures, since)
    where s.id = undone.id`;
}
