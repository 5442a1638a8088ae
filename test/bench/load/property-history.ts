import { instant } from '#control-plane/platform/db/sql.ts';
import { dayMs } from '#shared/duration.ts';
import { historyUsers } from './history.ts';
import { withSeries } from './with-series.ts';

/** Few enough for the minute that a statement has, on a busy machine too. */
const batchSize = 100_000;
const historyDays = 8;

/**
 * Inserts events named `paid` of the last eight days in the order of their times: 50,000 users, and a property `plan`
 * of five values, which a twentieth of them lacks.
 */
export async function writeProperties(
  databaseUrl: string,
  projectId: string,
  events: number,
  nowMs: number,
): Promise<void> {
  await withSeries(databaseUrl, async (sql, series) => {
    const days = Array.from({ length: historyDays + 1 }, (_, day) => nowMs - day * dayMs);
    await series.ensure('events', days);
    const stepMs = (historyDays * dayMs) / events;
    for (let start = 0; start < events; start += batchSize) {
      await sql.run`
        insert into events (
          project_id, id, name, type, actor, external_user_id, session_id, props, timestamp, ingested_at
        )
        select ${projectId}, 'evt_' || lpad(n::text, 26, '0'), 'paid', 'track',
          (('x' || encode(substr(sha256(convert_to('u user-' || u, 'UTF8')), 1, 7), 'hex'))::bit(56)::bigint >> 3),
          'user-' || u, 'session-' || u,
          json_strip_nulls(json_build_object(
            'path', '/products/' || u % 1000, 'referrer', 'newsletter', 'amount', n % 97,
            'plan', case when n % 20 > 0 then (array['free', 'pro', 'team', 'enterprise', 'trial'])[1 + n % 5] end
          )),
          at, at + interval '2 seconds'
        from (
          select n, (hashint8(n + 7) & 2147483647) % ${historyUsers}::integer as u,
            ${instant(nowMs - historyDays * dayMs)}::timestamptz
              + n * ${stepMs}::float8 * interval '1 millisecond' as at
          from generate_series(${start}::bigint, ${Math.min(start + batchSize, events)}::bigint - 1) as g (n)
        ) as drawn`;
      // Before that, the index by time knows nothing of new rows, and each day reads them all.
      await sql.run`vacuum analyze events`;
    }
  });
}
