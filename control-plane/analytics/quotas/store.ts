import { fragment } from '../../platform/db/sql.ts';
import { everyRow, rowCount } from '../../platform/project-limits/quota-store.ts';

/** What counts against the quotas of analytics. */
export const analyticsCounts = {
  flows: rowCount('flows', fragment`flows`, everyRow),
  reports: rowCount('reports', fragment`reports`, everyRow),
  releases: rowCount('releases', fragment`releases`, everyRow),
} as const;
