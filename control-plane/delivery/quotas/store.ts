import { fragment } from '../../platform/db/sql.ts';
import { everyRow, rowCount } from '../../platform/project-limits/quota-store.ts';

/** What counts against the quotas of delivery. */
export const deliveryCounts = { webhooks: rowCount('webhooks', fragment`webhooks`, everyRow) } as const;
