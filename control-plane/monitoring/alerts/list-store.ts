import { olderThan } from '../../platform/db/keyset.ts';
import { fragment, instant, type Sql } from '../../platform/db/sql.ts';
import type { Page } from '../../platform/http/endpoint/pagination.ts';
import { selectorCondition } from '../../platform/selectors/compile.ts';
import type { Selector } from '../../platform/selectors/selector.ts';
import { type AlertRow, alertColumns } from './store.ts';

/** Filters of the list; null does not filter. `started_at` in [from, to). */
export type AlertFilter = {
  states: readonly string[] | null;
  severities: readonly string[] | null;
  monitorId: string | null;
  kinds: readonly string[] | null;
  held: boolean | null;
  groupId: string | null;
  selector: Selector | null;
  fromMs: number | null;
  toMs: number | null;
};

/** What selectors see of alerts `a`: their own labels, and the monitor's name of now. */
const subject = {
  id: fragment`a.monitor_id`,
  name: fragment`select name from monitors where id = a.monitor_id`,
  kind: fragment`select kind from monitors where id = a.monitor_id`,
  labels: fragment`a.labels`,
};

/** A page of the project's alerts, latest start first. */
export async function listAlerts(sql: Sql, projectId: string, filter: AlertFilter, page: Page): Promise<AlertRow[]> {
  return sql.once<AlertRow>`
    select ${alertColumns}
    from alerts a
    where a.project_id = ${projectId}
      and (${filter.states}::text[] is null or a.current_state = any(${filter.states}::text[]))
      and (${filter.severities}::text[] is null or a.severity = any(${filter.severities}::text[]))
      and (${filter.monitorId}::text is null or a.monitor_id = ${filter.monitorId}::text)
      and (${filter.kinds}::text[] is null or a.kind = any(${filter.kinds}::text[]))
      and (${filter.held}::boolean is null or a.held = ${filter.held})
      and (${filter.groupId}::text is null or a.group_id = ${filter.groupId}::text)
      and ${selectorCondition(filter.selector, subject)}
      and (${instant(filter.fromMs)}::timestamptz is null or a.started_at >= ${instant(filter.fromMs)}::timestamptz)
      and (${instant(filter.toMs)}::timestamptz is null or a.started_at < ${instant(filter.toMs)}::timestamptz)
      and ${olderThan(page, fragment`a.started_at, a.id`)}
    order by a.started_at desc, a.id desc
    limit ${page.limit + 1}`;
}
