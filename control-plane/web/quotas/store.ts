import { fragment } from '../../platform/db/sql.ts';
import { everyRow, rowCount } from '../../platform/project-limits/quota-store.ts';

/** What counts against the quotas of the web. */
export const webCounts = { walls: rowCount('walls', fragment`walls`, everyRow) } as const;
