import { instant } from '#control-plane/platform/db/sql.ts';
import { dayMs } from '#shared/duration.ts';
import { withSeries } from './with-series.ts';

const historyDays = 28;
const historySeconds = historyDays * 86_400;
/** The number of different users in the history. */
export const historyUsers = 50_000;
const batchSize = 250_000;

/**
 * Inserts events of 28 days into the database: 50,000 users, ten names, in order of time. Computes the hash of a user
 * in SQL, as `actorOf` does in the control plane.
 */
export async function writeHistory(
  databaseUrl: string,
  projectId: string,
  from: number,
  to: number,
  nowMs: number,
): Promise<void> {
  await withSeries(databaseUrl, async (sql, series) => {
    await series.ensure(
      'events',
      Array.from({ length: historyDays + 1 }, (_, day) => nowMs - day * dayMs),
    );
    for (let start = from; start < to; start += batchSize) {
      const end = Math.min(start + batchSize, to);
      await sql.run`
        insert into events (
          project_id, id, name, type, actor, external_user_id, session_id, props, timestamp, ingested_at
        )
        select ${projectId}, 'evt_' || lpad(n::text, 26, '0'),
          (array['view', 'view', 'view', 'view', 'search', 'search', 'cart', 'cart', 'pay', 'leave'])[
            1 + (hashint8(n) & 2147483647) % 10
          ],
          'track',
          (('x' || encode(substr(sha256(convert_to('u user-' || u, 'UTF8')), 1, 7), 'hex'))::bit(56)::bigint >> 3),
          'user-' || u, 's-' || u, '{"path": "/a/b", "amount": 12, "plan": "pro"}', at, at
        from (
          select n,
            (hashint8(n + 7) & 2147483647) % ${historyUsers}::integer as u,
            ${instant(nowMs)}::timestamptz
              - ((hashint8(n + 13) & 2147483647) % ${historySeconds}::integer) * interval '1 second' as at
          from generate_series(${start}::bigint, ${end}::bigint - 1) as g (n)
        ) as drawn
        order by at`;
    }
    await sql.run`analyze events`;
  });
}
