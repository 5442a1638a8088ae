import type { Logger } from '#shared/log.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { afterCommit } from '../../../platform/db/transaction.ts';
import type { Metrics } from '../../../platform/http/metrics.ts';
import { insertParked, type Parked } from './parked-store.ts';
import type { IntakeKind } from './streams.ts';

export type { Parked };

const bodyMax = 100_000;

/** What is kept of something that could not be stored: its text, without NUL, cut at 100,000 characters. */
export function parkedBody(value: unknown): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value);
  return text.slice(0, bodyMax).replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Work of a transaction that parks what could not be stored, and then does what else belongs to it. */
export function parkIn(
  { metrics, log }: { metrics: Metrics; log: Logger },
  kind: IntakeKind,
  parked: readonly Parked[],
  work: (sql: Sql) => Promise<void>,
): (sql: Sql) => Promise<void> {
  return async sql => {
    await work(sql);
    if (parked.length === 0) return;
    await insertParked(sql, parked);
    afterCommit(sql, () => {
      metrics.intakeParked.inc({ kind }, parked.length);
      log.error(
        { stream: parked[0]?.stream, seq: parked[0]?.seq, count: parked.length },
        `${kind} could not be stored; moved to intake_parked`,
      );
    });
  };
}
