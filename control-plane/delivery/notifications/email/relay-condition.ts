import { secondMs } from '#shared/duration.ts';
import type { Condition } from '../../../monitoring/notices/notice.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { findFailingRelay } from './relay-store.ts';

/** A connection that breaks once is no failure. */
const afterMs = 60 * secondMs;

/** An SMTP server that fails now, for the operator. */
export async function relayConditions(sql: Sql, operatorId: string | null): Promise<Condition[]> {
  const relay = await findFailingRelay(sql);
  if (relay === null) return [];
  return [
    {
      projectId: operatorId,
      kind: 'email.failing',
      subjectType: 'email',
      subjectId: 'smtp',
      subjectName: 'SMTP server',
      distinction: '',
      sinceMs: relay.failing_since,
      afterMs,
      title: 'Emails are not accepted by the SMTP server',
      detail: `They are retried for a day, and no recipient is quarantined for it. Last error: ${relay.error}.`,
    },
  ];
}
