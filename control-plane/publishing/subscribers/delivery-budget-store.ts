import { dayMs, secondMs } from '#shared/duration.ts';
import { takeOfDay } from '../../platform/db/daily-budget-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { deliveriesPerDay } from '../../platform/project-limits/quota.ts';
import { readQuotas } from '../../platform/project-limits/quota-store.ts';

/**
 * Takes from a project's day what an update brings to the subscribers of these pages, each of whom gets a row and a
 * message. In the transaction of the update, which gives it back if it fails. Throws `limit_reached`.
 */
export async function requireDeliveries(
  sql: Sql,
  projectId: string,
  pageIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const row = await sql.row<{ subscribers: number }>`
    select count(*) as subscribers
    from subscribers
    where status_page_id = any(${pageIds}::text[]) and state = 'active'`;
  const needed = row?.subscribers ?? 0;
  if (needed === 0) return;
  const maximum = deliveriesPerDay(await readQuotas(sql, projectId));
  if (await takeOfDay(sql, projectId, 'deliveries', needed, { maximum, nowMs })) return;
  throw new Problem('limit_reached', {
    detail: `the project may send subscribers at most ${maximum} messages per UTC day; ask your operator for more`,
    retryAfter: Math.ceil((dayMs - (nowMs % dayMs)) / secondMs),
    extra: { resource: 'subscribers', maximum },
  });
}
