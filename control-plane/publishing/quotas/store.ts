import { fragment } from '../../platform/db/sql.ts';
import { notDeleted, rowCount } from '../../platform/project-limits/quota-store.ts';

/** What counts against the quotas of publishing. */
export const publishingCounts = {
  status_pages: rowCount('status_pages', fragment`status_pages`, notDeleted),
  page_domains: rowCount('page_domains', fragment`page_domains`, fragment`state <> 'removed'`),
  open_incidents: rowCount('open_incidents', fragment`incidents`, fragment`deleted_at is null and resolved_at is null`),
  incidents: rowCount('incidents', fragment`incidents`, notDeleted),
  // Pending ones that visitors typed in do not count: a stranger could use the quota up.
  subscribers: rowCount(
    'subscribers',
    fragment`subscribers`,
    fragment`(state = 'active' or (state = 'pending' and by_visitor = false))`,
  ),
} as const;
