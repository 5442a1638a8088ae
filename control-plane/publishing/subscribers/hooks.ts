import type { Sql } from '../../platform/db/sql.ts';

/** Called in the transaction of the change. */
export type SubscriberHooks = {
  /** The subscriber is to be sent a confirmation email. */
  confirmationWanted(sql: Sql, subscriber: { id: string; projectId: string }, nowMs: number): Promise<void>;
  /** The subscriber unsubscribed or was deleted. */
  left(sql: Sql, subscriberId: string, nowMs: number): Promise<void>;
};
