import { dayMs } from '#shared/duration.ts';
import { deleteFactsDoneBefore } from './facts/store.ts';
import { deleteFailures } from './failures/store.ts';
import { deleteAnswersBefore } from './http/endpoint/idempotency.ts';
import { deleteIdleBuckets } from './http/limits/rate-limit.ts';
import { deleteAuditBefore } from './projects/audit-store.ts';
import { purgeTokens } from './projects/ended-token-store.ts';
import type { Retention } from './timers/retention.ts';

/** `auditDays`: how long entries of the audit stay. */
export function platformRetention(auditDays: number): readonly Retention[] {
  return [
    { name: 'idempotency_keys', keepMs: 0, run: deleteAnswersBefore },
    { name: 'facts', keepMs: 7 * dayMs, run: deleteFactsDoneBefore },
    { name: 'rate_buckets', keepMs: 0, run: sql => deleteIdleBuckets(sql) },
    { name: 'audit', keepMs: auditDays * dayMs, run: deleteAuditBefore },
    { name: 'revoked tokens', keepMs: 30 * dayMs, run: purgeTokens },
    { name: 'work_failures', keepMs: 0, run: deleteFailures },
  ];
}
