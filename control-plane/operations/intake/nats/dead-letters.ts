import type { Logger } from '#shared/log.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import { afterCommit } from '../../../platform/db/transaction.ts';
import type { Metrics } from '../../../platform/http/metrics.ts';
import { type DeadLetter, insertDeadLetters } from './dead-letter-store.ts';
import type { IntakeKind } from './streams.ts';

export type { DeadLetter };

const bodyMax = 100_000;

/** The body of a dead letter: its text, without NUL, cut at 100,000 characters. */
export function deadLetterBody(value: unknown): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value);
  return text.slice(0, bodyMax).replaceAll('\0', '\uFFFD').toWellFormed();
}

/** Work of a transaction, which stores its dead letters as well. */
export function withDeadLetters(
  { metrics, log }: { metrics: Metrics; log: Logger },
  kind: IntakeKind,
  deadLetters: readonly DeadLetter[],
  work: (sql: Sql) => Promise<void>,
): (sql: Sql) => Promise<void> {
  return async sql => {
    await work(sql);
    if (deadLetters.length === 0) return;
    await insertDeadLetters(sql, deadLetters);
    afterCommit(sql, () => {
      metrics.intakeDeadLetters.inc({ kind }, deadLetters.length);
      log.error(
        { stream: deadLetters[0]?.stream, seq: deadLetters[0]?.seq, count: deadLetters.length },
        `${kind} could not be stored; moved to intake_parked`,
      );
    });
  };
}
