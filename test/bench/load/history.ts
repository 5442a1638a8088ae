import type { Edition } from '#control-plane/db/edition.ts';
import { createPools } from '#control-plane/db/pool.ts';
import { openSeries } from '#control-plane/db/series.ts';
import { sqlOf } from '#control-plane/db/sql.ts';
import { createLog } from '#shared/log.ts';

const dayMs = 86_400_000;
const historyDays = 28;
const users = 50_000;
const atOnce = 250_000;

/**
 * Writes events of 28 days straight into the database: 50,000 users, ten names, each user's in order. The hash of a user is
 * computed there as `actorOf` does here.
 */
export async function writeHistory(
  databaseUrl: string,
  projectId: string,
  from: number,
  to: number,
  nowMs: number,
): Promise<void> {
  const pools = createPools(databaseUrl, createLog({ name: 'bench', level: 'silent' }));
  try {
    const sql = sqlOf(pools.background);
    const stored = await sql.row<{ edition: Edition }>('select edition from storage_edition');
    const series = await openSeries(pools.background, sql, stored?.edition ?? 'plain');
    await series.ensure(
      'events',
      Array.from({ length: historyDays + 1 }, (_, day) => nowMs - day * dayMs),
    );
    for (let start = from; start < to; start += atOnce) {
      await sql.run(
        `insert into events (project_id, id, name, type, actor, external_user_id, session_id, props, timestamp, ingested_at)
         select $1, 'evt_' || lpad(n::text, 26, '0'), (array['view', 'view', 'view', 'view', 'search', 'search', 'cart', 'cart', 'pay', 'leave'])[1 + (hashint8(n) & 2147483647) % 10],
           'track', (('x' || encode(substr(sha256(convert_to('u user-' || u, 'UTF8')), 1, 7), 'hex'))::bit(56)::bigint >> 3), 'user-' || u, 's-' || u,
           '{"path": "/a/b", "amount": 12, "plan": "pro"}', at, at
         from (select n, (hashint8(n + 7) & 2147483647) % ${users} as u,
             $2::timestamptz - ((hashint8(n + 13) & 2147483647) % ${historyDays * 86_400}) * interval '1 second' as at
           from generate_series($3::bigint, $4::bigint - 1) as g (n)) as drawn order by at`,
        [projectId, new Date(nowMs).toISOString(), start, Math.min(start + atOnce, to)],
      );
    }
    await sql.run('analyze events');
  } finally {
    await pools.end();
  }
}

export const historyUsers = users;
