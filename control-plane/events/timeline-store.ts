import { instant, type Sql } from '../db/sql.ts';
import type { Page } from '../http/pagination.ts';
import type { EventType } from './event.ts';

export type TimelineRow = {
  id: string;
  name: string;
  type: EventType;
  timestamp: number;
  props: Record<string, unknown> | null;
};

/** `arrivedMs`: what came before is past its retention, or cannot be in the range. */
export type TimelineRange = { projectId: string; arrivedMs: number; fromMs: number | null; toMs: number | null };

const columns = 'id, name, type, timestamp, props';
const inRange = `ingested_at >= $2::timestamptz and timestamp >= coalesce($3::timestamptz, '-infinity') and timestamp < coalesce($4::timestamptz, 'infinity')
  and timestamp <= coalesce($5::timestamptz, 'infinity') and ($5 is null or (timestamp, id) < ($5, $6))`;

function rangeValues(range: TimelineRange, page: Page) {
  const [afterMs, afterId] = page.after ?? [null, null];
  return [
    range.projectId,
    instant(range.arrivedMs),
    instant(range.fromMs),
    instant(range.toMs),
    instant(afterMs),
    afterId,
    page.limit + 1,
  ];
}

/** The user's own, newest first. The hash finds them, the name makes sure. */
export async function listEventsOf(
  sql: Sql,
  range: TimelineRange & { actor: number; externalId: string; types: readonly EventType[] },
  page: Page,
): Promise<TimelineRow[]> {
  return sql.rows<TimelineRow>(
    `select ${columns} from events where project_id = $1 and ${inRange} and actor = $8 and external_user_id = $9 and type = any($10::text[])
     order by timestamp desc, id desc limit $7`,
    [...rangeValues(range, page), range.actor, range.externalId, range.types],
  );
}

export async function listReleaseEvents(sql: Sql, range: TimelineRange, page: Page): Promise<TimelineRow[]> {
  return sql.rows<TimelineRow>(
    `select ${columns} from events where project_id = $1 and ${inRange} and type = 'release' order by timestamp desc, id desc limit $7`,
    rangeValues(range, page),
  );
}
