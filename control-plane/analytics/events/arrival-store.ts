import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import type { EventType } from './event.ts';
import type { TimelineRow } from './timeline-store.ts';

export type ArrivalRow = TimelineRow & { external_user_id: string | null; ingested_at: number };

/** Events that arrived at [fromMs, toMs); null for any. */
export type ArrivalFilter = {
  fromMs: number;
  toMs: number;
  types: readonly EventType[] | null;
  name: string | null;
  externalId: string | null;
};

/** The last to arrive first: one more than the page. */
export async function listArrivals(
  sql: Sql,
  projectId: string,
  { fromMs, toMs, types, name, externalId }: ArrivalFilter,
  page: Page,
): Promise<ArrivalRow[]> {
  const [afterMs = null] = page.after ?? [];
  return sql.rows<ArrivalRow>`
    select id, name, type, timestamp, props, session_id, external_user_id, ingested_at
    from events
    where project_id = ${projectId}
      and ingested_at >= ${instant(fromMs)}::timestamptz
      and ingested_at < ${instant(toMs)}::timestamptz
      and ingested_at <= coalesce(${instant(afterMs)}::timestamptz, 'infinity')
      and ${olderThan(page, fragment`ingested_at, id`)}
      and (${types}::text[] is null or type = any(${types}::text[]))
      and (${name}::text is null or name = ${name}::text)
      and (${externalId}::text is null or external_user_id = ${externalId}::text)
    order by ingested_at desc, id desc
    limit ${page.limit + 1}`;
}
