import { dayMs } from '#shared/duration.ts';
import { deleteFactsDoneBefore } from './facts/store.ts';
import { deleteFailures } from './failures/store.ts';
import { deleteAnswersBefore } from './http/endpoint/idempotency.ts';
import { deleteIdleBuckets } from './http/limits/rate-limit.ts';
import type { RowCounts } from './project-limits/quota-store.ts';
import { auditEndpoints } from './projects/audit-routes.ts';
import { deleteAuditBefore } from './projects/audit-store.ts';
import { purgeTokens } from './projects/ended-token-store.ts';
import { projectEndpoints } from './projects/routes.ts';
import type { Served, Wing } from './services.ts';

export const platform = {
  serve: (quotaCounts: RowCounts): Served => ({ endpoints: [...projectEndpoints(quotaCounts), ...auditEndpoints] }),
  retention: ({ series, auditDays }) => [
    { name: 'next partitions', keepMs: 0, run: (_, nowMs) => series.ensureAhead(nowMs) },
    { name: 'idempotency_keys', keepMs: 0, run: deleteAnswersBefore },
    { name: 'facts', keepMs: 7 * dayMs, run: deleteFactsDoneBefore },
    { name: 'rate_buckets', keepMs: 0, run: sql => deleteIdleBuckets(sql) },
    { name: 'audit', keepMs: auditDays * dayMs, run: deleteAuditBefore },
    { name: 'revoked tokens', keepMs: 30 * dayMs, run: purgeTokens },
    { name: 'work_failures', keepMs: 0, run: deleteFailures },
  ],
} satisfies Wing & Record<string, unknown>;
