import { accessCounts } from '../../access/quotas/store.ts';
import { analyticsCounts } from '../../analytics/quotas/store.ts';
import { deliveryCounts } from '../../delivery/quotas/store.ts';
import { monitoringCounts } from '../../monitoring/quotas/store.ts';
import { onCallCounts } from '../../on-call/quotas/store.ts';
import { type RowCounts, tokenCount } from '../../platform/project-limits/quota-store.ts';
import { publishingCounts } from '../../publishing/quotas/store.ts';
import { webCounts } from '../../web/quotas/store.ts';

/** How each quota of a project is counted, by the wing that has its rows. */
export const quotaCounts: RowCounts = {
  tokens: tokenCount,
  ...accessCounts,
  ...monitoringCounts,
  ...publishingCounts,
  ...deliveryCounts,
  ...onCallCounts,
  ...analyticsCounts,
  ...webCounts,
};
