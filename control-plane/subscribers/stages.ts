import type { Sql } from '../db/sql.ts';

/** What follows in later folders, in the transaction of the change. */
export type SubscriberStages = {
  /** The subscriber is to be asked by mail whether it is really them. */
  confirmationWanted(sql: Sql, subscriber: { id: string; projectId: string }, nowMs: number): Promise<void>;
  /** The subscriber wants nothing more, or is gone. */
  left(sql: Sql, subscriberId: string, nowMs: number): Promise<void>;
};
