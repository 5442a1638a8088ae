import { fragment } from '../../platform/db/sql.ts';
import { everyRow, rowCount } from '../../platform/project-limits/quota-store.ts';

/** What counts against the quotas of on-call. */
export const onCallCounts = {
  channels: rowCount('channels', fragment`channels`, everyRow),
  routes: rowCount('routes', fragment`routes`, everyRow),
} as const;
